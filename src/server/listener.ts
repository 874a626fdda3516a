import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Gate } from './admission/gate.js';
import type { HostOptions } from './host-options.js';
import { HttpHost } from './http-host.js';
import type { RouteFacts } from './route-facts.decorator.js';
import { Connections } from './shutdown/connections.js';

/** What a plain operation answers. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Takes routes that are no controllers, such as the management endpoints, whose paths are configured. */
export interface Routes {
  get(path: string, answer: () => Answer | Promise<Answer>): void;
}

/** Where a listener is to be opened; `key` and `addressKey` name the keys to change when that fails. */
export interface Binding {
  readonly port: number;
  readonly address: string | undefined;
  readonly key: string;
  readonly addressKey: string;
}

/** A listener that could not be opened. */
export class ListenFailure extends Error {
  constructor(
    readonly binding: Binding,
    cause: unknown,
  ) {
    super(`cannot listen on port ${binding.port}`, { cause });
    this.name = 'ListenFailure';
  }

  get code(): string | undefined {
    return (this.cause as NodeJS.ErrnoException).code;
  }
}

/** Node's own default; a shorter queue of the operating system would drop whom the service would answer. */
const LEAST_BACKLOG = 511;

/** The HTTP side of one listener, on Fastify. */
export class Listener {
  readonly adapter: FastifyAdapter;
  private readonly gate: Gate;
  private readonly connections: Connections;
  private readonly backlog: number;

  constructor(options: HostOptions = {}) {
    const { adapter, gate } = new HttpHost(options);
    this.adapter = adapter;
    this.gate = gate;
    this.backlog = Math.max(options.embedded?.acceptCount ?? 0, LEAST_BACKLOG);
    this.connections = new Connections(adapter.getInstance().server, (socket) => gate.currentOf(socket) !== undefined);
  }

  /** Management routes: admission does not count them. */
  get routes(): Routes {
    const fastify = this.adapter.getInstance();
    return {
      get: (path, answer) => {
        fastify.get(path, { config: { isManagement: true } satisfies RouteFacts }, async (_request, reply) => {
          const { status, body } = await answer();
          return reply.status(status).send(body);
        });
      },
    };
  }

  /** Requests whose answer is not out. */
  get inProgress(): number {
    return this.gate.inProgress;
  }

  /** Opens the listener, on every address when none is named, and answers the port in use. */
  async open(binding: Binding): Promise<number> {
    const fastify = this.adapter.getInstance();
    const { port, address } = binding;
    try {
      const host = address === undefined ? everyAddress() : await oneAddress(address);
      await fastify.listen({ port, host, backlog: this.backlog });
    } catch (error) {
      throw new ListenFailure(binding, error);
    }
    const bound = fastify.server.address();
    return bound !== null && typeof bound === 'object' ? bound.port : port;
  }

  /** From now on every answer asks its client to use the connection no more. */
  drain(): void {
    this.gate.close();
  }

  /**
   * Refuses new connections and waits for requests in progress; what is still there after `limitMillis` is cut off.
   * Answers how many requests that were.
   */
  async close(limitMillis: number): Promise<number> {
    let cut = 0;
    this.drain();
    await this.connections.end(limitMillis, () => {
      cut = this.inProgress;
    });
    await this.adapter.getInstance().close();
    return cut;
  }
}

/** For each further address of `localhost`, Fastify would make a server that knows neither our limits nor our end. */
async function oneAddress(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host, { order: 'ipv4first' })).address : host;
}

/** `::` takes IPv4 as well, where the machine knows IPv6 at all. */
function everyAddress(): string {
  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'));
  return hasIpv6 ? '::' : '0.0.0.0';
}

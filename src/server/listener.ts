import { networkInterfaces } from 'node:os';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Duration } from '../config/duration.js';
import { type HostOptions, HttpHost } from './http-host.js';

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

/** The HTTP side of one listener, on Fastify. */
export class Listener {
  readonly adapter: FastifyAdapter;

  constructor(options: HostOptions = {}) {
    this.adapter = new HttpHost(options).adapter;
  }

  get routes(): Routes {
    const fastify = this.adapter.getInstance();
    return {
      get: (path, answer) => {
        fastify.get(path, async (_request, reply) => {
          const { status, body } = await answer();
          return reply.status(status).send(body);
        });
      },
    };
  }

  /** Opens the listener, on every address when none is named, and answers the port in use. */
  async open(binding: Binding): Promise<number> {
    const fastify = this.adapter.getInstance();
    const { port, address } = binding;
    try {
      await fastify.listen({ port, host: address ?? everyAddress() });
    } catch (error) {
      throw new ListenFailure(binding, error);
    }
    const bound = fastify.server.address();
    return bound !== null && typeof bound === 'object' ? bound.port : port;
  }

  /** Refuses new connections and waits for requests in progress; what is still there after `limit` is cut off. */
  async close(limit: Duration): Promise<void> {
    const fastify = this.adapter.getInstance();
    const timer = setTimeout(() => {
      fastify.server.closeAllConnections();
    }, limit.milliseconds);
    try {
      await fastify.close();
    } finally {
      clearTimeout(timer);
    }
  }
}

/** `::` takes IPv4 as well, where the machine knows IPv6 at all. */
function everyAddress(): string {
  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'));
  return hasIpv6 ? '::' : '0.0.0.0';
}

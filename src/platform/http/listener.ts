import { lookup } from 'node:dns/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestTracker } from './admission/request-tracker.js';
import { originForm } from './context-path.js';
import type { HostOptions } from './host-options.js';
import { HttpHost } from './http-host.js';
import { sendAsIs } from './json/response-sender.js';
import type { RouteOptions } from './route-options.decorator.js';
import { Connections } from './shutdown/connections.js';

/** Response of a route outside of controllers. */
export interface ListenerResponse {
  readonly status: number;
  /**
   * Text, bytes and streams are sent unchanged, other values as JSON. A text with a `content-type` header is sent with
   * exactly that type.
   */
  readonly body?: unknown;
  /** Headers that override the default ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Request of a route outside of controllers. */
export interface PlainRequest {
  readonly method: string;
  /** Scheme, host and path as sent, without query. */
  readonly url: string;
  /** Decoded value of the path parameter; empty for a path without one. */
  readonly parameter: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
  readonly body: unknown;
}

/** Registers routes outside of controllers, such as the management endpoints, whose paths are configured. */
export interface Routes {
  /**
   * A path may end with `/:name` for one segment or `/*` for the rest of the path. Bodies are JSON of the listed media
   * types, or `application/json` by default.
   */
  add(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    answer: (request: PlainRequest) => ListenerResponse | Promise<ListenerResponse>,
    facts?: Pick<RouteOptions, 'jsonTypes'>,
  ): void;
}

/** Address and port to bind; `key` and `addressKey` are the keys to change if that fails. */
export interface BoundAddress {
  readonly port: number;
  readonly address: string | undefined;
  readonly key: string;
  readonly addressKey: string;
}

/** A listener that could not be opened. */
export class ListenFailure extends Error {
  constructor(
    readonly binding: BoundAddress,
    cause: unknown,
  ) {
    super(`cannot listen on port ${binding.port}`, { cause });
    this.name = 'ListenFailure';
  }

  get code(): string | undefined {
    return (this.cause as NodeJS.ErrnoException).code;
  }
}

/**
 * The default of Node; with a shorter queue the operating system would drop connections that the service can handle.
 */
const MIN_BACKLOG = 511;

const NO_IPV6: readonly (string | undefined)[] = ['EAFNOSUPPORT', 'EADDRNOTAVAIL'];

/** The HTTP side of one listener, on Fastify. */
export class Listener {
  readonly adapter: FastifyAdapter;
  private readonly tracker: RequestTracker;
  private readonly connections: Connections;
  private readonly backlog: number;
  private readonly stuckMillis: number;

  constructor(options: HostOptions = {}) {
    const { adapter, tracker, stuckMillis } = new HttpHost(options);
    this.stuckMillis = stuckMillis;
    this.adapter = adapter;
    this.tracker = tracker;
    this.backlog = Math.max(options.embedded?.acceptCount ?? 0, MIN_BACKLOG);
    this.connections = new Connections(
      adapter.getInstance().server,
      (socket) => tracker.currentRequest(socket) !== undefined,
    );
    // Only the main listener has threads.
    if (options.threads) {
      const description = 'Open connections (server.embedded.max-connections)';
      options.meters?.gauge('embedded.connections.current', { description }, () => this.connections.current);
    }
  }

  /** Management routes, which admission does not count. */
  get routes(): Routes {
    const fastify = this.adapter.getInstance();
    return {
      add: (method, url, answer, facts = {}) => {
        const config: RouteOptions = { ...facts, isManagement: true };
        const takesOneName = url.includes('/:');
        const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
          // The router matches an empty name behind the slash.
          if (takesOneName && parameterOf(request) === '') {
            reply.callNotFound();
            return reply;
          }
          const { status, body, headers = {} } = await answer(plainOf(request));
          reply.status(status).headers(headers);
          const type = headers['content-type'];
          if (typeof body !== 'string' || type === undefined) return reply.send(body);
          sendAsIs(reply, type, body);
          return reply;
        };
        fastify.route({ method, url, config, handler });
      },
    };
  }

  /** Number of requests whose response is not sent yet. */
  get inProgress(): number {
    return this.tracker.inProgress;
  }

  /** False if all slots are taken and no request has begun or ended within `server.embedded.connection-timeout`. */
  get isServing(): boolean {
    return this.tracker.isServing(this.stuckMillis);
  }

  /** Opens the listener, on every address unless one is configured, and returns the bound port. */
  async open(binding: BoundAddress): Promise<number> {
    const fastify = this.adapter.getInstance();
    const { port, address } = binding;
    try {
      if (address === undefined) await this.listenEverywhere(port);
      else await this.listen(port, await oneAddress(address));
    } catch (error) {
      throw new ListenFailure(binding, error);
    }
    const bound = fastify.server.address();
    return bound !== null && typeof bound === 'object' ? bound.port : port;
  }

  /** `::` includes IPv4. The machine may lack IPv6, and systemd's `RestrictAddressFamilies` may forbid it. */
  private async listenEverywhere(port: number): Promise<void> {
    try {
      await this.listen(port, '::');
    } catch (error) {
      if (!NO_IPV6.includes((error as NodeJS.ErrnoException).code)) throw error;
      await this.listen(port, '0.0.0.0');
    }
  }

  private async listen(port: number, host: string): Promise<void> {
    await this.adapter.getInstance().listen({ port, host, backlog: this.backlog });
  }

  /** Makes every further response ask its client to close the connection. */
  drain(): void {
    this.tracker.drain();
  }

  /**
   * Accepts no new connections and waits for requests in progress. After `limitMillis` it closes the remaining
   * connections and returns the number of their requests.
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

function parameterOf({ params }: FastifyRequest): string {
  const [parameter = ''] = Object.values(params as Readonly<Record<string, string>>);
  return parameter;
}

function plainOf(request: FastifyRequest): PlainRequest {
  const { method, protocol, host, originalUrl, headers, ip, body } = request;
  const [path = '', ...query] = originForm(originalUrl).split('?');
  return {
    method,
    url: `${protocol}://${host}${path}`,
    parameter: parameterOf(request),
    query: new URLSearchParams(query.join('?')),
    headers,
    ip,
    body,
  };
}

/** Fastify would create another server for each further address of `localhost`, without our limits and shutdown. */
async function oneAddress(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host, { order: 'ipv4first' })).address : host;
}

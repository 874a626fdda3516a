import { lookup } from 'node:dns/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { networkInterfaces } from 'node:os';
import { Readable } from 'node:stream';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestTracker } from './admission/request-tracker.js';
import { originForm } from './context-path.js';
import type { HostOptions } from './host-options.js';
import { HttpHost } from './http-host.js';
import { sendAsIs } from './json/response-sender.js';
import type { RouteOptions } from './route-options.decorator.js';
import { Connections } from './shutdown/connections.js';

/** What a route that is no controller answers. */
export interface ListenerResponse {
  readonly status: number;
  /**
   * A text, bytes or a stream as they are, everything else as JSON; none where it is undefined. Of a text with a
   * `content-type`, that goes out as it is, too.
   */
  readonly body?: unknown;
  /** Over the headers that every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a route that is no controller may read of a request. */
export interface PlainRequest {
  readonly method: string;
  /** Scheme, host and path as the caller wrote them, without query. */
  readonly url: string;
  /** What stands for the parameter of the path, decoded; empty where it has none. */
  readonly parameter: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
  readonly body: unknown;
}

/** Takes routes that are no controllers, such as the management endpoints, whose paths are configured. */
export interface Routes {
  /**
   * A path may end with `/:name` for one part of it or `/*` for all that is left. Bodies are JSON, of the media types
   * that are named or `application/json`.
   */
  add(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    answer: (request: PlainRequest) => ListenerResponse | Promise<ListenerResponse>,
    facts?: Pick<RouteOptions, 'jsonTypes'>,
  ): void;
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
const MIN_BACKLOG = 511;

/** The HTTP side of one listener, on Fastify. */
export class Listener {
  readonly adapter: FastifyAdapter;
  private readonly tracker: RequestTracker;
  private readonly connections: Connections;
  private readonly backlog: number;

  constructor(options: HostOptions = {}) {
    const { adapter, tracker } = new HttpHost(options);
    this.adapter = adapter;
    this.tracker = tracker;
    this.backlog = Math.max(options.embedded?.acceptCount ?? 0, MIN_BACKLOG);
    this.connections = new Connections(
      adapter.getInstance().server,
      (socket) => tracker.currentRequest(socket) !== undefined,
    );
    // Of the main listener, as its threads are.
    if (options.threads) {
      const description = 'Open connections (server.embedded.max-connections)';
      options.meters?.gauge('embedded.connections.current', { description }, () => this.connections.current);
    }
  }

  /** Management routes: admission does not count them. */
  get routes(): Routes {
    const fastify = this.adapter.getInstance();
    return {
      add: (method, url, answer, facts = {}) => {
        const config: RouteOptions = { ...facts, isManagement: true };
        const takesOneName = url.includes('/:');
        const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
          // The router takes nothing behind a slash for a name.
          if (takesOneName && parameterOf(request) === '') {
            reply.callNotFound();
            return reply;
          }
          const { status, body, headers = {} } = await answer(plainOf(request));
          reply.status(status).headers(headers);
          // Otherwise all of it would be read for nobody.
          if (request.method === 'HEAD' && body instanceof Readable) body.destroy();
          const type = headers['content-type'];
          if (typeof body !== 'string' || type === undefined) return reply.send(body);
          sendAsIs(reply, type, body);
          return reply;
        };
        fastify.route({ method, url, config, handler });
      },
    };
  }

  /** Requests whose answer is not out. */
  get inProgress(): number {
    return this.tracker.inProgress;
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
    this.tracker.drain();
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

/** For each further address of `localhost`, Fastify would make a server that knows neither our limits nor our end. */
async function oneAddress(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host, { order: 'ipv4first' })).address : host;
}

/** `::` takes IPv4 as well, where the machine knows IPv6 at all. */
function everyAddress(): string {
  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'));
  return hasIpv6 ? '::' : '0.0.0.0';
}

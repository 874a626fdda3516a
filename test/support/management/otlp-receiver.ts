import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { listenAt } from '../programs/free-port.js';
import { waitUntil } from '../runner/wait-until.js';

type Attribute = readonly [name: string, value: unknown];

/** A span as the receiver decoded it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** 1 internal, 2 server, 3 client (OTLP, `SpanKind`). */
  readonly kind: number;
  /** 0 unset, 2 error. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly millis: number;
}

interface WireAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: readonly WireAttribute[];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface WireRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

type Answer = (response: ServerResponse) => void;
const ACCEPT: Answer = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

/** A collector of OpenTelemetry: it decodes OTLP in JSON over HTTP and answers as a test tells it. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[] = [];
  /** Spans of a request are kept only if it is accepted. */
  answer: Answer = ACCEPT;
  private server: Server | undefined;
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}/v1/traces`;
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.receive(request, response));
    this.port = await listenAt(this.port, server);
    this.server = server;
    this.answer = ACCEPT;
    return this;
  }

  /** A stopped receiver refuses connections; it can start again at the same port. */
  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  ofTrace(traceId: string): readonly ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** Waits for a span of a trace. */
  received(traceId: string, name: string): Promise<ReceivedSpan> {
    return waitUntil(`the span ${name} of ${traceId} has arrived`, () =>
      this.spans.find((span) => span.traceId === traceId && span.name === name),
    );
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    this.requests.push({ path: request.url ?? '', headers: request.headers, text: body });
    this.answer(response);
    if (response.statusCode === 200 && response.writableEnded)
      this.spans.push(...decoded(JSON.parse(body) as WireRequest));
  }
}

function decoded({ resourceSpans }: WireRequest): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        name: span.name,
        kind: span.kind,
        status: span.status.code,
        attributes: Object.fromEntries(span.attributes.map(attribute)),
        resource: Object.fromEntries(resource.attributes.map(attribute)),
        millis: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
      })),
    ),
  );
}

function attribute({ key, value }: WireAttribute): Attribute {
  const [single] = Object.values(value);
  return [key, 'intValue' in value ? Number(single) : single];
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { LruMap } from '../../kernel/collections/lru-map.js';

/** Facts about an operation. They leave the service: never a secret, a login id, a query or the value of a statement. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The headers that continue a trace in another service (W3C Trace Context). */
export type TraceHeaders = Readonly<Record<string, string>>;

/** One timed operation of a trace, which may be recorded or only pass the trace on. */
export interface Span {
  /** 32 hexadecimal digits, the same in all spans of a trace. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** True if the span will be exported; otherwise its facts need not be collected. */
  readonly isRecording: boolean;
  /** Starts an operation within this one; `isCall` marks a call to another service. */
  child(name: string, options?: { readonly isCall?: boolean }): Span;
  set(attributes: SpanAttributes): void;
  /** Marks the operation as failed; `type` is from a closed list, such as an error code. */
  fail(type: string): void;
  end(): void;
  headers(): TraceHeaders;
}

const current = new AsyncLocalStorage<Span | undefined>();

/** The operation in progress; undefined outside of a trace, and always if traces are off. */
export function currentSpan(): Span | undefined {
  return current.getStore();
}

/** Runs code whose operations become children of `span`. */
export function withSpan<T>(span: Span, run: () => T): T {
  return current.run(span, run);
}

/** Runs background work that an operation may have started, outside of its trace. */
export function withoutSpan<T>(run: () => T): T {
  return current.getStore() === undefined ? run() : current.run(undefined, run);
}

/** Runs `work` in a span of its own if a trace is in progress. An error that it throws marks the span as failed. */
export function inSpan<T>(name: string, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  const parent = current.getStore();
  return parent ? during(parent.child(name), work) : work(undefined);
}

async function during<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await current.run(span, () => work(span));
  } catch (error) {
    // A rejected request, such as one with a wrong code, is no failure of the operation.
    if (error instanceof ServiceError && error.code !== 'UNAVAILABLE') span.set({ 'login.rejection': error.code });
    else span.fail(errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/** The code of an error, or the name of its class; never its message, which may contain values. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

/** Maximum number of remembered origins, more than are delivered in a second. A trace that is dropped ends with its request. */
const MAX_ORIGINS = 1000;

const origins = new LruMap<string, Span>(MAX_ORIGINS);

/**
 * Remembers the operation in progress as the origin of the security event or other record `id`, so that its delivery in the
 * background continues the trace. The origin is known to this process only, until newer origins replace it.
 */
export function rememberOrigin(id: string): void {
  const span = currentSpan();
  if (span) origins.set(id, span);
}

/** Runs the background work for `id` in the trace of its origin, if that is known here. */
export function continueOrigin<T>(id: string, run: () => T): T {
  const span = origins.get(id);
  return span ? withSpan(span, run) : run();
}

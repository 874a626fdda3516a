import { AsyncLocalStorage } from 'node:async_hooks';
import { requestContext, withoutRequestContext } from '../../kernel/principal/request-context.js';
import { currentSpan, withoutSpan } from '../tracing/span.js';

/** Facts about the request of a line; `%X{name}` in a pattern. */
export interface LogContext {
  readonly requestId?: string;
  /** The subject of the user once it is known, before that a pseudonym of the login id. */
  readonly user?: string;
  readonly ip?: string;
  /** Id of the trace in progress. */
  readonly traceId?: string;
  /** Id of the operation in progress, which may be a part of the request. */
  readonly spanId?: string;
}

/** Names in the order of `%X` without an option. */
export const CONTEXT_NAMES = [
  'requestId',
  'user',
  'ip',
  'traceId',
  'spanId',
] as const satisfies readonly (keyof LogContext)[];

/** Context of the request or of the trace in progress; undefined outside of both. */
export function logContext(): LogContext | undefined {
  const context = requestContext();
  const span = currentSpan();
  return span ? { ...context, traceId: span.traceId, spanId: span.spanId } : context;
}

/** Runs background work that a request may have started, outside of its context and its trace. */
export function withoutContext<T>(run: () => T): T {
  return withoutRequestContext(() => withoutSpan(run));
}

const MAIN = 'main';
const threads = new AsyncLocalStorage<string>();

/** Runs a task so that its lines have its name as their thread and no request context. */
export function inThread<T>(name: string, run: () => T): T {
  return withoutContext(() => threads.run(name, run));
}

/** The name of the task in progress, or `main`. */
export function threadName(): string {
  return threads.getStore() ?? MAIN;
}

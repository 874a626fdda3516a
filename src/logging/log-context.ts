import { AsyncLocalStorage } from 'node:async_hooks';
import { requestContext, withoutRequestContext } from '../principal/request-context.js';

/** Facts about the request of a line; `%X{name}` in a pattern. */
export interface LogContext {
  readonly requestId?: string;
  /** The subject of the user once it is known, before that a pseudonym of the login id. */
  readonly user?: string;
  readonly ip?: string;
}

/** Names in the order of `%X` without an option. */
export const CONTEXT_NAMES = ['requestId', 'user', 'ip'] as const satisfies readonly (keyof LogContext)[];

/** Context of the request in progress; undefined outside a request. */
export function logContext(): LogContext | undefined {
  return requestContext();
}

const MAIN = 'main';
const threads = new AsyncLocalStorage<string>();

/** Runs a task so that its lines have its name as their thread and no request context. */
export function inThread<T>(name: string, run: () => T): T {
  return withoutRequestContext(() => threads.run(name, run));
}

/** The name of the task in progress, or `main`. */
export function threadName(): string {
  return threads.getStore() ?? MAIN;
}

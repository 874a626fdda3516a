import { AsyncLocalStorage } from 'node:async_hooks';

/** Where a request came from, for security events and the log. */
export interface RequestContext {
  readonly requestId: string;
  readonly ip: string;
  readonly agent?: string;
  /** Whom the log names: the subject once it is known, before that a mark of the login id that was given. */
  user?: string;
}

const current = new AsyncLocalStorage<RequestContext | undefined>();

/** Runs a request so that everything it calls can tell who asked. */
export function withRequestContext<T>(facts: RequestContext, run: () => T): T {
  return current.run(facts, run);
}

/** Runs what belongs to no request, though one may have set its timer. */
export function withoutRequestContext<T>(run: () => T): T {
  return current.run(undefined, run);
}

/** Undefined outside of a request, such as in a command. */
export function requestContext(): RequestContext | undefined {
  return current.getStore();
}

/** From now on, lines of this request name this user. */
export function setUser(user: string): void {
  const facts = current.getStore();
  if (facts) facts.user = user;
}

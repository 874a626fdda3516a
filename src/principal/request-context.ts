import { AsyncLocalStorage } from 'node:async_hooks';

/** Origin and user of a request, for security events and the log. */
export interface RequestContext {
  readonly requestId: string;
  readonly ip: string;
  readonly agent?: string;
  /** User field of log lines: the subject once it is known, before that a pseudonym of the login id. */
  user?: string;
}

const current = new AsyncLocalStorage<RequestContext | undefined>();

/** Runs a request; everything it calls can read its context. */
export function withRequestContext<T>(context: RequestContext, run: () => T): T {
  return current.run(context, run);
}

/** Runs background work that a request may have started, without the context of that request. */
export function withoutRequestContext<T>(run: () => T): T {
  return current.run(undefined, run);
}

/** Undefined outside of a request, such as in a command. */
export function requestContext(): RequestContext | undefined {
  return current.getStore();
}

/** Sets the user that later log lines of this request name. */
export function setUser(user: string): void {
  const context = current.getStore();
  if (context) context.user = user;
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { isIPv4, isIPv6 } from 'node:net';

/** Origin and user of a request, for security events and the log. */
export interface RequestContext {
  readonly requestId: string;
  readonly ip: string;
  readonly agent?: string;
  /** User field of log lines: the subject once it is known, before that a pseudonym of the login id. */
  user?: string;
  /** Called when the password of the request is hashed, so that the next request can have its turn. */
  onPasswordHashed?: () => void;
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

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The addresses that one caller is assumed to control: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const [plain = ''] = address.split('%');
  const mapped = MAPPED.exec(plain)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(plain)) return address;
  const [before = '', after] = plain.split('::');
  const head = groups(before);
  const tail = after === undefined ? [] : groups(after);
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => 0);
  const network = [...head, ...(after === undefined ? [] : zeros), ...tail].slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/** An IPv4 address at the end is two groups; their values do not matter beyond the /64. */
function groups(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { withoutUndefined } from '../collections/without-undefined.js';

/** What a command or an act of an administrator knows about itself, for its security events. */
interface CommandContext {
  /** Why the operator runs it, in their own words. */
  reason?: string;
  /** The ticket that asks for it. */
  ticket?: string;
}

const current = new AsyncLocalStorage<CommandContext>();

/** Runs a command so that its security events carry the reason that `stateReason` sets. */
export function withCommandContext<T>(run: () => T): T {
  return current.run({}, run);
}

export function setCommandReason(reason: string): void {
  const facts = current.getStore();
  if (facts) facts.reason = reason;
}

/** Runs an act whose security events carry this reason, or that of the command in progress. */
export function withCommandReason<T>(reason: string | undefined, run: () => T): T {
  return reason === undefined ? run() : current.run({ reason }, run);
}

/** Runs an act whose security events carry this reason and this ticket; without a reason, that of the command in progress. */
export function withStated<T>(
  { reason = commandReason(), ticket }: { readonly reason?: string | undefined; readonly ticket?: string | undefined },
  run: () => T,
): T {
  return current.run(withoutUndefined({ reason, ticket }), run);
}

export function commandTicket(): string | undefined {
  return current.getStore()?.ticket;
}

/** Undefined if no reason was stated, and outside of a command. */
export function commandReason(): string | undefined {
  return current.getStore()?.reason;
}

import { AsyncLocalStorage } from 'node:async_hooks';

/** What a command knows about itself, for its security events. */
interface CommandContext {
  /** Why the operator runs it, in their own words. */
  reason?: string;
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

/** Undefined if no reason was stated, and outside of a command. */
export function commandReason(): string | undefined {
  return current.getStore()?.reason;
}

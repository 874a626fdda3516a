import { AsyncLocalStorage } from 'node:async_hooks';

/** Reason and ticket of a command or of an act of an administrator, for its security events. */
interface CommandContext {
  /** The reason in the words of the operator. */
  reason?: string | undefined;
  /** Id of the ticket that requests it. */
  readonly ticket?: string | undefined;
}

const current = new AsyncLocalStorage<CommandContext>();

/**
 * Runs a command or an act whose security events carry this reason and this ticket. The default of the reason is that of the
 * command in progress.
 */
export function withCommandContext<T>({ reason = commandReason(), ticket }: Readonly<CommandContext>, run: () => T): T {
  return current.run({ reason, ticket }, run);
}

/** Sets the reason of the command in progress. */
export function setCommandReason(reason: string): void {
  const context = current.getStore();
  if (context) context.reason = reason;
}

export function commandTicket(): string | undefined {
  return current.getStore()?.ticket;
}

/** Undefined if the operator gave no reason, and outside of a command. */
export function commandReason(): string | undefined {
  return current.getStore()?.reason;
}

import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { commandReason } from '../../kernel/principal/command-context.js';
import { type Act, MAX_REASON_LENGTH, storedReason } from '../admin/act.js';

/** Maximum length of a name: two names fit into the column of actors, which has 64 characters. */
const MAX_NAME_LENGTH = 28;

/** The operating-system user of the process. */
export interface ProcessOwner {
  readonly username: () => string;
  readonly uid: number | undefined;
  /** The variable `SUDO_USER`, which any user who starts the process can set. */
  readonly sudoUser: string | undefined;
}

/** The owner of this process; `variables` are those of its environment. */
export function processOwner(variables: Readonly<Record<string, string | undefined>>): ProcessOwner {
  return { username: () => userInfo().username, uid: process.getuid?.(), sudoUser: variables['SUDO_USER'] };
}

/**
 * The actor of security events: `cli:` and the operating-system user of the process, which the kernel vouches for.
 * The user that sudo names follows in parentheses as a hint, because the variable can be forged.
 */
export function operatorActor({ username, uid, sudoUser }: ProcessOwner): string {
  const user = plainName(nameOf(username, uid));
  const by = sudoUser === undefined || sudoUser === '' ? user : plainName(sudoUser);
  return by === user ? `cli:${user}` : `cli:${user}(${by})`;
}

/** The name of the user, or the user id if it has no name, for example in a container. */
function nameOf(username: () => string, uid: number | undefined): string {
  try {
    return username();
  } catch {
    return `uid-${uid ?? 'unknown'}`;
  }
}

function plainName(name: string): string {
  return name.replaceAll(/[^\w.@\\$-]/g, '?').slice(0, MAX_NAME_LENGTH);
}

/** An act of the operator, with the reason that `withReason` has read. */
export function operatorAct(actor: string): Act {
  return { actor, authority: 'operator', reason: commandReason() };
}

/** Adds `--reason` to a command that changes something. */
export function withReason(command: Command): Command {
  return command.option('--reason <text>', 'why; kept with the security event', storableReason);
}

/** Prepares a reason for storage: one line with secrets masked. @throws InvalidArgumentError */
function storableReason(text: string): string {
  const line = storedReason(text);
  if (line === undefined && text.trim() === '') throw new InvalidArgumentError('A reason must not be empty.');
  if (line === undefined) throw new InvalidArgumentError(`A reason has at most ${MAX_REASON_LENGTH} characters.`);
  return line;
}

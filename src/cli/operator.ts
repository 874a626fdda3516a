import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { sanitizeText } from '../redaction/log-sanitizer.js';

/** Together they fit into the column of actors, 64 characters. */
const LONGEST_NAME = 28;
/** Characters, as the column counts them. */
const LONGEST_REASON = 200;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** What the process says about who runs it. */
export interface ProcessOwner {
  readonly username: () => string;
  readonly uid: number | undefined;
  /** Of the environment: sudo sets it, and so may anyone who starts the process. */
  readonly sudoUser: string | undefined;
}

/** The owner of this process; `variables` are those of its environment. */
export function processOwner(variables: Readonly<Record<string, string | undefined>>): ProcessOwner {
  return { username: () => userInfo().username, uid: process.getuid?.(), sudoUser: variables['SUDO_USER'] };
}

/**
 * The actor of security events: `cli:` and the operating-system user of the process, which the kernel vouches for.
 * Whom sudo names follows in parentheses as a hint: that user may as well have set the variable.
 */
export function operatorActor({ username, uid, sudoUser }: ProcessOwner): string {
  const user = plainName(nameOf(username, uid));
  const by = sudoUser === undefined || sudoUser === '' ? user : plainName(sudoUser);
  return by === user ? `cli:${user}` : `cli:${user}(${by})`;
}

/** A container may run as a user id that has no name. */
function nameOf(username: () => string, uid: number | undefined): string {
  try {
    return username();
  } catch {
    return `uid-${uid ?? 'unknown'}`;
  }
}

function plainName(name: string): string {
  return name.replaceAll(/[^\w.@\\$-]/g, '?').slice(0, LONGEST_NAME);
}

/** Adds `--reason` to a command that changes something. */
export function withReason(command: Command): Command {
  return command.option('--reason <text>', 'why; kept with the security event', cleanReason);
}

/** The reason as it is stored: one line, without what looks like a secret. @throws InvalidArgumentError */
export function cleanReason(text: string): string {
  const line = sanitizeText(text.normalize('NFC').replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim());
  if (line === '') throw new InvalidArgumentError('A reason must not be empty.');
  if (Array.from(line).length > LONGEST_REASON) {
    throw new InvalidArgumentError(`A reason has at most ${LONGEST_REASON} characters.`);
  }
  return line;
}

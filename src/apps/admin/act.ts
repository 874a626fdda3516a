import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { ROLE_ADMIN } from '../../identity/account/account.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { FullPrincipal } from '../../kernel/principal/principal.js';
import { sanitizeText } from '../../kernel/redaction/log-sanitizer.js';

/** Actor of an administrative act and the rights that apply; `operator` is a command with access to the server. */
export interface Actor {
  /** The subject of an administrator or of the help desk, or `cli:<user>` for a command. */
  readonly actor: string;
  readonly authority: 'operator' | 'administrator' | 'help desk';
}

/** An administrative act; actor, reason and ticket go into its security events. */
export interface Act extends Actor {
  readonly reason?: string | undefined;
  /** The ticket of the help desk. */
  readonly ticket?: string | undefined;
}

/** Justification of an act by its caller. */
export type Justification = Pick<Act, 'reason' | 'ticket'>;

/** The caller of an administrative route: without `ROLE_ADMIN`, the rights of the help desk. */
export function actorOf({ subject, roles }: FullPrincipal): Actor {
  return { actor: subject, authority: roles.includes(ROLE_ADMIN) ? 'administrator' : 'help desk' };
}

export const MAX_REASON_LENGTH = 200;
/** Maximum length of a stored reason; quotes and backslashes take two characters in the column of details. */
const MAX_STORED_REASON_LENGTH = 220;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Form of a ticket, such as `HD-4711` or `#4711`. */
export const TICKET_FORM = /^[A-Za-z0-9#][A-Za-z0-9#._:/-]{0,63}$/;

/** Converts a reason to one line with masked secrets; undefined if it is empty or too long. */
export function storedReason(text: string): string | undefined {
  const line = sanitizeText(text.normalize('NFC').replaceAll(INVISIBLE, ' ').replaceAll(/\s+/g, ' ').trim());
  const isFit = Array.from(line).length <= MAX_REASON_LENGTH && JSON.stringify(line).length <= MAX_STORED_REASON_LENGTH;
  return line !== '' && isFit ? line : undefined;
}

/**
 * Validates the justification of an act: the help desk must state a reason and a ticket, an administrator a reason if
 * `needsReason`. Operators need none, because their commands are the last resort.
 * @throws ServiceError `VALIDATION_FAILED`
 */
export function validJustification({ authority, reason, ticket }: Act, needsReason: boolean): Justification {
  const isHelpDesk = authority === 'help desk';
  const stored = reason === undefined ? undefined : storedReason(reason);
  const errors = [
    ...missing('reason', reason, isHelpDesk || (needsReason && authority === 'administrator')),
    ...(reason !== undefined && stored === undefined ? [{ field: 'reason', code: 'format' }] : []),
    ...missing('ticket', ticket, isHelpDesk),
    ...(ticket !== undefined && !TICKET_FORM.test(ticket) ? [{ field: 'ticket', code: 'format' }] : []),
  ];
  if (errors.length > 0) throw new ServiceError('VALIDATION_FAILED', { errors });
  return withoutUndefined({ reason: stored, ticket });
}

/** The justification of an act without members that are too long or malformed. */
export function storableJustification({ reason, ticket }: Act): Justification {
  return withoutUndefined({
    reason: reason === undefined ? undefined : storedReason(reason),
    ticket: ticket !== undefined && TICKET_FORM.test(ticket) ? ticket : undefined,
  });
}

/** Format of account ids; a database that ignores trailing blanks would also find an account by another text. */
const SUBJECT = /^[\w-]{1,36}$/;

export function isSubject(text: string): boolean {
  return SUBJECT.test(text);
}

/** @throws ServiceError `NOT_FOUND` for a text that is not the id of an account */
export function demandSubject(subject: string): void {
  if (!isSubject(subject)) throw new ServiceError('NOT_FOUND', { reason: 'account' });
}

/** @throws ServiceError `ACCESS_DENIED` for the help desk */
export function demandAdministrator({ authority }: Actor): void {
  if (authority === 'help desk') throw new ServiceError('ACCESS_DENIED', { reason: 'help desk' });
}

function missing(field: string, value: string | undefined, isNeeded: boolean): { field: string; code: string }[] {
  return isNeeded && value === undefined ? [{ field, code: 'required' }] : [];
}

import type { ImportReport } from '../account/import-row.js';
import type { ServiceError } from '../errors/service-error.js';

/** A command that did not do what was asked; `lines` are printed before. */
export interface Complaint {
  readonly complaint: string;
  readonly lines?: readonly string[];
}

/** Exit code of a command that refused. */
export const REFUSED = 1;

/** Rows told one by one; the number of the others follows. */
const MOST_ROWS = 100;

const FAULTS: Readonly<Record<string, string>> = {
  'id malformed': 'The login id must be 1 to 255 characters, without control characters and without ":".',
  'person malformed': 'The name of the person must be 1 to 512 characters, without control characters.',
  'pw malformed': 'The password is no text.',
  'pw too_short': 'The password is too short (app.security.password.min-length).',
  'pw too_long': 'The password is longer than 1024 bytes.',
  'pw too_common': 'The password is among those that are guessed first.',
  'pw same_as_id': 'The password is the login id.',
  'email malformed': 'The mail address is none.',
  'roles malformed': 'A role is ROLE_ and capital letters, digits or underscores; ROLE_PRE_MFA is none.',
};

const CONFLICTS: Readonly<Record<string, string>> = {
  'login id taken': 'There is a user with this login id already.',
  'person known': 'There is a user for this person already.',
};

/** What a person is told; the inner reason of an error stays inside where it may hold more than that. */
export function complaintOf({ code, facts }: ServiceError): string {
  switch (code) {
    case 'VALIDATION_FAILED':
      return (facts.errors ?? []).map((error) => FAULTS[`${error.field} ${error.code}`] ?? error.code).join('\n');
    case 'CONFLICT':
      return CONFLICTS[facts.reason ?? ''] ?? 'This is the last administrator.';
    case 'UNAVAILABLE':
      return 'The database is out of reach or busy; try again.';
    default:
      return `Refused: ${code}`;
  }
}

/** The report of an import, row by row. */
export function importLines(
  { created, errors, errorsTotal }: ImportReport,
  isPartial: boolean,
): readonly string[] | Complaint {
  const made = `${created} ${created === 1 ? 'user is' : 'users are'} made.`;
  if (errorsTotal === 0) return [made];
  const lines = errors.slice(0, MOST_ROWS).map(({ line, field, code }) => `line ${line}: ${`${field} ${code}`.trim()}`);
  if (errorsTotal > lines.length) lines.push(`and ${errorsTotal - lines.length} more`);
  const rest = isPartial ? 'The rows above are left out.' : 'Nothing was changed: correct the file, or use --partial.';
  return { lines, complaint: `${made} ${rest}` };
}

import type { LogFields } from '../logging/log-line.js';
import type { Logger } from '../logging/logger.js';
import type { EventRow } from './event-row.js';

/**
 * One line about an event that is kept: a refusal is a warning. What somebody typed is in none of its fields. The line
 * about a change of a level is written whatever the levels are, since it may be this logger that was silenced.
 */
export function logEvent(logger: Logger, row: EventRow): void {
  const { kind, result } = row;
  if (kind === 'LOGLEVEL_CHANGED') logger.always('INFO', kind, fieldsOf(row));
  else if (result === 'refused') logger.warn(kind, undefined, fieldsOf(row));
  else logger.info(kind, fieldsOf(row));
}

/** Without those that the event does not have. */
function fieldsOf({
  user_id,
  actor,
  result,
  reason,
  amr,
  idp,
  authn_context,
  ip,
  request_id,
  detail,
}: EventRow): LogFields {
  const of = { subject: user_id, actor, result, reason };
  const all = { ...of, amr, idp, authnContext: authn_context, ip, requestId: request_id, detail };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

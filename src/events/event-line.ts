import type { LogFields } from '../logging/log-line.js';
import type { Logger } from '../logging/logger.js';

/** A stored event; `at` in milliseconds. */
export interface EventRow {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly user_id: string | null;
  readonly actor: string | null;
  readonly ip: string | null;
  readonly agent: string | null;
  readonly request_id: string | null;
  readonly idp: string | null;
  readonly authn_context: string | null;
  readonly amr: string | null;
  readonly result: string;
  readonly reason: string | null;
  /** JSON of a flat object with texts. */
  readonly detail: string | null;
}

/**
 * One line about an event that is kept: a refusal is a warning. What somebody typed is in none of its fields. The line
 * about a change of a level is written whatever the levels are, since it may be this logger that was silenced.
 */
export function logEvent(logger: Logger, row: EventRow): void {
  const { kind, result } = row;
  if (kind === 'LOGLEVEL_CHANGED') logger.always('INFO', kind, fieldsOf(row));
  else if (result === 'refused') logger.warn(kind, fieldsOf(row));
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

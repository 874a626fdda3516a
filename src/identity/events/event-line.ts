import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { LogFields } from '../../observability/logging/log-line.js';
import type { Logger } from '../../observability/logging/logger.js';

/** Values of `security_event.batch` for events that no batch contains yet. */
export const UNBATCHED = {
  /** An event that subscribers do not see yet. */
  new: -1,
  /** An event that existed before the chain, was restored, or was written by an older version; subscribers never see it. */
  earlier: 0,
} as const;

/** No batch has a higher number: a row that names one was not written by the relay, and must not determine the next number. */
export const MAX_BATCH = 2 ** 52;

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
  /** A flat JSON object with text values. */
  readonly detail: string | null;
}

/** The columns of `security_event`. */
export const EVENT_COLUMNS = [
  ...(['id', 'at', 'kind', 'user_id', 'actor', 'ip', 'agent', 'request_id', 'idp', 'authn_context', 'amr'] as const),
  ...(['result', 'reason', 'detail'] as const),
] satisfies readonly (keyof EventRow)[];

/**
 * Logs a stored event; a rejection is a warning. No field contains input of a user. The line about a change of a log level
 * is written at every level, since this logger itself may have been silenced.
 */
export function logEvent(logger: Logger, row: EventRow): void {
  const { kind, result } = row;
  if (kind === 'LOGLEVEL_CHANGED') logger.always('INFO', kind, fieldsOf(row));
  else if (result === 'refused') logger.warn(kind, fieldsOf(row));
  else logger.info(kind, fieldsOf(row));
}

/** The fields that the event has. */
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
  const of = { subject: user_id ?? undefined, actor: actor ?? undefined, result, reason: reason ?? undefined };
  const request = { ip: ip ?? undefined, requestId: request_id ?? undefined, detail: detail ?? undefined };
  const login = { amr: amr ?? undefined, idp: idp ?? undefined, authnContext: authn_context ?? undefined };
  return withoutUndefined({ ...of, ...login, ...request });
}

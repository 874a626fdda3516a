// The statements of the yardstick, equal on both engines: all reads and writes that a full login requires.
export const ACCOUNT_BY_LOGIN_ID =
  'SELECT id, status, password_hash, security_stamp, totp_count, roles, mfa_required FROM account WHERE login_id = ?';

const EVENT_ROW = "(?, ?, ?, ?, NULL, ?, ?, ?, NULL, ?, 'ok', ?)";
export const ADD_EVENT =
  'INSERT INTO security_event (id, at, kind, user_id, actor, ip, agent, request_id, idp, amr, result, reason) ' +
  `VALUES ${EVENT_ROW}`;
/** A single statement, which is a transaction of its own. */
export const ADD_TWO_EVENTS = `${ADD_EVENT}, ${EVENT_ROW}`;

/** Charges an attempt if the account is active and not locked, has this security stamp, and the `mfa_token` is unused. */
export const TAKE_ATTEMPT =
  'UPDATE account SET failures = CASE WHEN failures >= 5 THEN 1 ELSE failures + 1 END, ' +
  'failures_in_row = failures_in_row + 1, last_attempt_at = ?, last_attempt_id = ? ' +
  "WHERE id = ? AND status = 'active' AND security_stamp = ? AND NOT (failures >= 5 AND (failures_in_row >= 100 OR " +
  '? < last_attempt_at + CASE WHEN lock_level >= 5 THEN 3600 WHEN lock_level = 4 THEN 2400 WHEN lock_level = 3 THEN 1200 ' +
  'WHEN lock_level = 2 THEN 600 ELSE 300 END)) ' +
  'AND NOT EXISTS (SELECT 1 FROM used_mfa_token WHERE jti = ?)';

export const SECRET_OF =
  'SELECT t.id, t.sealed, a.roles FROM account a JOIN totp_secret t ON t.user_id = a.id AND t.activated_at IS NOT NULL ' +
  'WHERE a.id = ?';

export const ACCEPT_STEP =
  'UPDATE account SET last_used_step = ?, failures = 0, failures_in_row = 0, lock_level = 0 ' +
  "WHERE id = ? AND last_used_step < ? AND totp_count > 0 AND status = 'active'";

export const RECORD_USE = 'UPDATE totp_secret SET last_used_at = ? WHERE id = ?';

export const USE_MFA_TOKEN = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';

export const OPEN_SESSION =
  'INSERT INTO session (id, user_id, kind, secret_hash, half_security_stamp, amr, auth_time, mfa_at, mfa_method, idp, ' +
  'authn_context, ip, agent, created_at, last_used_at, expires_at) ' +
  "VALUES (?, ?, 'token', NULL, NULL, 'pwd otp', ?, ?, 'totp', NULL, NULL, ?, ?, ?, ?, ?)";

export const ADD_REFRESH_TOKEN =
  'INSERT INTO refresh_token (token_hash, session_id, user_id, generation, amr, auth_time, mfa_at, mfa_method, ' +
  'issued_at, expires_at, rotated_at, replaced_by, sealed_successor, superseded_at) ' +
  "VALUES (?, ?, ?, 0, 'pwd otp', ?, ?, 'totp', ?, ?, NULL, NULL, NULL, NULL)";

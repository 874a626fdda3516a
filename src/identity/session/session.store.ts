import { Injectable } from '@nestjs/common';
import { type FindOptionsSelect, IsNull, MoreThan } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { isOlder, type Slice } from '../../platform/persistence/slice.js';
import { expiringTable } from '../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { amrOf, amrText } from '../../kernel/principal/amr.js';
import { SessionEntity } from './session.entity.js';
import {
  type Application,
  type ApplicationSession,
  hashSecret,
  isBrowserKind,
  isSecretForm,
  type Session,
  type StepUpFacts,
} from './session.js';

expiringTable('session', 'id');

const OF_EVERY_SESSION =
  'id, user_id, kind, half_security_stamp, amr, auth_time, mfa_at, mfa_method, idp, authn_context, ends_at, idp_session, ip, ' +
  'agent, created_at, last_used_at, expires_at';
const OF_APPLICATION = 'parent_id, client_id, scope';
const COLUMNS = `${OF_EVERY_SESSION}, ${OF_APPLICATION}`;
const MARKS = '?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?';
const INSERT = `INSERT INTO session (secret_hash, ${OF_EVERY_SESSION}) VALUES (${MARKS})`;
const INSERT_OF_APPLICATION = `INSERT INTO session (secret_hash, ${COLUMNS}) VALUES (${MARKS}, ?, ?, ?)`;
const LIVE = `SELECT ${COLUMNS} FROM session WHERE id = ? AND expires_at > ?`;
/** The cookie of an application is no cookie of this service, whatever the name it is sent by. */
const LIVE_BY_SECRET = `SELECT ${COLUMNS} FROM session WHERE secret_hash = ? AND client_id IS NULL AND expires_at > ?`;
/** The session of an application and that of its browser, in one round trip. */
const LIVE_OF_APPLICATION = `SELECT ${COLUMNS} FROM session WHERE secret_hash = ? AND client_id IS NOT NULL AND expires_at > ?
  UNION ALL
  SELECT ${COLUMNS} FROM session WHERE id = (SELECT parent_id FROM session WHERE secret_hash = ?)
    AND half_security_stamp IS NULL AND expires_at > ?`;
const USE = `UPDATE session SET last_used_at = ?, expires_at = ?
  WHERE id = ? AND expires_at > ? AND half_security_stamp IS NULL`;
/** The row changes even within one second, which locks it at every node of a cluster. */
const HOLD = `UPDATE session SET last_used_at = CASE WHEN last_used_at = ? THEN last_used_at - 1 ELSE ? END
  WHERE id = ? AND user_id = ? AND expires_at > ? AND half_security_stamp IS NULL`;
const TOUCH = 'UPDATE session SET last_used_at = ? WHERE id = ? AND last_used_at = ?';
const TOUCH_PORTAL = 'UPDATE session SET last_used_at = ?, expires_at = ? WHERE id = ? AND last_used_at = ?';
const RAISE = `UPDATE session SET amr = ?, mfa_at = ?, mfa_method = ?, secret_hash = ?
  WHERE id = ? AND expires_at > ? AND half_security_stamp IS NULL`;
const RENEW = `UPDATE session SET secret_hash = ?
  WHERE id = ? AND expires_at > ? AND half_security_stamp IS NULL`;
const END = 'DELETE FROM session WHERE id = ?';
const END_OWN = 'DELETE FROM session WHERE id = ? AND user_id = ?';
const END_HALF = 'DELETE FROM session WHERE id = ? AND expires_at > ? AND half_security_stamp IS NOT NULL';
const OF_IDP_SESSION = `SELECT ${COLUMNS} FROM session WHERE idp_session = ? AND expires_at > ?`;
const END_OF_USER = 'DELETE FROM session WHERE user_id = ? AND id <> ? AND client_id IS NULL';
const OF_USER_BUT = 'user_id = ? AND client_id IS NOT NULL AND parent_id <> ?';
const APPLICATIONS_OF_USER = `SELECT ${COLUMNS} FROM session WHERE ${OF_USER_BUT}`;
const END_APPLICATIONS_OF_USER = `DELETE FROM session WHERE ${OF_USER_BUT}`;
/** The session itself, if it is of an application, and those that belong to it. */
const APPLICATIONS = `SELECT ${COLUMNS} FROM session WHERE client_id IS NOT NULL AND (parent_id = ? OR id = ?)`;
const END_OF_PARENT = 'DELETE FROM session WHERE parent_id = ? AND client_id IS NOT NULL';
const END_COOKIES_OF_PARENT = `${END_OF_PARENT} AND secret_hash IS NOT NULL`;
const MOVE = 'UPDATE session SET parent_id = ? WHERE parent_id = ? AND user_id = ? AND secret_hash IS NULL';
const REPLACE_LATER = 'UPDATE session SET parent_id = ? WHERE id = ? AND half_security_stamp IS NOT NULL';

/** Without the hash of the cookie, which no list needs. */
const LISTED: FindOptionsSelect<SessionEntity> = Object.fromEntries(
  COLUMNS.split(', ').map((column) => [column, true]),
);

type Row = Omit<SessionEntity, 'secret_hash'>;

/** Table `session`; a session is live while its row exists and has not expired. */
@Injectable()
export class SessionStore {
  constructor(private readonly clock: Clock) {}

  async insert(tx: Tx, session: Session, secretHash: string | null): Promise<void> {
    const { id, subject, kind, halfSecurityStamp, amr, authTime, mfaAt, mfaMethod } = session;
    const { idp, authnContext, endsAt, idpSession, ip, agent } = session;
    const proof = [amrText(amr), authTime ?? null, mfaAt ?? null, mfaMethod ?? null];
    const facts = [id, subject, kind, halfSecurityStamp ?? null, ...proof];
    const ofIdp = [idp ?? null, authnContext ?? null, endsAt ?? null, idpSession ?? null];
    const origin = [...ofIdp, ip ?? null, agent ?? null];
    const instants = [session.createdAt, session.lastUsedAt, session.expiresAt];
    const values = [secretHash, ...facts, ...origin, ...instants];
    const { application } = session;
    if (!application) await tx.change(INSERT, values);
    else await tx.change(INSERT_OF_APPLICATION, [...values, ...valuesOf(application)]);
  }

  async find(tx: Tx, id: string): Promise<Session | undefined> {
    return firstOf(await tx.rows<Row>(LIVE, [id, this.clock.seconds()]));
  }

  /** By the secret of its cookie, of which the table holds the hash; a text of another form is not looked up. */
  async findBySecret(tx: Tx, secret: string): Promise<Session | undefined> {
    if (!isSecretForm(secret)) return undefined;
    return firstOf(await tx.rows<Row>(LIVE_BY_SECRET, [hashSecret(secret), this.clock.seconds()]));
  }

  /** The session of an application by the secret of its cookie, with that of its browser; undefined unless both are live. */
  async findOfApplication(tx: Tx, secret: string): Promise<ApplicationSession | undefined> {
    if (!isSecretForm(secret)) return undefined;
    const [hash, now] = [hashSecret(secret), this.clock.seconds()];
    const sessions = (await tx.rows<Row>(LIVE_OF_APPLICATION, [hash, now, hash, now])).map(sessionOf);
    const session = sessions.find(({ application }) => application);
    const parent = sessions.find(({ application }) => !application);
    return session && parent && { session, parent };
  }

  /** Newest first. */
  async findByUser(tx: Tx, subject: string, page: Slice): Promise<readonly Session[]> {
    const sessions = await tx.repository(SessionEntity);
    const isLive = { expires_at: MoreThan(this.clock.seconds()), half_security_stamp: IsNull() };
    const where = { user_id: subject, ...isLive, id: isOlder(page) };
    return (await sessions.find({ select: LISTED, where, order: { id: 'DESC' }, take: page.limit })).map(sessionOf);
  }

  /** Also locks the row until the transaction ends; false if the session has ended or is not complete. */
  async use(tx: Tx, id: string, now: number, expiresAt: number): Promise<boolean> {
    return (await tx.change(USE, [now, expiresAt, id, now])) === 1;
  }

  /** Locks the row of a live, complete session of that account until the transaction ends; false if there is none. */
  async hold(tx: Tx, id: string, subject: string): Promise<boolean> {
    const now = this.clock.seconds();
    return (await tx.change(HOLD, [now, now, id, subject, now])) === 1;
  }

  async stepUp(tx: Tx, id: string, facts: StepUpFacts, secretHash: string | null): Promise<boolean> {
    const { amr, mfaAt, mfaMethod } = facts;
    return (await tx.change(RAISE, [amrText(amr), mfaAt, mfaMethod, secretHash, id, this.clock.seconds()])) === 1;
  }

  /** Stores another secret; false if the session has ended or is not complete. */
  async renew(tx: Tx, id: string, secretHash: string): Promise<boolean> {
    return (await tx.change(RENEW, [secretHash, id, this.clock.seconds()])) === 1;
  }

  /** Of concurrent requests, one writes. It does not extend sessions with refresh tokens: only a refresh does. */
  async touch(tx: Tx, { id, kind, lastUsedAt }: Session, now: number, expiresAt: number): Promise<void> {
    const hasCookie = isBrowserKind(kind) || kind === 'staff';
    if (!hasCookie) await tx.change(TOUCH, [now, id, lastUsedAt]);
    else await tx.change(TOUCH_PORTAL, [now, expiresAt, id, lastUsedAt]);
  }

  /** With `subject`, ends only a session of that account. */
  async end(tx: Tx, id: string, subject?: string): Promise<boolean> {
    return (await (subject === undefined ? tx.change(END, [id]) : tx.change(END_OWN, [id, subject]))) === 1;
  }

  /** Of concurrent callers, true for the one that ends a live half-authenticated session. */
  async endHalf(tx: Tx, id: string): Promise<boolean> {
    return (await tx.change(END_HALF, [id, this.clock.seconds()])) === 1;
  }

  /** Live sessions, half-authenticated ones included. */
  async findByIdpSession(tx: Tx, idpSession: string): Promise<readonly Session[]> {
    return (await tx.rows<Row>(OF_IDP_SESSION, [idpSession, this.clock.seconds()])).map(sessionOf);
  }

  /** All sessions of an account but one, without those of applications. */
  deleteByUser(tx: Tx, subject: string, exceptId: string): Promise<number> {
    return tx.change(END_OF_USER, [subject, exceptId]);
  }

  /** The sessions of applications of an account but those that belong to one session, whether or not they have expired. */
  async findApplicationsByUser(tx: Tx, subject: string, exceptParent: string): Promise<readonly Session[]> {
    return (await tx.rows<Row>(APPLICATIONS_OF_USER, [subject, exceptParent])).map(sessionOf);
  }

  async deleteApplicationsByUser(tx: Tx, subject: string, exceptParent: string): Promise<void> {
    await tx.change(END_APPLICATIONS_OF_USER, [subject, exceptParent]);
  }

  /** The sessions of applications that end with a session, itself included, whether or not they have expired. */
  async findApplications(tx: Tx, id: string): Promise<readonly Session[]> {
    return (await tx.rows<Row>(APPLICATIONS, [id, id])).map(sessionOf);
  }

  async deleteByParent(tx: Tx, parentId: string): Promise<void> {
    await tx.change(END_OF_PARENT, [parentId]);
  }

  /** Ends the sessions of applications that have cookies of their own. */
  async endCookiesOfParent(tx: Tx, parentId: string): Promise<void> {
    await tx.change(END_COOKIES_OF_PARENT, [parentId]);
  }

  /** Makes the sessions of applications belong to another session of the same account, except for those with cookies. */
  async moveToParent(tx: Tx, formerId: string, { id, subject }: Pick<Session, 'id' | 'subject'>): Promise<void> {
    await tx.change(MOVE, [id, formerId, subject]);
  }

  /** Notes the session that a half-authenticated one replaces when it is complete. */
  async replaceLater(tx: Tx, formerId: string, halfId: string): Promise<void> {
    await tx.change(REPLACE_LATER, [formerId, halfId]);
  }
}

/** In the order of `OF_APPLICATION`. */
function valuesOf({ parentId, clientId, scope }: Application): readonly string[] {
  return [parentId, clientId, scope];
}

function applicationOf({ parent_id: parentId, client_id: clientId, scope }: Row): Application | undefined {
  if (parentId === null || clientId === null) return undefined;
  return { parentId, clientId, scope: scope ?? '' };
}

function firstOf([row]: readonly Row[]): Session | undefined {
  return row && sessionOf(row);
}

function sessionOf(row: Row): Session {
  const application = applicationOf(row);
  const replaces = row.client_id === null ? row.parent_id : null;
  return {
    id: row.id,
    subject: row.user_id,
    kind: row.kind,
    ...(row.half_security_stamp !== null && { halfSecurityStamp: row.half_security_stamp }),
    ...(replaces !== null && { replaces }),
    amr: amrOf(row.amr),
    ...(row.auth_time !== null && { authTime: row.auth_time }),
    ...(row.mfa_at !== null && { mfaAt: row.mfa_at }),
    ...(row.mfa_method !== null && { mfaMethod: row.mfa_method }),
    ...(row.idp !== null && { idp: row.idp }),
    ...(row.authn_context !== null && { authnContext: row.authn_context }),
    ...(row.ends_at !== null && { endsAt: row.ends_at }),
    ...(row.idp_session !== null && { idpSession: row.idp_session }),
    ...(row.ip !== null && { ip: row.ip }),
    ...(row.agent !== null && { agent: row.agent }),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    ...(application && { application }),
  };
}

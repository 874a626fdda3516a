import { processTimeZone } from '../../../config/read/process-inputs.js';
import { zoneOf } from '../../../kernel/encoding/zone.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { utcOffset } from '../jdbc/jdbc-parameters.js';
import type { ServerPool } from './server-pool.js';

/**
 * The time zone that sessions get (specification, "time zone equality"): the one that the URL states, otherwise that of the
 * process. An offset if the zone has only one, since a server may have no table of zones; undefined if the URL leaves it to the
 * server.
 */
export function sessionTimeZone(configured: string | undefined, ofProcess: string): string | undefined {
  if (configured?.toUpperCase() === 'SERVER') return undefined;
  const zone = configured === undefined || configured.toUpperCase() === 'LOCAL' ? ofProcess : configured;
  const offset = utcOffset(zone);
  if (offset === 'Z') return '+00:00';
  if (typeof offset === 'string') return offset;
  // It becomes part of a statement.
  return /^[\w/+-]{1,64}$/.test(zone) ? zone : undefined;
}

/** The time zone in which a server shows and reads the times of a session. */
export interface SessionTimeZone {
  /** Such as `+00:00`, `Europe/Berlin` or `SYSTEM (KST)`. */
  readonly name: string;
  /** Seconds by which it is ahead of UTC in January and in July. */
  readonly offsets: readonly [winter: number, summer: number];
}

interface ZoneRow {
  readonly session: string;
  readonly system_zone: string;
  readonly winter: number;
  readonly summer: number;
}

/** Seconds since 1970. */
const [WINTER, SUMMER] = [Date.UTC(2026, 0) / 1000, Date.UTC(2026, 6) / 1000];
const offsetAt = (instant: number): string =>
  `TIMESTAMPDIFF(SECOND, '1970-01-01', FROM_UNIXTIME(${instant})) - ${instant}`;
const READ = `SELECT @@SESSION.time_zone AS session, @@GLOBAL.system_time_zone AS system_zone,
  ${offsetAt(WINTER)} AS winter, ${offsetAt(SUMMER)} AS summer`;

/** Reads the time zone of a session of the pool. */
export async function readTimeZone(pool: ServerPool): Promise<SessionTimeZone> {
  const lease = await pool.borrow();
  try {
    const [row] = (await lease.connection.query(READ)) as readonly ZoneRow[];
    if (!row) throw new TypeError('a SELECT without tables has one row');
    const { session, system_zone: system, winter, summer } = row;
    return { name: session === 'SYSTEM' ? `SYSTEM (${system})` : session, offsets: [winter, summer] };
  } finally {
    lease.release();
  }
}

/** True if both zones have the same offset from UTC, in winter and in summer. */
export function isZone({ offsets: [winter, summer] }: SessionTimeZone, id: string): boolean {
  const zone = zoneOf(id);
  return winter === zone.offsetSecondsAt(WINTER * 1000) && summer === zone.offsetSecondsAt(SUMMER * 1000);
}

/** Action for an operator whose sessions have another zone than the process. */
export const EQUAL_ZONES =
  'remove connectionTimeZone from app.datasource.url, or load the table of time zones into the database server';

/** Warns if times of the database and of the log would differ. Stored times do not depend on a zone. */
export async function reportTimeZone(pool: ServerPool, logger: Logger): Promise<void> {
  try {
    const zone = await readTimeZone(pool);
    const ofProcess = processTimeZone();
    if (isZone(zone, ofProcess)) return;
    logger.warn(`Database sessions have another time zone than the process: ${EQUAL_ZONES}`, {
      pool: pool.settings.name,
      session: zone.name,
      process: ofProcess,
    });
  } catch (error) {
    logger.warn('The time zone of the database server could not be read', { pool: pool.settings.name, error });
  }
}

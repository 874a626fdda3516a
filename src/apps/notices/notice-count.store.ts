import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { expiringTable } from '../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import type { NoticeKind } from './notice.js';

expiringTable('notice_count', 'slot');
/** Maximum number of notices of one kind for an account in an hour; a summary follows them. */
export const MAX_NOTICES = 10;
const WINDOW_SECONDS = 3600;

/** An hour that began in the future means that the clock was set back. */
const IN_WINDOW = 'began_at > ? AND began_at <= ?';
const COUNT = `UPDATE notice_count SET notices = notices + 1 WHERE slot = ? AND ${IN_WINDOW} AND notices < ?`;
const SUMMARISE = `UPDATE notice_count SET notices = notices + 1 WHERE slot = ? AND ${IN_WINDOW} AND notices = ?`;
const BEGIN = `UPDATE notice_count SET began_at = ?, notices = 1, expires_at = ? WHERE slot = ? AND NOT (${IN_WINDOW})`;
const INSERT = 'INSERT INTO notice_count (slot, user_id, began_at, notices, expires_at) VALUES (?, ?, ?, 1, ?)';

/** The decision about a notice: it is mailed, mailed as the summary of the hour, or not mailed. */
export type NoticeTurn = 'notice' | 'summary' | 'none';

/** Table `notice_count`: notices by account and kind, of all replicas. */
@Injectable()
export class NoticeCountStore {
  constructor(private readonly clock: Clock) {}

  /** Counts a notice. Of all notices of a kind in an hour, the first `MAX_NOTICES` are mailed, and one summary. */
  async take(tx: Tx, subject: string, kind: NoticeKind): Promise<NoticeTurn> {
    const now = this.clock.seconds();
    const slot = `${subject}:${kind}`;
    const window = [now - WINDOW_SECONDS, now];
    if ((await tx.change(COUNT, [slot, ...window, MAX_NOTICES])) === 1) return 'notice';
    if ((await tx.change(SUMMARISE, [slot, ...window, MAX_NOTICES])) === 1) return 'summary';
    const expiresAt = now + WINDOW_SECONDS;
    if ((await tx.change(BEGIN, [now, expiresAt, slot, ...window])) === 1) return 'notice';
    return (await tx.insert(INSERT, [slot, subject, now, expiresAt])) ? 'notice' : 'none';
  }
}

import { Injectable } from '@nestjs/common';
import { expiringTable } from '../persistence/expiring-tables.js';
import type { Tx } from '../persistence/unit-of-work.js';

/** A row of `mail_message`; times in milliseconds, but `expires_at` in seconds. */
export interface MailRow {
  readonly id: string;
  readonly message_id: string;
  readonly created_at: number;
  readonly template: string;
  readonly user_id: string;
  /** A flat JSON object with text values. */
  readonly facts: string;
  readonly state: 'waiting' | 'failed';
  readonly attempts: number;
  readonly next_attempt_at: number;
  /** End of the claim of a replica; a time in the past if no replica sends the mail. */
  readonly claimed_until: number;
  /** Class of the last failure. */
  readonly last_error: string | null;
  readonly expires_at: number;
}

const COLUMNS =
  'id, message_id, created_at, template, user_id, facts, state, attempts, next_attempt_at, claimed_until, last_error, expires_at';
const INSERT = `INSERT INTO mail_message (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

expiringTable('mail_message', 'id');

/** Table `mail_message`: the mails that the relay has not accepted yet. */
@Injectable()
export class MailMessageStore {
  async insert(tx: Tx, row: MailRow): Promise<void> {
    const { id, message_id, created_at, template, user_id, facts } = row;
    const { state, attempts, next_attempt_at, claimed_until, last_error, expires_at } = row;
    const content = [id, message_id, created_at, template, user_id, facts];
    await tx.change(INSERT, [...content, state, attempts, next_attempt_at, claimed_until, last_error, expires_at]);
  }
}

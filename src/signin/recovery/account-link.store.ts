import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { expiringTable } from '../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { FORMER_ADDRESS, type LinkKind } from './account-link.js';

expiringTable('account_link', 'slot');
/** Longer than the time in which no further link is mailed. */
const KEPT_SECONDS = 3600;

const INSERT = `INSERT INTO account_link (slot, user_id, kind, token_hash, state, requested_at, expires_at, email_version, email)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const REPLACE = 'UPDATE account_link SET token_hash = ?, state = ?, expires_at = ?, email_version = ? WHERE slot = ?';
const BY_HASH =
  'SELECT slot, user_id, state, expires_at, email_version, email FROM account_link WHERE token_hash = ? AND kind = ?';
/** The row stays until its expiry, since it also limits how often a link is mailed. */
const USE = 'UPDATE account_link SET token_hash = NULL WHERE slot = ? AND token_hash = ? AND expires_at > ?';
/** A time of request in the future means that the clock was set back. */
const RESERVE = `UPDATE account_link SET token_hash = NULL, requested_at = ?, expires_at = ?, state = ?, email = ?
  WHERE slot = ? AND (requested_at <= ? OR requested_at > ?)`;
/** A link that a mail was reserved for, unless another mail was reserved since. */
const ISSUE = 'UPDATE account_link SET token_hash = ?, expires_at = ? WHERE slot = ? AND state = ?';
const END_ONE = 'DELETE FROM account_link WHERE slot = ?';
const END_OTHERS = 'DELETE FROM account_link WHERE user_id = ? AND kind = ? AND slot <> ?';
const END_ALL = 'DELETE FROM account_link WHERE user_id = ?';

/** A link as it is stored; instants are epoch seconds. */
export interface StoredLink {
  readonly slot: string;
  readonly subject: string;
  readonly state: string;
  /** Version of the address that the mail with the link went to; `FORMER_ADDRESS` for an earlier one. */
  readonly emailVersion: number;
  /** The address that the link confirms. */
  readonly email?: string;
  readonly expiresAt: number;
  readonly isExpired: boolean;
}

export interface NewLink {
  readonly slot: string;
  readonly subject: string;
  readonly kind: LinkKind;
  readonly tokenHash: string;
  readonly state: string;
  readonly emailVersion: number;
  readonly lifetimeSeconds: number;
}

/** A link whose mail was reserved, with what the account was then. */
export type ReservedLink = Pick<NewLink, 'slot' | 'tokenHash' | 'state' | 'lifetimeSeconds'>;

export interface LinkRequest {
  readonly slot: string;
  readonly subject: string;
  readonly kind: LinkKind;
  /** Shortest time since the previous request. */
  readonly intervalSeconds: number;
  /** What the account is now, and the address to confirm, for a link that is bound to its request. */
  readonly state?: string;
  readonly email?: string;
}

interface LinkRow {
  readonly slot: string;
  readonly user_id: string;
  readonly state: string;
  readonly email_version: number;
  readonly email: string | null;
  readonly expires_at: number;
}

/** Table `account_link`: mailed links by the hashes of their tokens. */
@Injectable()
export class AccountLinkStore {
  constructor(private readonly clock: Clock) {}

  /** Stores a link in place of the one in its slot; returns its expiry in epoch seconds. */
  async put(tx: Tx, link: NewLink): Promise<number> {
    const { slot, subject, kind, tokenHash, state, emailVersion, lifetimeSeconds } = link;
    const now = this.clock.seconds();
    const expiresAt = now + lifetimeSeconds;
    const isFirst = await tx.insert(INSERT, [
      ...[slot, subject, kind, tokenHash, state, now, expiresAt, emailVersion],
      null,
    ]);
    if (!isFirst) await tx.change(REPLACE, [tokenHash, state, expiresAt, emailVersion, slot]);
    return expiresAt;
  }

  /** Notes that a link was requested and ends the one before; false if one was requested within the interval. */
  async reserve(tx: Tx, request: LinkRequest): Promise<boolean> {
    const { slot, subject, kind, intervalSeconds, state = '', email = null } = request;
    const now = this.clock.seconds();
    const expiresAt = now + KEPT_SECONDS;
    const isNext = await tx.change(RESERVE, [now, expiresAt, state, email, slot, now - intervalSeconds, now]);
    if (isNext === 1) return true;
    return tx.insert(INSERT, [slot, subject, kind, null, state, now, expiresAt, FORMER_ADDRESS, email]);
  }

  /** Returns the expiry in epoch seconds; undefined if the account has changed since the request, or another one came. */
  async issue(tx: Tx, { slot, tokenHash, state, lifetimeSeconds }: ReservedLink): Promise<number | undefined> {
    const expiresAt = this.clock.seconds() + lifetimeSeconds;
    return (await tx.change(ISSUE, [tokenHash, expiresAt, slot, state])) === 1 ? expiresAt : undefined;
  }

  async find(tx: Tx, kind: LinkKind, tokenHash: string): Promise<StoredLink | undefined> {
    const [row] = await tx.rows<LinkRow>(BY_HASH, [tokenHash, kind]);
    if (!row) return undefined;
    const { slot, user_id: subject, state, email_version: emailVersion, email, expires_at: expiresAt } = row;
    const isExpired = expiresAt <= this.clock.seconds();
    return { slot, subject, state, emailVersion, ...(email !== null && { email }), expiresAt, isExpired };
  }

  /** True for the one transaction that uses the link, before it expires. */
  async use(tx: Tx, slot: string, tokenHash: string): Promise<boolean> {
    return (await tx.change(USE, [slot, tokenHash, this.clock.seconds()])) === 1;
  }

  /** Ends the link in a slot. */
  async end(tx: Tx, slot: string): Promise<void> {
    await tx.change(END_ONE, [slot]);
  }

  /** Ends all links of a kind except the one in a slot. */
  async endOthers(tx: Tx, subject: string, kind: LinkKind, slot: string): Promise<void> {
    await tx.change(END_OTHERS, [subject, kind, slot]);
  }

  async endAll(tx: Tx, subject: string): Promise<void> {
    await tx.change(END_ALL, [subject]);
  }
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import type { Tx } from '../persistence/unit-of-work.js';
import { Random } from '../random/random.js';
import { NONCE_BYTES } from '../sealing/aes-gcm.js';
import {
  isUnused,
  openSuccessor,
  type RefreshRecord,
  type RefusalReason,
  sealSuccessor,
  classifyReuse,
} from './refresh.js';
import { RefreshTokenStore } from './refresh-token.store.js';
import { RefreshProperties } from './session.properties.js';
import { RefreshGrace } from './refresh-grace.task.js';
import { hashSecret, isSecretForm, type RefreshToken, SECRET_BYTES, type Session } from './session.js';

/** Refresh tokens of a session: the current one and its predecessors. */
@Injectable()
export class RefreshTokens {
  constructor(
    private readonly store: RefreshTokenStore,
    private readonly sealedSuccessors: RefreshGrace,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly properties: RefreshProperties,
  ) {}

  /** Issues the first token of a family. */
  issueFirst(tx: Tx, session: Session, expiresAt: number): Promise<RefreshToken> {
    return this.issue(tx, session, 1, { value: this.random.text(SECRET_BYTES), expiresAt });
  }

  /** Issues a token that supersedes the current one; a use of the superseded token is no sign of theft. */
  async replace(tx: Tx, session: Session, expiresAt: number): Promise<RefreshToken> {
    await this.store.supersede(tx, session.id, this.clock.seconds());
    const generation = (await this.store.lastGeneration(tx, session.id)) + 1;
    return this.issue(tx, session, generation, { value: this.random.text(SECRET_BYTES), expiresAt });
  }

  async find(tx: Tx, value: string): Promise<RefreshRecord | undefined> {
    return isSecretForm(value) ? this.store.find(tx, hashSecret(value)) : undefined;
  }

  /** Uses a token up: returns the successor's value to one caller, undefined to every concurrent one. */
  async rotate(tx: Tx, value: string, { hash }: RefreshRecord): Promise<string | undefined> {
    const successor = this.random.text(SECRET_BYTES);
    const hasGrace = this.properties.grace.milliseconds > 0;
    const sealed = hasGrace ? sealSuccessor(value, successor, this.random.bytes(NONCE_BYTES)) : null;
    const isFirst = await this.store.rotate(tx, hash, this.clock.seconds(), hashSecret(successor), sealed);
    if (isFirst && hasGrace) this.sealedSuccessors.schedule(hash);
    return isFirst ? successor : undefined;
  }

  issueSuccessor(
    tx: Tx,
    session: Session,
    { generation }: RefreshRecord,
    successor: RefreshToken,
  ): Promise<RefreshToken> {
    return this.issue(tx, session, generation + 1, successor);
  }

  /** Returns the same successor again for a token that was used within the grace, or the reason of the rejection. */
  async replay(tx: Tx, value: string, record: RefreshRecord): Promise<RefreshToken | RefusalReason> {
    const now = this.clock.seconds();
    const standing = classifyReuse(record, now, this.properties.grace.seconds);
    if (standing !== 'repeated') return standing;
    const { replacedBy, sealedSuccessor } = record;
    const successor = replacedBy === undefined ? undefined : await this.store.find(tx, replacedBy);
    if (successor?.supersededAt !== undefined) return 'superseded';
    if (!successor || !isUnused(successor, now) || sealedSuccessor === undefined) return 'reused';
    const opened = openSuccessor(value, sealedSuccessor);
    return opened === undefined ? 'reused' : { value: opened, expiresAt: successor.expiresAt };
  }

  deleteBySession(tx: Tx, sid: string): Promise<void> {
    return this.store.deleteBySession(tx, sid);
  }

  deleteByUser(tx: Tx, subject: string, exceptSid: string): Promise<void> {
    return this.store.deleteByUser(tx, subject, exceptSid);
  }

  private async issue(tx: Tx, session: Session, generation: number, issued: RefreshToken): Promise<RefreshToken> {
    const { value, expiresAt } = issued;
    const token = { hash: hashSecret(value), sid: session.id, subject: session.subject, generation, expiresAt };
    await this.store.insert(tx, session, token, this.clock.seconds());
    return issued;
  }
}

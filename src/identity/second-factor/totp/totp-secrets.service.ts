import { Injectable } from '@nestjs/common';
import { base32 } from '../../../kernel/encoding/base32.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { Random } from '../../../kernel/random/random.js';
import { Sealer, SealFailure } from '../../../platform/sealing/sealer.js';
import type { EnrolmentChange, SealedSecret } from '../attempts/attempt.js';
import { OtpauthIssuer } from './otpauth-issuer.service.js';
import { otpauthUri } from './otpauth-uri.js';
import { type KeptSecrets, type PictureForm, TotpSecretStore } from './totp-secret.store.js';

/** 160 bits (specification, "TOTP secret"). */
const KEY_BYTES = 20;
const PAGE = 200;

/** A new secret, which is shown once. */
export interface GeneratedSecret {
  readonly key: Uint8Array;
  readonly sealed: string;
}

/** The owner of a pending secret, and the time in which it can be confirmed. */
export interface PendingFacts {
  readonly subject: string;
  readonly requestedBy: string;
  readonly change: EnrolmentChange;
  readonly name: string | undefined;
  /** Epoch seconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** TOTP secrets, sealed with the user's id so that a row that was moved to another user cannot be opened. */
@Injectable()
export class TotpSecrets {
  constructor(
    private readonly work: UnitOfWork,
    private readonly store: TotpSecretStore,
    private readonly sealer: Sealer,
    private readonly random: Random,
    private readonly issuer: OtpauthIssuer,
  ) {}

  generate(subject: string): GeneratedSecret {
    const key = this.random.bytes(KEY_BYTES);
    return { key, sealed: this.sealer.seal(key, contextOf(subject)) };
  }

  /** The form in which the key of a user is stored. */
  seal(subject: string, key: Uint8Array): { readonly sealed: string; readonly sealKey: string } {
    return { sealed: this.sealer.seal(key, contextOf(subject)), sealKey: this.sealer.activeKeyId };
  }

  /** The text and the URI for an authenticator app. */
  shown(key: Uint8Array, loginId: string): { readonly secret: string; readonly uri: string } {
    const secret = base32(key);
    return { secret, uri: otpauthUri(this.issuer.name, loginId, secret) };
  }

  async insertPending(tx: Tx, id: string, { sealed }: GeneratedSecret, facts: PendingFacts): Promise<void> {
    await this.store.insert(tx, { id, sealed, sealKey: this.sealer.keyIdOf(sealed), ...facts });
  }

  /** @throws SealFailure if the sealing key is no longer configured */
  open(subject: string, sealed: string): Uint8Array {
    return this.sealer.open(sealed, contextOf(subject));
  }

  /** False if the sealing key is not configured, or is another key of that id. */
  canOpen(subject: string, sealed: string): boolean {
    try {
      this.open(subject, sealed);
      return true;
    } catch (error) {
      if (error instanceof SealFailure) return false;
      throw error;
    }
  }

  /** Returns the key of the caller's pending secret, once for each format of the QR code. */
  async takePicture(
    form: PictureForm,
    subject: string,
    requestedBy: string,
    now: number,
  ): Promise<Uint8Array | undefined> {
    const sealed = await this.work.run((tx) => this.store.takePicture(tx, form, subject, requestedBy, now));
    return sealed === undefined ? undefined : this.open(subject, sealed);
  }

  /** Deletes every other pending secret of the account, and unless they are kept, the active ones. */
  discard(tx: Tx, subject: string, kept: KeptSecrets): Promise<void> {
    return this.store.discard(tx, subject, kept);
  }

  /** False if the secret is gone. */
  recordUse(tx: Tx, id: string, now: number): Promise<boolean> {
    return this.store.recordUse(tx, id, now);
  }

  /** Re-seals a secret under the active key if it is sealed under another one; true if it was re-sealed. */
  async renewSeal(tx: Tx, subject: string, { id, sealed }: SealedSecret): Promise<boolean> {
    if (this.sealer.keyIdOf(sealed) === this.sealer.activeKeyId) return false;
    const renewed = this.sealer.seal(this.open(subject, sealed), contextOf(subject));
    return this.store.reseal(tx, id, sealed, renewed, this.sealer.activeKeyId);
  }

  /** Number of secrets that are sealed under each key; a key with zero can be removed. */
  countByKey(): Promise<ReadonlyMap<string, number>> {
    return this.work.single((tx) => this.store.countByKey(tx));
  }

  /** Seals all secrets under the active key; returns the number of re-sealed secrets. */
  async resealAll(): Promise<number> {
    let number = 0;
    for (let after = ''; ;) {
      const page = await this.work.single((tx) => this.store.underOtherKeys(tx, this.sealer.activeKeyId, after, PAGE));
      const last = page.at(-1);
      if (!last) return number;
      number += await this.work.run(async (tx) => {
        let renewed = 0;
        for (const row of page) if (await this.renewSeal(tx, row.user_id, row)) renewed += 1;
        return renewed;
      });
      after = last.id;
    }
  }
}

function contextOf(subject: string): string {
  return `totp:${subject}`;
}

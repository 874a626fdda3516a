import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { Clock } from '../../../kernel/clock/clock.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { Random } from '../../../kernel/random/random.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { type DerivedKeys, Sealer } from '../../../platform/sealing/sealer.js';
import { TOLERATED_SKEW_SECONDS } from '../attempts/attempt.js';
import { CHALLENGE_SECONDS } from './passkey.js';
import { PasskeyChallengeStore } from './passkey-challenge.store.js';
import { RelyingParty } from './relying-party.service.js';
import { webauthn } from './webauthn.js';

const NONCE_BYTES = 16;
const INSTANT_BYTES = 6;
const HEAD_BYTES = NONCE_BYTES + INSTANT_BYTES;
const MAC_BYTES = 32;

/**
 * Challenges for a sign-in by passkey alone. Anybody may ask for one, so none is stored: a challenge is a nonce and its expiry
 * under a MAC, and only its use leaves a row.
 */
@Injectable()
export class SignInChallenges {
  /** The first key signs; keys derived from earlier seal keys still verify. */
  private readonly keys: DerivedKeys;

  constructor(
    sealer: Sealer,
    private readonly store: PasskeyChallengeStore,
    private readonly random: Random,
    private readonly clock: Clock,
    private readonly relyingParty: RelyingParty,
  ) {
    this.keys = sealer.derivedKeys('passkey-sign-in');
  }

  /** @throws ServiceError `NOT_FOUND` unless passkeys sign in without a password */
  requireEnabled(): void {
    if (!this.relyingParty.signsIn) throw new ServiceError('NOT_FOUND', { reason: 'passkeys do not sign in' });
  }

  /** Options with a new challenge and without a list of passkeys: the authenticator offers those that it stores. */
  async options(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    this.requireEnabled();
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({
      rpID: this.relyingParty.id,
      challenge: this.issue(),
      timeout: CHALLENGE_SECONDS * 1000,
      userVerification: this.relyingParty.userVerification,
    });
  }

  /** Takes a challenge, Base64url; false unless it is one of this service, not expired and not taken. */
  async take(tx: Tx, challenge: string): Promise<boolean> {
    const expiresAt = this.expiryOf(challenge);
    return expiresAt !== undefined && (await this.store.takeOnce(tx, challenge, expiresAt));
  }

  private issue(): Uint8Array<ArrayBuffer> {
    const head = Buffer.alloc(HEAD_BYTES);
    head.set(this.random.bytes(NONCE_BYTES));
    head.writeUIntBE(this.clock.seconds() + CHALLENGE_SECONDS, NONCE_BYTES, INSTANT_BYTES);
    return new Uint8Array(Buffer.concat([head, macOf(this.keys[0], head)]));
  }

  /** Undefined for a challenge that is not acceptable now. */
  private expiryOf(challenge: string): number | undefined {
    const bytes = Buffer.from(challenge, 'base64url');
    // Another text of the same bytes would be another row.
    if (bytes.length !== HEAD_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge) return undefined;
    const head = bytes.subarray(0, HEAD_BYTES);
    const isOurs = this.keys.some((key) => timingSafeEqual(macOf(key, head), bytes.subarray(HEAD_BYTES)));
    const expiresAt = bytes.readUIntBE(NONCE_BYTES, INSTANT_BYTES);
    const now = this.clock.seconds();
    // One from further in the future means that a clock was set back, after which it would live too long.
    const isLive = now < expiresAt && expiresAt <= now + CHALLENGE_SECONDS + TOLERATED_SKEW_SECONDS;
    return isOurs && isLive ? expiresAt : undefined;
  }
}

function macOf(key: KeyObject, head: Buffer): Buffer {
  return createHmac('sha256', key).update(head).digest();
}

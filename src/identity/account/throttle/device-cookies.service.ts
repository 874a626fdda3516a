import { Injectable } from '@nestjs/common';
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Clock } from '../../../kernel/clock/clock.js';
import { Random } from '../../../kernel/random/random.js';
import { type DerivedKeys, Sealer } from '../../../platform/sealing/sealer.js';
import { RateLimitProperties } from '../account.properties.js';

/** A browser that completed a login of `subject` before. */
export interface KnownDevice {
  readonly subject: string;
  /** Key of its own failures. */
  readonly id: string;
}

/** Subject, issue time in epoch seconds, id, and a signature of 32 bytes (43 characters) over the three. */
const FORM = /^(([0-9a-f-]{36})\.(\d{1,12})\.([A-Za-z0-9_-]{22}))\.([A-Za-z0-9_-]{43})$/;
const ID_BYTES = 16;

/**
 * Device cookies (OWASP, "Slow Down Online Guessing Attacks with Device Cookies") are signed and not stored. They grant no
 * access; they only count the attempts of a browser separately from those of others.
 */
@Injectable()
export class DeviceCookies {
  /** The first key signs; those of earlier seal keys still verify. */
  private readonly keys: DerivedKeys;

  constructor(
    sealer: Sealer,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly properties: RateLimitProperties,
  ) {
    this.keys = sealer.derivedKeys('device-cookie');
  }

  /** Seconds. */
  get maxAge(): number {
    return Math.floor(this.properties.deviceLifetime.seconds);
  }

  issue(subject: string): string {
    const content = `${subject}.${this.clock.seconds()}.${this.random.text(ID_BYTES)}`;
    return `${content}.${signature(this.keys[0], content).toString('base64url')}`;
  }

  /** Undefined for a foreign or expired value. */
  verify(cookie: string): KnownDevice | undefined {
    const [, content, subject, issuedAt, id, signed] = FORM.exec(cookie) ?? [];
    if (content === undefined || subject === undefined || id === undefined || signed === undefined) return undefined;
    const received = Buffer.from(signed, 'base64url');
    if (!this.keys.some((key) => timingSafeEqual(signature(key, content), received))) return undefined;
    return this.clock.seconds() - Number(issuedAt) < this.maxAge ? { subject, id } : undefined;
  }
}

function signature(key: KeyObject, content: string): Buffer {
  return createHmac('sha256', key).update(content).digest();
}

import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Logger } from '../../../../observability/logging/logger.js';
import type { Loggers } from '../../../../observability/logging/loggers.js';
import type { Counter } from '../../../../observability/metrics/meter.js';
import type { Meters } from '../../../../observability/metrics/meters.js';
import { type BreachSource, BreachSourceFailure } from './breach-source.js';

/** Where a new password comes from: a person chose it, a file of an import contains it, or this service drew it. */
export type PasswordOrigin = 'chosen' | 'imported' | 'generated';

/** `failed` and `skipped` accept the password, like `absent`. */
const RESULTS = ['absent', 'breached', 'failed', 'skipped'] as const;
type Result = (typeof RESULTS)[number];

/** Recognizes new passwords that are known from breaches (NIST SP 800-63B-4, section 3.1.1.2; decision 0074). */
@Injectable()
export class BreachedPasswords {
  private readonly log: Logger;
  private readonly checks = new Map<Result, Counter>();
  /** Passwords accepted without a check since the source failed; 0 while it responds. */
  private unchecked = 0;
  private isProbing = false;

  /** Without a source, no password is checked. `minCount` is the number of occurrences from which one is rejected. */
  constructor(
    private readonly source: BreachSource | undefined,
    private readonly minCount: number,
    meters: Meters,
    loggers: Loggers,
  ) {
    this.log = loggers.get('account');
    if (!source) return;
    const description = 'Look-ups of new passwords among breached ones, by result';
    const family = meters.counter('password.breached.checks', { description });
    for (const result of RESULTS) this.checks.set(result, family.of({ result }));
  }

  /**
   * True if a new password is breached. Never throws: a password is accepted if the source does not respond. While it is
   * away, one look-up at a time waits for it, so that a service that hangs holds up no more than one request.
   */
  async has(password: string, origin: PasswordOrigin): Promise<boolean> {
    if (!this.source || origin === 'generated' || (origin === 'imported' && !this.source.isLocal)) return false;
    const isProbe = this.unchecked > 0;
    if (isProbe && this.isProbing) {
      this.unchecked += 1;
      return this.is('skipped');
    }
    if (isProbe) this.isProbing = true;
    try {
      const count = await this.source.occurrences(sha1Of(password));
      this.recordResponse();
      return this.is(count >= this.minCount ? 'breached' : 'absent');
    } catch (error) {
      this.recordFailure(error);
      return this.is('failed');
    } finally {
      if (isProbe) this.isProbing = false;
    }
  }

  private is(result: Result): boolean {
    this.checks.get(result)?.increment();
    return result === 'breached';
  }

  private recordResponse(): void {
    if (this.unchecked > 0)
      this.log.info('New passwords are checked for breaches again', { unchecked: this.unchecked });
    this.unchecked = 0;
  }

  private recordFailure(error: unknown): void {
    const failure = error instanceof BreachSourceFailure ? error.reason : 'unknown';
    if (this.unchecked === 0) {
      this.log.warn('New passwords are accepted without a check for breaches: the source does not respond', {
        failure,
      });
    }
    this.unchecked += 1;
  }
}

/** The hash by which lists of breached passwords name them; nothing is protected by it. */
function sha1Of(password: string): string {
  return createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase();
}

import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { withoutUndefined } from '../../collections/without-undefined.js';
import { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import { isDatabaseOutage } from '../../persistence/unit-of-work.js';
import { networkOf, requestContext } from '../../principal/request-context.js';
import { DeviceCookies, type KnownDevice } from './device-cookies.service.js';
import { RateLimitProperties } from '../account.properties.js';
import { type Bucket, Budget, Count, GrowingDelay, type Limit, Throttle, Throttled } from './throttle.js';

/** Limits by the first word of their keys, which is also the reason of the error. */
const LIMITS = ['login_id', 'device', 'subject', 'client', 'operator', 'address', 'everywhere'] as const;
/** So many times the free failures for one login id, whatever their addresses, are an attack: one is free then. */
const ATTACK = 10;
/** Failures of a login id from one address that count in the lane of those that begin there. */
const FAIR_SHARE = 3;
/** Records at most; one takes about 250 bytes. */
const CAPACITY = 50_000;

/**
 * Whose tries belong together: those for a login id (known or not) from one network, those of a browser that signed in before,
 * those of a signed-in account, and those with the name of a client or an operator from one network. A name is given in
 * the form by which it is looked up, whether or not it is found: other spellings must not have a count of their own.
 */
export type Guessed =
  | { readonly loginId: string }
  | { readonly device: KnownDevice }
  | { readonly subject: string }
  | { readonly client: string }
  | { readonly operator: string };

/** Slows down guessing at every place that takes a password (authentication.md, section 2.2). */
@Injectable()
export class PasswordThrottle {
  private readonly throttle: Throttle;
  private readonly perName: Limit;
  private readonly perNameUnderAttack: Limit;
  private readonly perNameEverywhere: Limit;
  private readonly perAddress: Limit;

  constructor(
    clock: Clock,
    private readonly properties: RateLimitProperties,
    private readonly devices: DeviceCookies,
  ) {
    const { loginIdFailures, firstDelay, maxDelay, forgottenAfter, addressFailures, addressWindow } = properties;
    this.throttle = new Throttle(clock, CAPACITY);
    const delayed = (free: number): Limit =>
      new GrowingDelay(free, firstDelay.milliseconds, maxDelay.milliseconds, forgottenAfter.milliseconds);
    this.perName = delayed(loginIdFailures);
    this.perNameUnderAttack = delayed(1);
    this.perNameEverywhere = new Count(forgottenAfter.milliseconds);
    this.perAddress = new Budget(addressFailures, addressWindow.milliseconds);
  }

  /** The browser that a device cookie stands for; undefined where the value is not one of ours, or too old. */
  deviceOf(cookie: string): KnownDevice | undefined {
    return this.devices.verify(cookie);
  }

  /**
   * Runs one comparison of a password.
   * @throws ServiceError `RATE_LIMITED` before it, after too many that were not right
   */
  async guard<T>(guessed: Guessed, compare: () => Promise<T>, isRight: (verdict: T) => boolean): Promise<T> {
    if (!this.properties.enabled) return compare();
    const verdict = await this.throttle.attempt(this.buckets(guessed), compare, isRight, isDatabaseOutage);
    if (!(verdict instanceof Throttled)) return verdict;
    const reason = LIMITS.find((limit) => verdict.key.startsWith(`${limit}:`));
    throw new ServiceError('RATE_LIMITED', withoutUndefined({ retryAfterSeconds: verdict.retryAfterSeconds, reason }));
  }

  private buckets(guessed: Guessed): readonly Bucket[] {
    // Strangers at the same address or with the same login id must not stand in their way.
    if ('device' in guessed) return [{ key: `device:${guessed.device.id}`, limit: this.perName }];
    if ('subject' in guessed) return [{ key: `subject:${guessed.subject}`, limit: this.perName }];
    const name = nameOf(guessed);
    const network = networkOf(requestContext()?.ip ?? '');
    const everywhere = { key: `everywhere:${name}`, limit: this.perNameEverywhere };
    const isUnderAttack = this.throttle.remembered(everywhere) >= ATTACK * this.properties.loginIdFailures;
    // By address, too: whoever guesses from elsewhere must not take the turns of the one who knows the password.
    const here = { key: `${name}:${network}`, limit: isUnderAttack ? this.perNameUnderAttack : this.perName };
    // Two lanes for each address: names that are hammered use up the other one, so a colleague behind it still gets in.
    const lane = this.throttle.possible(here) < FAIR_SHARE ? 'first' : 'further';
    return [here, { key: `address:${network}:${lane}`, limit: this.perAddress }, everywhere];
  }
}

function nameOf(guessed: Exclude<Guessed, { readonly device: KnownDevice } | { readonly subject: string }>): string {
  if ('client' in guessed) return `client:${short(guessed.client)}`;
  return 'operator' in guessed ? `operator:${short(guessed.operator)}` : `login_id:${short(guessed.loginId)}`;
}

/** Of equal size whatever a caller sends, so that the number of records bounds their memory. */
function short(name: string): string {
  return hash('sha256', name, 'base64url');
}

import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { isDatabaseOutage, type Tx } from '../../../platform/persistence/unit-of-work.js';
import { networkOf, requestContext } from '../../../kernel/principal/request-context.js';
import { DeviceCookies, type KnownDevice } from './device-cookies.service.js';
import { RateLimitProperties } from '../account.properties.js';
import { GuessFailures } from './shared-failures.js';
import { type Bucket, Budget, Count, GrowingDelay, type Limit, Throttle, Throttled } from './throttle.js';

/** Limits by the first word of their keys, which is also the reason of the error. */
const LIMITS = ['login_id', 'device', 'subject', 'client', 'operator', 'address', 'everywhere'] as const;
/** Above this many times the free failures over all addresses, each address gets one free failure for a login id. */
const ATTACK = 10;
/** Failures of a login id from one address that count in the first lane of the address. */
const FAIR_SHARE = 3;
/** Maximum number of records of 41 bytes. An attempt from a new address for a new login id leaves three of them. */
const CAPACITY = 200_000;

/**
 * The subject of an attempt: a login id (known or not) from one network, a browser that signed in before, a signed-in
 * account, the name of a client or an operator from one network, or a network alone, where a guess is about no account. A name has the form by which it is looked up, whether
 * or not it is found: other spellings must not have a count of their own.
 */
export type Guessed =
  | { readonly loginId: string }
  | { readonly device: KnownDevice }
  | { readonly subject: string }
  | { readonly client: string }
  | { readonly operator: string }
  | { readonly network: 'passkey' };

/** Slows down guessing wherever a password is accepted (authentication.md, section 2.2). */
@Injectable()
export class GuessThrottle {
  private readonly throttle: Throttle;
  private readonly perName: Limit;
  private readonly perNameUnderAttack: Limit;
  private readonly perNameEverywhere: Limit;
  private readonly perAddress: Limit;

  constructor(
    clock: Clock,
    private readonly properties: RateLimitProperties,
    private readonly devices: DeviceCookies,
    private readonly failures: GuessFailures,
  ) {
    const { loginIdFailures, firstDelay, maxDelay, forgottenAfter, addressFailures, addressWindow } = properties;
    this.throttle = new Throttle(clock, CAPACITY, failures.shared);
    const delayed = (free: number): Limit =>
      new GrowingDelay(free, firstDelay.milliseconds, maxDelay.milliseconds, forgottenAfter.milliseconds);
    this.perName = delayed(loginIdFailures);
    this.perNameUnderAttack = delayed(1);
    this.perNameEverywhere = new Count(forgottenAfter.milliseconds);
    this.perAddress = new Budget(addressFailures, addressWindow.milliseconds);
  }

  /** The browser of a device cookie; undefined for a foreign or expired value. */
  deviceOf(cookie: string): KnownDevice | undefined {
    return this.devices.verify(cookie);
  }

  /** True if every attempt begins by reading the failures that replicas share. */
  get isShared(): boolean {
    return this.properties.enabled && this.failures.shared !== undefined;
  }

  /** True if `load` can send its read together with the statements of a unit of work. */
  get isInDatabase(): boolean {
    return this.isShared && this.failures.shared?.isInDatabase === true;
  }

  /** Takes over the failures that replicas share of all that an attempt may count for, before `attempt`. */
  async load(all: readonly Guessed[], tx?: Tx): Promise<void> {
    if (!this.isShared) return;
    const keys = all.map(keysOf).flatMap(({ own, others = {} }) => [own, ...Object.values(others)]);
    await this.throttle.load(keys, tx);
  }

  /**
   * Runs one comparison of a password.
   * @throws ServiceError `RATE_LIMITED` without a comparison, after too many failures
   */
  async guard<T>(guessed: Guessed, compare: () => Promise<T>, isRight: (verdict: T) => boolean): Promise<T> {
    await this.load([guessed]);
    return this.attempt(guessed, compare, isRight);
  }

  /** As `guard`, after `load`; `compare` learns whether it had to wait for the verdict of another attempt. */
  async attempt<T>(
    guessed: Guessed,
    compare: (hasWaited: boolean) => Promise<T>,
    isRight: (verdict: T) => boolean,
  ): Promise<T> {
    if (!this.properties.enabled) return compare(false);
    const keys = keysOf(guessed);
    const verdict = await this.throttle.attempt(this.buckets(keys), compare, isRight, isDatabaseOutage);
    if (!(verdict instanceof Throttled)) return verdict;
    const reason = LIMITS.find((limit) => verdict.key.startsWith(`${limit}:`));
    throw new ServiceError('RATE_LIMITED', withoutUndefined({ retryAfterSeconds: verdict.retryAfterSeconds, reason }));
  }

  private buckets({ own, others, isOfNetwork = false }: Keys): readonly Bucket[] {
    if (isOfNetwork) return [{ key: own, limit: this.perAddress }];
    if (!others) return [{ key: own, limit: this.perName }];
    const everywhere = { key: others.everywhere, limit: this.perNameEverywhere };
    const isUnderAttack = this.throttle.remembered(everywhere) >= ATTACK * this.properties.loginIdFailures;
    const here = { key: own, limit: isUnderAttack ? this.perNameUnderAttack : this.perName };
    // Each address has two lanes: login ids with many failures use up the other one, so a colleague can still sign in.
    const lane = this.throttle.possible(here) < FAIR_SHARE ? others.firstLane : others.furtherLane;
    return [here, { key: lane, limit: this.perAddress }, everywhere];
  }
}

/** The keys of the failures that an attempt depends on. */
interface Keys {
  readonly own: string;
  /** None where attempts of others, at the same address or for the same login id, must not delay it. */
  readonly others?: Readonly<Record<'everywhere' | 'firstLane' | 'furtherLane', string>>;
  /** True for the failures of a network that are about no account. */
  readonly isOfNetwork?: boolean;
}

function keysOf(guessed: Guessed): Keys {
  if ('device' in guessed) return { own: `device:${guessed.device.id}` };
  if ('subject' in guessed) return { own: `subject:${guessed.subject}` };
  const network = networkOf(requestContext()?.ip ?? '');
  // A lane of its own: passwords of the same network are neither delayed nor helped.
  if ('network' in guessed) return { own: `address:${network}:${guessed.network}`, isOfNetwork: true };
  const name = nameOf(guessed);
  return {
    // By address, too: guesses from elsewhere must not delay the owner of the password.
    own: `${name}:${network}`,
    others: {
      everywhere: `everywhere:${name}`,
      firstLane: `address:${network}:first`,
      furtherLane: `address:${network}:further`,
    },
  };
}

function nameOf(guessed: Extract<Guessed, Partial<Record<'loginId' | 'client' | 'operator', string>>>): string {
  if ('client' in guessed) return `client:${short(guessed.client)}`;
  return 'operator' in guessed ? `operator:${short(guessed.operator)}` : `login_id:${short(guessed.loginId)}`;
}

/** A key of constant length, so that the number of entries bounds their memory. */
function short(name: string): string {
  return hash('sha256', name, 'base64url');
}

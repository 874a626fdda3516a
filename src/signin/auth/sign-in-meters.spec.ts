import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readings, rises } from '../../../test/support/management/meter-readings.js';
import type { Reason } from '../../kernel/errors/reason.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { Meters } from '../../observability/metrics/meters.js';
import { LoginMeters, RefreshMeters, type RefreshRejection } from './sign-in-meters.js';

const METRICS = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8');

/** The outcomes of a meter in the table of docs/reference/metrics.md. */
function explained(meter: string): readonly string[] {
  const rows = METRICS.matchAll(/^\| `([\w.]+)` +\| ((?:`\w+` ?)+) *\|/gm);
  return [...rows].filter(([, name]) => name === meter).flatMap(([, , words = '']) => words.match(/\w+/g) ?? []);
}

describe('login.attempts', () => {
  const refused = (reason: Reason): ServiceError => new ServiceError('INVALID_CREDENTIALS', { reason });

  it.each([
    ['wrong_password', refused('wrong_password')],
    ['unknown', refused('unknown')],
    ['disabled', refused('disabled')],
    ['no_password', refused('no_password')],
    ['changed', refused('account changed')],
    ['throttled', new ServiceError('RATE_LIMITED', { reason: 'login_id' })],
    ['malformed', new ServiceError('VALIDATION_FAILED')],
    ['unavailable', new ServiceError('UNAVAILABLE', { reason: 'password hashing full' })],
    ['defect', new ServiceError('NOT_FOUND')],
    ['defect', new RangeError('a defect')],
  ])('counts the outcome %s for the error %s and rethrows the error', async (outcome, error) => {
    const meters = new Meters();

    await expect(new LoginMeters(meters).countFailures(() => Promise.reject(error))).rejects.toBe(error);

    expect(rises({}, readings(meters, 'login.attempts'))).toEqual({ [outcome]: 1 });
  });

  it('does not count a step that succeeds', async () => {
    const meters = new Meters();

    expect(await new LoginMeters(meters).countFailures(() => Promise.resolve('done'))).toBe('done');
    expect(rises({}, readings(meters, 'login.attempts'))).toEqual({});
  });

  it('creates all series at startup, with exactly the outcomes of docs/reference/metrics.md', () => {
    const meters = new Meters();
    new LoginMeters(meters);

    expect(explained('login.attempts').toSorted()).toEqual(Object.keys(readings(meters, 'login.attempts')).toSorted());
  });
});

describe('login.token.refresh', () => {
  const refused = (reason: RefreshRejection): ServiceError => new ServiceError('REFRESH_INVALID', { reason });

  it.each([
    ['no_cookie', refused('no cookie')],
    ['unknown', refused('unknown')],
    ['expired', refused('expired')],
    ['superseded', refused('superseded')],
    ['reuse', refused('reused')],
    ['session_ended', refused('session ended')],
    ['account', refused('account not active')],
    ['unavailable', new ServiceError('UNAVAILABLE')],
    ['defect', new RangeError('a defect')],
  ])('counts the outcome %s for the error %s and rethrows the error', async (outcome, error) => {
    const meters = new Meters();

    await expect(new RefreshMeters(meters).record(() => Promise.reject(error))).rejects.toBe(error);

    expect(rises({}, readings(meters, 'login.token.refresh'))).toEqual({ [outcome]: 1 });
  });

  it.each(['rotated', 'repeated'] as const)('counts the outcome %s of an exchange that succeeds', async (kind) => {
    const meters = new Meters();

    await new RefreshMeters(meters).record(() => Promise.resolve({ kind }));

    expect(rises({}, readings(meters, 'login.token.refresh'))).toEqual({ [kind]: 1 });
  });

  it('creates all series at startup, with exactly the outcomes of docs/reference/metrics.md', () => {
    const meters = new Meters();
    new RefreshMeters(meters);

    const words = Object.keys(readings(meters, 'login.token.refresh'));
    expect(explained('login.token.refresh').toSorted()).toEqual(words.toSorted());
  });
});

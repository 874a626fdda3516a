import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { LockedAccounts } from '../../../src/identity/second-factor/attempts/locked-accounts.task.js';
import { ScheduledTasks } from '../../../src/platform/tasks/scheduled-tasks.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { reading, readings, rises } from '../../support/management/meter-readings.js';
import {
  ending,
  endings,
  enrolledUser,
  markUsed,
  secondFactorParts,
  type SecondFactorParts,
  type TestUser,
  typedCode,
} from '../../support/login/second-factor-parts.js';

const nothing = (): Promise<void> => Promise.resolve();
const times = <T>(number: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: number }, (_, index) => make(index));

onEveryDatabase('meters of second factors', (database) => {
  const clock = new ManualClock();

  interface Counted extends Omit<SecondFactorParts, 'backupCodes'>, TestUser {
    readonly meters: Meters;
  }

  /** An enrolled user, with meters that do not include the enrolment. */
  async function counted(): Promise<Counted> {
    const user = await enrolledUser(database.work, secondFactorParts(database.work, clock), clock);
    const meters = new Meters();
    return { ...secondFactorParts(database.work, clock, { meters }), ...user, meters };
  }

  it('login.mfa.attempts counts each attempt once, with outcome, method and reason', async () => {
    const user = await counted();
    const { subject, app, meters } = user;
    const [backupCode = ''] = user.backupCodes;
    const prove = (code: string): Promise<string> =>
      ending(user.secondFactors.prove({ subject }, typedCode(code), nothing));
    const code = app.codeAt(clock.seconds());

    await prove(code);
    await prove(code);
    await prove(app.wrongCodeAt(clock.seconds()));
    await prove(backupCode);
    await prove(backupCode);

    expect(rises({}, readings(meters, 'login.mfa.attempts'))).toEqual({
      'success totp none': 1,
      'failure totp used_step': 1,
      'failure totp wrong_code': 1,
      'success backup_code none': 1,
      'failure backup_code wrong_backup_code': 1,
    });
  });

  it('login.mfa.step.offset records the step offset of accepted codes', async () => {
    const { subject, app, secondFactors, meters } = await counted();
    for (const offset of [-1, 0, 1]) {
      const code = app.codeAt(clock.seconds(), offset);
      expect(await ending(secondFactors.prove({ subject }, typedCode(code), nothing))).toBe('ok');
    }
    await ending(secondFactors.prove({ subject }, typedCode(app.wrongCodeAt(clock.seconds())), nothing));
    clock.advance(120);
    await secondFactors.prove({ subject }, typedCode(app.codeAt(clock.seconds(), 1)), nothing);

    expect(reading(meters, 'login.mfa.step.offset', 'COUNT')).toBe(4);
    expect(reading(meters, 'login.mfa.step.offset', 'TOTAL')).toBe(1);
  });

  it('the confirmation of a secret counts like every other code', async () => {
    const meters = new Meters();
    const user = await enrolledUser(database.work, secondFactorParts(database.work, clock, { meters }), clock);

    expect(user.backupCodes).toHaveLength(10);
    expect(rises({}, readings(meters, 'login.mfa.attempts'))).toEqual({ 'success totp none': 1 });
    expect(reading(meters, 'login.mfa.step.offset', 'COUNT')).toBe(1);
  });

  it('a proof that is rolled back does not count as a success but with its reason', async () => {
    const { subject, app, secondFactors, meters } = await counted();
    const code = app.codeAt(clock.seconds());
    const jti = `${subject}-half`;
    await database.work.run((tx) => markUsed(tx, jti));
    const refuse = (error: Error) => (): Promise<never> => Promise.reject(error);

    await ending(secondFactors.prove({ subject, securityStamp: 1, jti }, typedCode(code), nothing));
    await ending(secondFactors.prove({ subject, securityStamp: 7 }, typedCode(code), nothing));
    await ending(secondFactors.prove({ subject }, typedCode(code), refuse(new ServiceError('CONFLICT'))));
    await ending(secondFactors.prove({ subject }, typedCode(code), refuse(new ServiceError('UNAVAILABLE'))));
    await expect(secondFactors.prove({ subject }, typedCode(code), refuse(new RangeError('a defect')))).rejects.toThrow(
      RangeError,
    );

    expect(rises({}, readings(meters, 'login.mfa.attempts'))).toEqual({
      'refused totp half_token': 1,
      'refused totp ended': 1,
      'refused totp other': 1,
      'error totp unavailable': 1,
      'error totp defect': 1,
    });
    expect(reading(meters, 'login.mfa.step.offset', 'COUNT')).toBe(0);
  });

  it('forty concurrent wrong codes are all counted, with one lock', async () => {
    const { subject, app, secondFactors, meters } = await counted();
    const ends = await endings(
      times(
        40,
        (variant) => () =>
          secondFactors.prove({ subject }, typedCode(app.wrongCodeAt(clock.seconds(), variant % 5)), nothing),
      ),
    );

    expect(rises({}, readings(meters, 'login.mfa.attempts'))).toEqual({
      'failure totp wrong_code': ends['MFA_CODE_INVALID'],
      'refused totp locked': ends['MFA_LOCKED'],
    });
    expect(ends['MFA_CODE_INVALID']).toBe(5);
    expect(readings(meters, 'login.lockouts')).toEqual({ locked: 1, unlocked: 0 });
  });

  it('login.mfa.locked shows the accounts that are locked in any process', async () => {
    const { subject, app, secondFactors, budget, store } = await counted();
    const meters = new Meters();
    const lockedAccounts = new LockedAccounts(store, database.work, clock, meters, new ScheduledTasks(clock));
    const unknown = reading(meters, 'login.mfa.locked');
    const lock = async (): Promise<void> => {
      for (const variant of [0, 1, 2, 3, 4]) {
        await ending(secondFactors.prove({ subject }, typedCode(app.wrongCodeAt(clock.seconds(), variant)), nothing));
      }
    };
    // Locks of other tests have expired by then.
    clock.advance(4000);
    await lockedAccounts.look();
    const before = reading(meters, 'login.mfa.locked');
    await lock();
    await lockedAccounts.look();
    const locked = reading(meters, 'login.mfa.locked');
    clock.advance(301);
    await lockedAccounts.look();
    const ended = reading(meters, 'login.mfa.locked');
    await lock();
    await budget.unlock(subject, 'test');
    await lockedAccounts.look();

    expect(unknown).toBeNaN();
    expect([before, locked, ended, reading(meters, 'login.mfa.locked')]).toEqual([0, 1, 0, 0]);
  });

  it('the query for locks uses its index', async () => {
    const rows = await database.work.single((tx) =>
      tx.rows<Record<string, unknown>>(
        `${database.engine === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} SELECT COUNT(*) FROM account WHERE lock_level > 0`,
      ),
    );

    expect(JSON.stringify(rows)).toContain('account_lock_level');
  });
});

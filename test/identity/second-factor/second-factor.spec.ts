import { expect, it } from 'vitest';
import { Duration } from '../../../src/config/bind/duration.js';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import {
  accountRow,
  ending,
  enrolledUser,
  eventsOf,
  interposed,
  markUsed,
  newAccount,
  type PartsOptions,
  type SecondFactorParts,
  secondFactorParts,
  type TestUser,
  typedCode,
} from '../../support/login/second-factor-parts.js';

const MINUTE = 60;
const HOUR = 3600;
const RAISE_STAMP = 'UPDATE account SET security_stamp = security_stamp + 1 WHERE id = ?';
const USED = 'SELECT jti FROM used_mfa_token WHERE jti = ?';
const DISABLE_ACCOUNT = "UPDATE account SET status = 'disabled' WHERE id = ?";

const nothing = (): Promise<void> => Promise.resolve();

onEveryDatabase('the second factor', (database) => {
  interface Situation {
    readonly clock: ManualClock;
    readonly parts: SecondFactorParts;
    readonly user: TestUser;
    readonly securityStamp: number;
    readonly prove: (
      code: string,
      claim?: { readonly securityStamp?: number; readonly jti?: string },
    ) => Promise<string>;
    /** Submits wrong codes until the account is locked. */
    readonly lock: () => Promise<void>;
    readonly right: (stepsLater?: number) => string;
    readonly wrong: (variant?: number) => string;
  }

  async function situation(options: PartsOptions = {}): Promise<Situation> {
    const clock = new ManualClock();
    const parts = secondFactorParts(database.work, clock, options);
    const user = await enrolledUser(database.work, parts, clock);
    const { subject, app } = user;
    const prove: Situation['prove'] = (code, claim) =>
      ending(parts.secondFactors.prove({ subject, ...claim }, typedCode(code), nothing));
    const wrong: Situation['wrong'] = (variant = 0) => app.wrongCodeAt(clock.seconds(), variant);
    return {
      clock,
      parts,
      user,
      securityStamp: 1,
      prove,
      lock: async () => {
        for (let index = 0; index < 6; index += 1) await prove(wrong(index));
      },
      right: (stepsLater = 0) => app.codeAt(clock.seconds(), stepsLater),
      wrong,
    };
  }

  const change = (sql: string, { subject }: TestUser): Promise<number> =>
    database.work.single((tx) => tx.change(sql, [subject]));
  const row = (user: TestUser): ReturnType<typeof accountRow> => accountRow(database.work, user.subject);
  const events = (user: TestUser): ReturnType<typeof eventsOf> => eventsOf(database.work, user.subject);

  it.each([-1, 0, 1])('T4: the code of step %i is accepted', async (offset) => {
    const { parts, user, right } = await situation();
    const { subject } = user;
    const code = typedCode(right(offset));

    const proof = await parts.secondFactors.prove({ subject }, code, (_tx, given) => Promise.resolve(given));

    expect(proof).toMatchObject({ method: 'totp', offset });
  });

  it.each([-3, -2, 2, 5])('T4: the code of step %i is rejected', async (offset) => {
    const { prove, right } = await situation();

    expect(await prove(right(offset))).toBe('MFA_CODE_INVALID');
  });

  it('T1: a code is accepted once, and its reuse counts as a failure', async () => {
    const { prove, right, user } = await situation();

    expect([await prove(right()), await prove(right())]).toEqual(['ok', 'MFA_CODE_INVALID']);

    expect(await events(user)).toEqual({ 'MFA_REPLAY used_step': 1 });
    expect(await row(user)).toMatchObject({ failures: 1, failures_in_row: 1 });
  });

  it('T2: an older code is rejected after a newer one', async () => {
    const { prove, right } = await situation();

    expect([await prove(right(1)), await prove(right(0))]).toEqual(['ok', 'MFA_CODE_INVALID']);
  });

  it('T3: the code that confirmed the secret is rejected', async () => {
    const { prove, right, clock } = await situation();
    clock.advance(-MINUTE);

    expect(await prove(right())).toBe('MFA_CODE_INVALID');
  });

  it('T7: five wrong codes lock the account, and no further code is checked', async () => {
    const { prove, right, wrong, user, securityStamp } = await situation();
    const answers = [];

    for (let index = 0; index < 5; index += 1) answers.push(await prove(wrong(index)));
    answers.push(await prove(right()), await prove(wrong(9)));

    expect(answers).toEqual([...Array<string>(5).fill('MFA_CODE_INVALID'), 'MFA_LOCKED', 'MFA_LOCKED']);
    expect(await events(user)).toEqual({ 'MFA_FAILED wrong_code': 5, MFA_LOCKED: 1 });
    expect(await row(user)).toMatchObject({
      security_stamp: securityStamp + 1,
      lock_level: 1,
      failures: 5,
      failures_in_row: 5,
    });
  });

  it('T9: one counter covers one-time codes and backup codes, and any success resets it', async () => {
    const { prove, right, wrong, user, clock } = await situation();
    const four = [wrong(1), 'AAAA-AAAA', wrong(2), 'bbbb bbbb'];
    const [first = '', second = ''] = user.backupCodes;

    for (const code of four) await prove(code);
    expect(await prove(right())).toBe('ok');
    clock.advance(MINUTE);
    for (const code of four) await prove(code);
    expect(await prove(first)).toBe('ok');
    for (const code of four) await prove(code);
    expect(await prove('CCCC-CCCC')).toBe('MFA_CODE_INVALID');
    expect(await prove(second)).toBe('MFA_LOCKED');
  });

  it('T10: correct and wrong codes get the same error with Retry-After while locked', async () => {
    const { parts, lock, right, wrong, user, clock } = await situation();
    const { subject } = user;
    await lock();
    clock.advance(100);

    const answers = [right(), wrong(), user.backupCodes[0] ?? '', 'AAAA-AAAA'].map((code) =>
      parts.secondFactors.prove({ subject }, typedCode(code), nothing).catch((error: unknown) => error),
    );

    const locked = new ServiceError('MFA_LOCKED', { retryAfterSeconds: 200 });
    expect(await Promise.all(answers)).toEqual([locked, locked, locked, locked]);
  });

  it('T12: each lock is longer than the one before, and attempts do not extend it', async () => {
    const { prove, right, wrong, lock, clock } = await situation();
    const minutes = [];

    for (let round = 0; round < 6; round += 1) {
      await lock();
      let length = 0;
      do {
        clock.advance(MINUTE);
        length += 1;
      } while ((await prove(wrong(7))) === 'MFA_LOCKED');
      minutes.push(length);
    }

    expect(minutes).toEqual([5, 10, 20, 40, 60, 60]);
    expect(await prove(right())).toBe('ok');
  });

  it.each([
    ['is long within a day of the last failure', 24 * HOUR - 1, 600],
    ['is short again a day after the last failure', 24 * HOUR, 300],
  ])('T12: a further lock %s', async (_, pause, length) => {
    const { prove, right, lock, clock } = await situation();
    await lock();
    clock.advance(pause);

    await lock();

    clock.advance(length - 1);
    expect(await prove(right())).toBe('MFA_LOCKED');
    clock.advance(1);
    expect(await prove(right())).toBe('ok');
  });

  it('T12: a further lock is short again after a success', async () => {
    const { prove, right, lock, clock } = await situation();
    await lock();
    clock.advance(5 * MINUTE);
    await prove(right());

    await lock();

    clock.advance(5 * MINUTE);
    expect(await prove(right())).toBe('ok');
  });

  it('T12: the configuration sets the lengths of locks', async () => {
    const properties = { lockDuration: Duration.ofSeconds(7), lockMaxDuration: Duration.ofSeconds(9) };
    const { prove, right, lock, clock } = await situation({ properties });
    await lock();
    clock.advance(7);
    await lock();

    clock.advance(8);
    expect(await prove(right())).toBe('MFA_LOCKED');
    clock.advance(1);
    expect(await prove(right())).toBe('ok');
  });

  it('T12: a hundred consecutive failures lock the account until an administrator unlocks it', async () => {
    const { prove, right, wrong, lock, parts, user, clock } = await situation();
    const { subject } = user;
    for (let round = 0; round < 20; round += 1) {
      expect(await prove(wrong())).toBe('MFA_CODE_INVALID');
      await lock();
      clock.advance(HOUR);
    }

    clock.advance(1000 * HOUR);
    expect(await prove(right())).toBe('MFA_LOCKED');
    expect((await events(user))['MFA_FAILED wrong_code']).toBe(100);

    expect(await parts.budget.unlock(subject, 'cli')).toBe(true);
    await lock();
    clock.advance(1000 * HOUR);
    expect(await prove(right())).toBe('MFA_LOCKED');
    expect((await events(user))['MFA_FAILED wrong_code']).toBe(105);

    await parts.budget.unlock(subject, 'cli');
    expect(await prove(right())).toBe('ok');
  });

  it('an administrator unlocks the account but keeps the lock level and the consecutive failures', async () => {
    const { prove, right, lock, parts, user } = await situation();
    await lock();

    expect(await parts.budget.unlock(user.subject, 'cli')).toBe(true);

    expect(await row(user)).toMatchObject({ failures: 0, failures_in_row: 5, lock_level: 1 });
    expect(await prove(right())).toBe('ok');
    expect((await events(user))['MFA_UNLOCKED']).toBe(1);
    expect(await parts.budget.unlock(user.subject, 'cli')).toBe(false);
  });

  it('a lock invalidates mfa_tokens, the pending secret and trusted devices', async () => {
    const { prove, right, lock, parts, user, securityStamp, clock } = await situation({
      properties: { trustedDeviceEnabled: true },
    });
    const { subject } = user;
    const { security_stamp: stamp } = await row(user);
    await parts.setup.begin({ subject, requestedBy: 'sid:a', change: 'replace', ofStamp: Number(stamp) });
    await database.work.run((tx) => parts.devices.grant(tx, subject));

    await lock();

    expect(await prove(right(), { securityStamp, jti: 'old' })).toBe('MFA_LOCKED');
    clock.advance(5 * MINUTE);
    expect(await prove(right(), { securityStamp, jti: 'old' })).toBe('MFA_TOKEN_INVALID');
    expect(await row(user)).toMatchObject({ pending_totp_id: null });
    expect(await parts.deviceList.list(subject)).toEqual([]);
  });

  it.each([
    ['a used mfa_token', { securityStamp: 1, jti: 'used' }, 'MFA_TOKEN_INVALID'],
    ['an mfa_token of an old security stamp', { securityStamp: 0, jti: 'unused' }, 'MFA_TOKEN_INVALID'],
    ['a half-authenticated session of an old security stamp', { securityStamp: 0 }, 'INVALID_TOKEN'],
  ])('%s does not cost an attempt', async (_, claim, code) => {
    const { prove, right, wrong, user } = await situation();
    await database.work.single((tx) =>
      tx.insert('INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, 1)', ['used']),
    );

    expect([await prove(wrong(), claim), await prove(right(), claim)]).toEqual([code, code]);

    expect(await row(user)).toMatchObject({ failures: 0, failures_in_row: 0 });
  });

  it.each([
    ['a disabled account', DISABLE_ACCOUNT, { jti: 'fresh' }, 'MFA_TOKEN_INVALID'],
    ['a session of a disabled account', DISABLE_ACCOUNT, {}, 'INVALID_TOKEN'],
    ['a deleted account', 'DELETE FROM account WHERE id = ?', {}, 'INVALID_TOKEN'],
  ])('a proof is rejected for %s', async (_, sql, claim, code) => {
    const { prove, right, user } = await situation();
    await change(sql, user);

    expect(await prove(right(), claim)).toBe(code);
  });

  it('a proof without an active secret is rejected and costs no attempt', async () => {
    const clock = new ManualClock();
    const { secondFactors } = secondFactorParts(database.work, clock);
    const subject = await newAccount(database.work);

    expect(await ending(secondFactors.prove({ subject }, typedCode('123456'), nothing))).toBe('MFA_STATE_CONFLICT');

    expect(await accountRow(database.work, subject)).toMatchObject({ failures_in_row: 0, last_attempt_id: null });
  });

  it('T14: a code is not used up when storing the result fails', async () => {
    const { parts, prove, right, wrong, user } = await situation();
    const [backupCode = ''] = user.backupCodes;
    await prove(wrong());

    for (const code of [right(), backupCode]) {
      const failing = parts.secondFactors.prove({ subject: user.subject }, typedCode(code), async (tx) => {
        await tx.insert('INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, 1)', [`lost-${user.subject}`]);
        throw new RangeError('stop');
      });
      await expect(failing).rejects.toThrow(RangeError);
    }

    expect(await row(user)).toMatchObject({ failures: 1, failures_in_row: 1 });
    expect([await prove(right(), { jti: `lost-${user.subject}` }), await prove(backupCode)]).toEqual(['ok', 'ok']);
  });

  it('an attempt is refunded when the database fails after it', async () => {
    const { user, clock, right } = await situation();
    const { subject } = user;
    const run: UnitOfWork['run'] = () => Promise.reject(new ServiceError('UNAVAILABLE'));
    const failing = Object.assign(Object.create(database.work) as UnitOfWork, { run });
    const { secondFactors } = secondFactorParts(failing, clock);

    expect(await ending(secondFactors.prove({ subject }, typedCode(right()), nothing))).toBe('UNAVAILABLE');

    expect(await row(user)).toMatchObject({ failures: 0, failures_in_row: 0 });
  });

  it.each([
    ['once', 1, 'ok'],
    ['twice', 2, 'UNAVAILABLE'],
  ])('an attempt is charged once when the read of its account fails %s', async (_times, times, end) => {
    const { user, clock, right } = await situation();
    const { subject } = user;
    let [failures, attempts] = [0, 0];
    const single: UnitOfWork['single'] = (statement) =>
      database.work.single((tx) =>
        statement({
          change: (sql, values) => {
            if (sql.includes('failures + 1')) attempts += 1;
            return tx.change(sql, values);
          },
          insert: (...facts) => tx.insert(...facts),
          rows: (...facts) => {
            failures += 1;
            return failures <= times ? Promise.reject(new ServiceError('UNAVAILABLE')) : tx.rows(...facts);
          },
          repository: (entity) => tx.repository(entity),
          afterCommit: (listener) => {
            tx.afterCommit(listener);
          },
        }),
      );
    const failing = Object.assign(Object.create(database.work) as UnitOfWork, { single });
    const { secondFactors } = secondFactorParts(failing, clock);

    expect(await ending(secondFactors.prove({ subject }, typedCode(right()), nothing))).toBe(end);

    expect(attempts).toBe(1);
    expect(await row(user)).toMatchObject({ failures: 0, failures_in_row: 0 });
  });

  it('T14: the rejected one of two correct codes for one mfa_token stays usable', async () => {
    const { parts, user, right } = await situation();
    const { subject } = user;
    const jti = `one-${subject}`;
    const second = (): Promise<string> =>
      ending(parts.secondFactors.prove({ subject, jti }, typedCode(right(1)), (tx) => markUsed(tx, jti)));
    const racing = secondFactorParts(interposed(database.work, second), new ManualClock());

    const first = await ending(
      racing.secondFactors.prove({ subject, jti }, typedCode(user.backupCodes[0] ?? ''), (tx) => markUsed(tx, jti)),
    );

    expect(first).toBe('MFA_TOKEN_INVALID');
    expect(await row(user)).toMatchObject({ failures: 0, failures_in_row: 0 });
    expect(await ending(parts.secondFactors.prove({ subject }, typedCode(user.backupCodes[0] ?? ''), nothing))).toBe(
      'ok',
    );
  });

  it.each([
    ['the password changed', RAISE_STAMP, { securityStamp: 1, jti: 'a' }, 'MFA_TOKEN_INVALID'],
    ['the password changed', RAISE_STAMP, { securityStamp: 1 }, 'INVALID_TOKEN'],
    ['the account was disabled', DISABLE_ACCOUNT, {}, 'INVALID_TOKEN'],
    ['the factor was reset', 'UPDATE account SET totp_count = 0 WHERE id = ?', {}, 'MFA_STATE_CONFLICT'],
    ['the factor was reset', 'UPDATE account SET totp_count = 0 WHERE id = ?', { jti: 'b' }, 'MFA_STATE_CONFLICT'],
  ])('a proof is rejected when %s while the code was checked', async (_, sql, claim, code) => {
    for (const kind of ['totp', 'backup_code']) {
      const { user, clock, right } = await situation();
      const { subject, backupCodes } = user;
      const { secondFactors } = secondFactorParts(
        interposed(database.work, () => change(sql, user)),
        clock,
      );
      const typed = kind === 'totp' ? right() : (backupCodes[0] ?? '');
      const jti = `${kind} ${subject}`;
      const ofLogin = { ...claim, ...('jti' in claim && { jti }) };

      const proof = secondFactors.prove({ subject, ...ofLogin }, typedCode(typed), (tx) => markUsed(tx, jti));
      expect(await ending(proof)).toBe(code);

      expect(await row(user)).toMatchObject({ failures: 0, failures_in_row: 0 });
      expect(await database.work.single((tx) => tx.rows(USED, [jti]))).toEqual([]);
    }
  });

  it('T1: a code that another attempt has used up is rejected as such, although what follows from it fails', async () => {
    const { user, clock, right, prove } = await situation();
    const { subject } = user;
    const { secondFactors } = secondFactorParts(
      interposed(database.work, () => prove(right())),
      clock,
    );

    const proof = secondFactors.prove({ subject }, typedCode(right()), () => Promise.reject(new RangeError('stop')));

    expect(await ending(proof)).toBe('MFA_CODE_INVALID');
    expect(await events(user)).toEqual({ 'MFA_REPLAY used_step': 1 });
  });

  it('T1: one of two equal correct codes that race is accepted', async () => {
    const { user, clock, right, prove } = await situation();
    const { subject } = user;
    const { secondFactors } = secondFactorParts(
      interposed(database.work, () => prove(right())),
      clock,
    );

    expect(await ending(secondFactors.prove({ subject }, typedCode(right()), nothing))).toBe('MFA_CODE_INVALID');

    expect(await events(user)).toEqual({ 'MFA_REPLAY used_step': 1 });
  });

  it('a hundredth failure during an unlock by an administrator does not lock the account', async () => {
    const { user, clock, parts, wrong, securityStamp } = await situation();
    const { subject } = user;
    await change('UPDATE account SET failures_in_row = 99 WHERE id = ?', user);
    const unlock = (): Promise<boolean> => parts.budget.unlock(subject, 'cli');
    const { secondFactors } = secondFactorParts(interposed(database.work, unlock), clock);

    await ending(secondFactors.prove({ subject }, typedCode(wrong()), nothing));

    expect(await row(user)).toMatchObject({
      failures: 0,
      failures_in_row: 100,
      lock_level: 0,
      security_stamp: securityStamp,
    });
    expect(await events(user)).toEqual({ MFA_UNLOCKED: 1, 'MFA_FAILED wrong_code': 1 });
  });

  it('T7: a correct code among five succeeds although the other four have just locked the account', async () => {
    const { user, clock, right, wrong, prove, securityStamp } = await situation();
    const { subject } = user;
    const others = async (): Promise<void> => {
      for (let index = 0; index < 4; index += 1) await prove(wrong(index), { securityStamp, jti: 'a' });
      expect(await row(user)).toMatchObject({ failures: 5, lock_level: 1, security_stamp: securityStamp + 1 });
    };
    const { secondFactors } = secondFactorParts(interposed(database.work, others), clock);

    expect(await ending(secondFactors.prove({ subject, securityStamp, jti: 'b' }, typedCode(right()), nothing))).toBe(
      'ok',
    );

    expect(await row(user)).toMatchObject({ failures: 0, failures_in_row: 0, lock_level: 0 });
    expect(await prove(right(1))).toBe('ok');
  });

  it('a lock stays when one of its five attempts is refunded', async () => {
    const { user, clock, right, wrong, prove } = await situation();
    const { subject } = user;
    const others = async (): Promise<void> => {
      for (let index = 0; index < 4; index += 1) await prove(wrong(index));
    };
    const { secondFactors } = secondFactorParts(interposed(database.work, others), clock);
    const failing = secondFactors.prove({ subject }, typedCode(right()), () => Promise.reject(new RangeError('stop')));
    await expect(failing).rejects.toThrow(RangeError);

    expect(await prove(right())).toBe('MFA_LOCKED');
  });

  it.each([-HOUR, HOUR])('R11: a used step is rejected after the clock jumps by %i s and returns', async (jump) => {
    const { prove, right, clock } = await situation();
    await prove(right());

    clock.advance(jump);
    const jumped = await prove(right());
    clock.advance(-jump);

    expect(jumped).toBe(jump < 0 ? 'MFA_CODE_INVALID' : 'ok');
    expect(await prove(right())).toBe('MFA_CODE_INVALID');
  });

  it('R11: a clock set back does not extend a lock', async () => {
    const { prove, right, wrong, lock, clock } = await situation();
    clock.advance(2 * HOUR);
    await lock();
    clock.advance(-HOUR);

    expect(await prove(right())).toBe('MFA_LOCKED');
    clock.advance(299);
    expect(await prove(wrong())).toBe('MFA_LOCKED');
    clock.advance(1);
    expect(await prove(right())).toBe('ok');
  });

  it('R11: a process whose clock is an hour behind neither shortens nor extends a lock', async () => {
    const { prove, right, lock, user, clock } = await situation();
    const { subject, app } = user;
    clock.advance(3 * HOUR);
    const behind = new ManualClock(clock.seconds() - HOUR);
    const other = secondFactorParts(database.work, behind);
    const proveThere = (): Promise<string> =>
      ending(other.secondFactors.prove({ subject }, typedCode(app.codeAt(behind.seconds())), nothing));
    const pass = (seconds: number): void => [clock, behind].forEach((each) => each.advance(seconds));

    await lock();
    expect(await proveThere()).toBe('MFA_LOCKED');
    pass(299);
    expect([await prove(right()), await proveThere()]).toEqual(['MFA_LOCKED', 'MFA_LOCKED']);
    pass(1);
    expect([await proveThere(), await prove(right())]).toEqual(['ok', 'ok']);
  });

  it('R11: a second lock also applies to a process with a slow clock that has seen the first one', async () => {
    const { lock, user, clock } = await situation();
    const { subject, app } = user;
    clock.advance(3 * HOUR);
    const behind = new ManualClock(clock.seconds() - HOUR);
    const other = secondFactorParts(database.work, behind);
    const proveThere = (): Promise<string> =>
      ending(other.secondFactors.prove({ subject }, typedCode(app.codeAt(behind.seconds())), nothing));
    await lock();
    await proveThere();
    for (const each of [clock, behind]) each.advance(HOUR);

    await lock();

    expect(await proveThere()).toBe('MFA_LOCKED');
  });

  it('T19: a secret is stored sealed and resealed with the active key when it is used', async () => {
    const { user, clock, right } = await situation();
    const { subject, app } = user;
    const stored = async (): Promise<string> =>
      JSON.stringify(
        await database.work.single((tx) => tx.rows('SELECT * FROM totp_secret WHERE user_id = ?', [subject])),
      );
    const before = await stored();

    const { secondFactors } = secondFactorParts(database.work, clock, { sealKey: 'two' });
    expect(await ending(secondFactors.prove({ subject }, typedCode(right()), nothing))).toBe('ok');

    expect(before).toContain('"seal_key":"one"');
    expect(await stored()).toContain('"sealed":"two.');
    expect(before + (await stored())).not.toContain(app.secret);
    clock.advance(MINUTE);
    expect(await ending(secondFactors.prove({ subject }, typedCode(right()), nothing))).toBe('ok');
  });
});

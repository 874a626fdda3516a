import { expect, it } from 'vitest';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import {
  accountRow,
  endings,
  enrolledUser,
  eventsOf,
  markUsed,
  newAccount,
  secondFactorParts,
  type SecondFactorParts,
  type TestUser,
  typedCode,
} from '../../support/login/second-factor-parts.js';

const nothing = (): Promise<void> => Promise.resolve();
const times = <T>(number: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: number }, (_, i) => make(i));

onEveryDatabase('concurrent second factors', (database) => {
  const clock = new ManualClock();
  const here = (): SecondFactorParts => secondFactorParts(database.work, clock);
  const user = (): Promise<TestUser> => enrolledUser(database.work, here(), clock);

  it('T6: one of a hundred equal codes with twenty mfa_tokens is accepted', async () => {
    const { subject, app } = await user();
    const { secondFactors } = here();
    const code = app.codeAt(clock.seconds());

    const ends = await endings(
      times(100, (index) => () => {
        const jti = `${subject}-${index % 20}`;
        return secondFactors.prove({ subject, securityStamp: 1, jti }, typedCode(code), (tx) => markUsed(tx, jti));
      }),
    );

    expect(ends['ok']).toBe(1);
    expect(
      Object.keys(ends).every((end) => ['ok', 'MFA_CODE_INVALID', 'MFA_LOCKED', 'MFA_TOKEN_INVALID'].includes(end)),
    ).toBe(true);
  });

  it('T6: one of two correct codes for one mfa_token is accepted, and the other stays usable', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { subject, app, backupCodes } = await user();
      const { secondFactors } = here();
      const [backupCode = ''] = backupCodes;
      const codes = [app.codeAt(clock.seconds()), backupCode];
      const jti = `two-${subject}`;

      const ends = await endings(
        codes.map(
          (code) => () =>
            secondFactors.prove({ subject, securityStamp: 1, jti }, typedCode(code), (tx) => markUsed(tx, jti)),
        ),
      );

      expect(ends).toEqual({ ok: 1, MFA_TOKEN_INVALID: 1 });
      expect(await accountRow(database.work, subject)).toMatchObject({ failures: 0, failures_in_row: 0 });
      const again = await endings(
        codes.map((code) => () => secondFactors.prove({ subject }, typedCode(code), nothing)),
      );
      expect(again).toEqual({ ok: 1, MFA_CODE_INVALID: 1 });
    }
  });

  it('T7: five of a hundred concurrent wrong codes are checked', async () => {
    const { subject, app } = await user();
    const { secondFactors } = here();

    const ends = await endings(
      times(100, (index) => () => {
        const claim = { subject, securityStamp: 1, jti: `${subject}-${index % 20}` };
        return secondFactors.prove({ ...claim }, typedCode(app.wrongCodeAt(clock.seconds(), index)), nothing);
      }),
    );

    expect(ends).toEqual({ MFA_CODE_INVALID: 5, MFA_LOCKED: 95 });
    expect(await eventsOf(database.work, subject)).toEqual({ 'MFA_FAILED wrong_code': 5, MFA_LOCKED: 1 });
    expect(await accountRow(database.work, subject)).toMatchObject({ failures: 5, lock_level: 1, security_stamp: 2 });
  });

  it('T13: one of fifty equal backup codes is accepted', async () => {
    const { subject, backupCodes } = await user();
    const { secondFactors } = here();
    const [code = ''] = backupCodes;

    const ends = await endings(times(50, () => () => secondFactors.prove({ subject }, typedCode(code), nothing)));

    expect(ends['ok']).toBe(1);
    expect(Object.keys(ends).every((end) => ['ok', 'MFA_CODE_INVALID', 'MFA_LOCKED'].includes(end))).toBe(true);
  });

  it('T15: one set of five concurrent reissues is active', async () => {
    const { subject, backupCodes } = await user();
    const { enrolment, budget, secondFactors } = here();

    const sets = await Promise.all(times(5, () => enrolment.reissue(subject)));

    const { remaining } = (await enrolment.state(subject)).backupCodes;
    expect(remaining).toBe(10);
    let accepted = 0;
    for (const [code = ''] of [...sets, backupCodes]) {
      await budget.unlock(subject, 'test');
      const ends = await endings([() => secondFactors.prove({ subject }, typedCode(code), nothing)]);
      accepted += ends['ok'] ?? 0;
    }
    expect(accepted).toBe(1);
  });

  it('five concurrent setups leave one pending secret with its codes', async () => {
    const subject = await newAccount(database.work);
    const { setup } = here();

    await Promise.all(times(5, () => setup.begin({ subject, requestedBy: 'sid:a' })));

    const count = (sql: string): Promise<readonly unknown[]> => database.work.single((tx) => tx.rows(sql, [subject]));
    expect(await count('SELECT COUNT(*) AS number FROM totp_secret WHERE user_id = ?')).toEqual([{ number: 1 }]);
    expect(await count('SELECT COUNT(*) AS number FROM backup_code WHERE user_id = ?')).toEqual([{ number: 10 }]);
  });

  it('R10: concurrent changes of every kind to one account never end with UNAVAILABLE', async () => {
    const { subject, app, backupCodes } = await user();
    const { enrolment, authenticators, setup, pendingSecrets, budget, secondFactors } = here();
    const { security_stamp: stamp } = await accountRow(database.work, subject);
    const replacing = { change: 'replace', ofStamp: Number(stamp) } as const;

    const ends = await endings(
      times(60, (index) => {
        const code = backupCodes[index % 10] ?? '';
        const actions: readonly (() => Promise<unknown>)[] = [
          () => secondFactors.prove({ subject }, typedCode(app.codeAt(clock.seconds())), nothing),
          () => secondFactors.prove({ subject }, typedCode(code), nothing),
          () => enrolment.reissue(subject),
          () => setup.begin({ subject, requestedBy: 'sid:a', ...replacing }),
          () => pendingSecrets.qr('svg', subject, 'sid:a'),
          () => authenticators.disable({ subject }, typedCode(code), nothing),
          () => budget.unlock(subject, 'test'),
          () => authenticators.reset(subject, 'test', nothing),
        ];
        return actions[index % actions.length] ?? nothing;
      }),
    );

    expect(ends).not.toHaveProperty('UNAVAILABLE');
    expect(ends['ok']).toBeGreaterThan(0);
  });

  it('concurrent correct codes of different users are accepted', async () => {
    const users = [];
    for (let index = 0; index < 20; index += 1) users.push(await user());
    const { secondFactors } = here();

    const ends = await endings(
      users.map(
        ({ subject, app }) =>
          () =>
            secondFactors.prove({ subject }, typedCode(app.codeAt(clock.seconds())), nothing),
      ),
    );

    expect(ends).toEqual({ ok: 20 });
  });
});

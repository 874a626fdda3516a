import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
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
  secondFactorParts,
  type SecondFactorParts,
  typedCode,
  typedTotp,
} from '../../support/login/second-factor-parts.js';

const ASKER = 'sid:mine';
const nothing = (): Promise<void> => Promise.resolve();

onEveryDatabase('enrolment', (database) => {
  interface Situation {
    readonly clock: ManualClock;
    readonly parts: SecondFactorParts;
    readonly subject: string;
  }

  async function newcomer(options: PartsOptions = {}): Promise<Situation> {
    const clock = new ManualClock();
    const parts = secondFactorParts(database.work, clock, options);
    return { clock, parts, subject: await newAccount(database.work) };
  }

  const row = (subject: string): ReturnType<typeof accountRow> => accountRow(database.work, subject);
  const all = (sql: string, subject: string): Promise<readonly unknown[]> =>
    database.work.single((tx) => tx.rows(sql, [subject]));
  const change = (sql: string, subject: string): Promise<number> =>
    database.work.single((tx) => tx.change(sql, [subject]));

  it('T16: setup returns a secret of 160 bits, its URI and ten backup codes, and does not change the account', async () => {
    const { clock, parts, subject } = await newcomer();

    const setup = await parts.setup.begin({ subject, requestedBy: ASKER });

    const { secret } = setup;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(setup.otpauthUri).toBe(
      `otpauth://totp/Login%20service:${subject}%40example.org?secret=${secret}&issuer=Login%20service&algorithm=SHA1&digits=6&period=30`,
    );
    expect(setup.qr).toMatch(/^data:image\/svg\+xml;base64,/);
    expect(new Set(setup.backupCodes).size).toBe(10);
    expect(setup.expiresInSeconds).toBe(600);
    expect(await parts.enrolment.state(subject)).toEqual({
      state: 'pending',
      hasTotp: false,
      hasPasskey: false,
      pending: { until: clock.seconds() + 600, requestedBy: ASKER },
      backupCodes: { remaining: 0, isLow: false },
    });
    expect(await row(subject)).toMatchObject({ totp_count: 0, backup_set_id: null, security_stamp: 0 });
  });

  it('T16: every setup returns a new secret and new backup codes', async () => {
    const { parts, subject } = await newcomer();
    const seen = new Set<string>();

    for (let index = 0; index < 20; index += 1) {
      const { secret, backupCodes = [] } = await parts.setup.begin({ subject, requestedBy: ASKER });
      for (const shown of [secret, ...backupCodes]) seen.add(shown);
    }

    expect(seen.size).toBe(20 * 11);
  });

  it('T3: a correct code activates the secret, and its step is used', async () => {
    const { parts, subject, clock } = await newcomer();
    const { otpauthUri } = await parts.setup.begin({ subject, requestedBy: ASKER });
    const code = AuthenticatorApp.scan(otpauthUri).codeAt(clock.seconds());

    const change = await parts.enrolment.confirm({ subject, requestedBy: ASKER }, typedTotp(code), (_tx, confirmed) =>
      Promise.resolve(confirmed.change),
    );

    expect(change).toBe('first');
    expect(await parts.enrolment.state(subject)).toEqual({
      state: 'active',
      activatedAt: clock.seconds(),
      hasTotp: true,
      hasPasskey: false,
      backupCodes: { remaining: 10, generatedAt: clock.seconds(), isLow: false },
    });
    expect(await row(subject)).toMatchObject({ security_stamp: 1, pending_totp_id: null, failures: 0 });
    expect(await ending(parts.secondFactors.prove({ subject }, typedCode(code), nothing))).toBe('MFA_CODE_INVALID');
  });

  it('a wrong code leaves the secret pending and counts as a failure', async () => {
    const { parts, subject, clock } = await newcomer();
    const { otpauthUri } = await parts.setup.begin({ subject, requestedBy: ASKER });
    const app = AuthenticatorApp.scan(otpauthUri);
    const confirm = (code: string): Promise<string> =>
      ending(parts.enrolment.confirm({ subject, requestedBy: ASKER }, typedTotp(code), nothing));

    expect(await confirm(app.wrongCodeAt(clock.seconds()))).toBe('MFA_CODE_INVALID');

    expect(await row(subject)).toMatchObject({ failures: 1, totp_count: 0 });
    expect(await eventsOf(database.work, subject)).toEqual({ 'MFA_FAILED wrong_code': 1 });
    expect(await confirm(app.codeAt(clock.seconds()))).toBe('ok');
  });

  it('T18: five wrong codes lock the account and end the pending secret', async () => {
    const { parts, subject, clock } = await newcomer();
    const { otpauthUri } = await parts.setup.begin({ subject, requestedBy: ASKER });
    const app = AuthenticatorApp.scan(otpauthUri);
    const confirm = (code: string): Promise<string> =>
      ending(parts.enrolment.confirm({ subject, requestedBy: ASKER }, typedTotp(code), nothing));

    for (let index = 0; index < 5; index += 1) await confirm(app.wrongCodeAt(clock.seconds(), index));

    expect(await confirm(app.codeAt(clock.seconds()))).toBe('MFA_LOCKED');
    clock.advance(300);
    expect(await confirm(app.codeAt(clock.seconds()))).toBe('MFA_STATE_CONFLICT');
    expect(await row(subject)).toMatchObject({ security_stamp: 1, pending_totp_id: null });
  });

  it.each([
    ['another session', 'sid:other', 0],
    ['the session that asked, after ten minutes', ASKER, 600],
  ])('T17: the pending secret cannot be confirmed by %s', async (_, requestedBy, later) => {
    const { parts, subject, clock } = await newcomer();
    const { otpauthUri } = await parts.setup.begin({ subject, requestedBy: ASKER });
    clock.advance(later);
    const code = AuthenticatorApp.scan(otpauthUri).codeAt(clock.seconds());

    expect(await ending(parts.enrolment.confirm({ subject, requestedBy }, typedTotp(code), nothing))).toBe(
      'MFA_STATE_CONFLICT',
    );

    expect(await row(subject)).toMatchObject({ failures_in_row: 0, totp_count: 0 });
  });

  it('only the last setup can be confirmed, and nothing remains of earlier ones', async () => {
    const { parts, subject, clock } = await newcomer();
    const apps = [];
    for (let index = 0; index < 3; index += 1) {
      const { otpauthUri } = await parts.setup.begin({ subject, requestedBy: ASKER });
      apps.push(AuthenticatorApp.scan(otpauthUri));
    }
    const ends = [];
    for (const app of apps) {
      const code = typedTotp(app.codeAt(clock.seconds()));
      ends.push(await ending(parts.enrolment.confirm({ subject, requestedBy: ASKER }, code, nothing)));
    }

    expect(ends).toEqual(['MFA_CODE_INVALID', 'MFA_CODE_INVALID', 'ok']);
    expect(await all('SELECT id FROM totp_secret WHERE user_id = ?', subject)).toHaveLength(1);
    expect(await all('SELECT hash FROM backup_code WHERE user_id = ?', subject)).toHaveLength(10);
  });

  it('the secret stays pending when storing the confirmation fails', async () => {
    const { parts, subject, clock } = await newcomer();
    const { otpauthUri } = await parts.setup.begin({ subject, requestedBy: ASKER });
    const code = typedTotp(AuthenticatorApp.scan(otpauthUri).codeAt(clock.seconds()));
    const confirm = (complete: () => Promise<unknown>): Promise<unknown> =>
      parts.enrolment.confirm({ subject, requestedBy: ASKER }, code, complete);

    await expect(confirm(() => Promise.reject(new RangeError('stop')))).rejects.toThrow('stop');

    expect(await row(subject)).toMatchObject({
      failures_in_row: 0,
      security_stamp: 0,
      last_used_step: -1,
      totp_count: 0,
    });
    expect(await ending(confirm(nothing))).toBe('ok');
  });

  it.each([
    [
      'the password changed',
      'UPDATE account SET security_stamp = security_stamp + 1, pending_totp_id = NULL WHERE id = ?',
    ],
    ['the security stamp changed', 'UPDATE account SET security_stamp = security_stamp + 1 WHERE id = ?'],
    ['the account was disabled', "UPDATE account SET status = 'disabled', pending_totp_id = NULL WHERE id = ?"],
  ])('a confirmation fails when %s while the code was checked', async (_, sql) => {
    const { parts, subject, clock } = await newcomer();
    const { otpauthUri } = await parts.setup.begin({ subject, requestedBy: ASKER });
    const code = AuthenticatorApp.scan(otpauthUri).codeAt(clock.seconds());
    const racing = secondFactorParts(
      interposed(database.work, () => change(sql, subject)),
      clock,
    );

    const end = await ending(
      racing.enrolment.confirm({ subject, requestedBy: ASKER, securityStamp: 0, jti: 'j' }, typedTotp(code), nothing),
    );

    expect(end).toBe('MFA_TOKEN_INVALID');
    expect(await row(subject)).toMatchObject({ failures_in_row: 0, totp_count: 0 });
  });

  describe('enrolment with an mfa_token', () => {
    it('the confirmation uses up the mfa_token', async () => {
      const { parts, subject, clock } = await newcomer();
      const jti = `jti-${subject}`;
      const claim = { subject, securityStamp: 0, jti, requestedBy: `jti:${jti}` };
      const { otpauthUri } = await parts.setup.begin(claim);
      const code = AuthenticatorApp.scan(otpauthUri).codeAt(clock.seconds());

      expect(await ending(parts.enrolment.confirm({ ...claim }, typedTotp(code), (tx) => markUsed(tx, jti)))).toBe(
        'ok',
      );

      expect(await ending(parts.setup.begin(claim))).toBe('MFA_TOKEN_INVALID');
    });

    it.each([
      ['a used mfa_token', { securityStamp: 0, jti: 'used-one' }, 'MFA_TOKEN_INVALID'],
      ['an mfa_token of an old security stamp', { securityStamp: 7, jti: 'fresh-one' }, 'MFA_TOKEN_INVALID'],
      ['a session of an old security stamp', { securityStamp: 7 }, 'INVALID_TOKEN'],
    ])('setup is rejected with %s', async (_, claim, code) => {
      const { parts, subject } = await newcomer();
      await database.work.single((tx) =>
        tx.insert('INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, 1)', ['used-one']),
      );

      expect(await ending(parts.setup.begin({ subject, requestedBy: ASKER, ...claim }))).toBe(code);

      expect(await row(subject)).toMatchObject({ pending_totp_id: null });
    });

    it('setup with an mfa_token is rejected when a secret is active', async () => {
      const { parts, clock } = await newcomer();
      const { subject } = await enrolledUser(database.work, parts, clock);

      const end = ending(parts.setup.begin({ subject, requestedBy: ASKER, securityStamp: 1, jti: 'half' }));

      expect(await end).toBe('MFA_STATE_CONFLICT');
    });
  });

  describe('replacement of an active secret', () => {
    it('the old secret and its codes are valid exactly until the new one is confirmed', async () => {
      const { parts, clock } = await newcomer({ properties: { trustedDeviceEnabled: true } });
      const { subject, app, backupCodes } = await enrolledUser(database.work, parts, clock);
      const prove = (code: string): Promise<string> =>
        ending(parts.secondFactors.prove({ subject }, typedCode(code), nothing));
      await database.work.run((tx) => parts.devices.grant(tx, subject));
      const { security_stamp: stamp } = await row(subject);
      const asked = { subject, requestedBy: ASKER, change: 'replace', ofStamp: Number(stamp) } as const;

      const setup = await parts.setup.begin(asked);

      expect(await parts.enrolment.state(subject)).toMatchObject({ state: 'active', backupCodes: { remaining: 10 } });
      expect(await prove(setup.backupCodes?.[0] ?? '')).toBe('MFA_CODE_INVALID');
      expect(await prove(app.codeAt(clock.seconds()))).toBe('ok');
      expect(await prove(backupCodes[0] ?? '')).toBe('ok');
      clock.advance(60);
      const code = AuthenticatorApp.scan(setup.otpauthUri).codeAt(clock.seconds());
      const confirm = parts.enrolment.confirm({ ...asked }, typedTotp(code), (_tx, { change }) =>
        Promise.resolve(change),
      );
      expect(await confirm).toBe('replace');
      clock.advance(60);
      expect(await prove(app.codeAt(clock.seconds()))).toBe('MFA_CODE_INVALID');
      expect(await prove(backupCodes[1] ?? '')).toBe('MFA_CODE_INVALID');
      expect(await prove(setup.backupCodes?.[0] ?? '')).toBe('ok');
      expect(await parts.deviceList.list(subject)).toEqual([]);
      expect(await all('SELECT id FROM totp_secret WHERE user_id = ?', subject)).toHaveLength(1);
    });

    it('T1: a code of a step that the old secret has just used does not confirm the new one', async () => {
      const { parts, clock } = await newcomer();
      const { subject, app } = await enrolledUser(database.work, parts, clock);
      const { security_stamp: stamp } = await row(subject);
      const asked = { subject, requestedBy: ASKER, change: 'replace', ofStamp: Number(stamp) } as const;
      const { otpauthUri } = await parts.setup.begin(asked);
      const code = AuthenticatorApp.scan(otpauthUri).codeAt(clock.seconds());
      const prove = (): Promise<string> =>
        ending(parts.secondFactors.prove({ subject }, typedCode(app.codeAt(clock.seconds())), nothing));
      const racing = secondFactorParts(interposed(database.work, prove), clock);

      expect(await ending(racing.enrolment.confirm({ ...asked }, typedTotp(code), nothing))).toBe('MFA_CODE_INVALID');

      expect(await row(subject)).toMatchObject({ security_stamp: stamp });
      expect(await eventsOf(database.work, subject)).toEqual({ 'MFA_REPLAY used_step': 1 });
    });

    it.each([
      ['with the last used step', 0, false],
      ['with an earlier step', -1, false],
      ['with the next step', 1, true],
    ])('T2: the confirming statement accepts only newer steps (%s)', async (_, offset, isConfirmed) => {
      const { parts, clock } = await newcomer();
      const { subject } = await enrolledUser(database.work, parts, clock);
      const { security_stamp: stamp, last_used_step: lastUsed } = await row(subject);
      await parts.setup.begin({ subject, requestedBy: ASKER, change: 'replace', ofStamp: Number(stamp) });
      const { pending_totp_id: pendingId } = await row(subject);
      const use = { step: Number(lastUsed) + offset, now: clock.seconds() };

      const confirmed = await database.work.run((tx) =>
        parts.store.confirmPending(tx, { subject }, { id: String(pendingId), change: 'replace' }, use),
      );

      expect(confirmed).toBe(isConfirmed);
      expect(await row(subject)).toMatchObject({
        pending_totp_id: isConfirmed ? null : pendingId,
        last_used_step: Number(lastUsed) + Math.max(0, offset),
      });
    });

    it.each([
      ['no authenticator was active', {}],
      ['other authenticators were active', { change: 'replace', ofStamp: 0 }],
    ] as const)('T17: setup is rejected for a caller who was authorized when %s', async (_, authorized) => {
      const { parts, clock } = await newcomer();
      const { subject } = await enrolledUser(database.work, parts, clock);

      const end = await ending(parts.setup.begin({ subject, requestedBy: ASKER, ...authorized }));

      expect(end).toBe('MFA_STATE_CONFLICT');
      expect(await row(subject)).toMatchObject({ pending_totp_id: null });
    });
  });

  describe('the QR code of a pending secret', () => {
    it.each(['svg', 'png'] as const)(
      'the QR code is returned once as %s, and only to the session that requested the setup',
      async (form) => {
        const { parts, subject } = await newcomer();
        await parts.setup.begin({ subject, requestedBy: ASKER });
        const picture = (requestedBy: string): Promise<string | Buffer> =>
          parts.pendingSecrets.qr(form, subject, requestedBy);

        expect(await ending(picture('sid:other'))).toBe('NOT_FOUND');
        const [given, again] = [await picture(ASKER), await ending(picture(ASKER))];

        expect(Buffer.from(given).subarray(0, 8).toString('latin1')).toContain(form === 'svg' ? '<svg' : 'PNG');
        expect(again).toBe('NOT_FOUND');
      },
    );

    it('the QR code is gone after ten minutes and after the confirmation', async () => {
      const { parts, subject, clock } = await newcomer();
      const { otpauthUri } = await parts.setup.begin({ subject, requestedBy: ASKER });
      clock.advance(600);
      expect(await ending(parts.pendingSecrets.qr('svg', subject, ASKER))).toBe('NOT_FOUND');

      clock.advance(-600);
      const code = AuthenticatorApp.scan(otpauthUri).codeAt(clock.seconds());
      await parts.enrolment.confirm({ subject, requestedBy: ASKER }, typedTotp(code), nothing);
      expect(await ending(parts.pendingSecrets.qr('svg', subject, ASKER))).toBe('NOT_FOUND');
    });
  });

  describe('removal of the second factor', () => {
    it.each(['totp', 'backup code'])(
      'a valid %s disables the second factor with its codes and devices, and keeps the used step',
      async (kind) => {
        const { parts, clock } = await newcomer({ properties: { trustedDeviceEnabled: true } });
        const { subject, app, backupCodes } = await enrolledUser(database.work, parts, clock);
        await database.work.run((tx) => parts.devices.grant(tx, subject));
        const code = kind === 'totp' ? app.codeAt(clock.seconds()) : (backupCodes[0] ?? '');
        const step = (await row(subject))['last_used_step'];

        expect(await ending(parts.authenticators.disable({ subject }, typedCode(code), nothing))).toBe('ok');

        const after = await row(subject);
        expect(after).toMatchObject({ totp_count: 0, pending_totp_id: null, backup_set_id: null, security_stamp: 2 });
        expect(Number(after['last_used_step'])).toBeGreaterThanOrEqual(Number(step));
        expect(await all('SELECT id FROM totp_secret WHERE user_id = ?', subject)).toEqual([]);
        expect(await all('SELECT hash FROM backup_code WHERE user_id = ?', subject)).toEqual([]);
        expect(await parts.deviceList.list(subject)).toEqual([]);
        expect(await ending(parts.secondFactors.prove({ subject }, typedCode(code), nothing))).toBe(
          'MFA_STATE_CONFLICT',
        );
      },
    );

    it('a wrong code does not disable the second factor and counts as a failure', async () => {
      const { parts, clock } = await newcomer();
      const { subject, app } = await enrolledUser(database.work, parts, clock);
      const code = app.wrongCodeAt(clock.seconds());

      expect(await ending(parts.authenticators.disable({ subject }, typedCode(code), nothing))).toBe(
        'MFA_CODE_INVALID',
      );

      expect(await row(subject)).toMatchObject({ failures: 1, security_stamp: 1 });
      expect(await parts.enrolment.state(subject)).toMatchObject({ state: 'active' });
    });

    it('T1: a new enrolment cannot be confirmed with a step that was used before', async () => {
      const { parts, clock } = await newcomer();
      const { subject, app } = await enrolledUser(database.work, parts, clock);
      await parts.authenticators.disable({ subject }, typedCode(app.codeAt(clock.seconds())), nothing);
      const { otpauthUri } = await parts.setup.begin({ subject, requestedBy: ASKER });
      const code = typedTotp(AuthenticatorApp.scan(otpauthUri).codeAt(clock.seconds()));

      const confirmed = parts.enrolment.confirm({ subject, requestedBy: ASKER }, code, nothing);
      expect(await ending(confirmed)).toBe('MFA_CODE_INVALID');
    });

    it('a reset removes the second factor without a code, requires a new enrolment and keeps the failures', async () => {
      const { parts, clock } = await newcomer({ properties: { trustedDeviceEnabled: true } });
      const { subject, app } = await enrolledUser(database.work, parts, clock);
      for (let index = 0; index < 5; index += 1) {
        await ending(
          parts.secondFactors.prove({ subject }, typedCode(app.wrongCodeAt(clock.seconds(), index)), nothing),
        );
      }
      await database.work.run((tx) => parts.devices.grant(tx, subject));
      let hasEnded = false;

      await parts.authenticators.reset(subject, 'cli', () => {
        hasEnded = true;
        return Promise.resolve();
      });

      expect(hasEnded).toBe(true);
      expect(await row(subject)).toMatchObject({ totp_count: 0, enrolment_forced: 1, security_stamp: 3, failures: 5 });
      expect(await all('SELECT id FROM totp_secret WHERE user_id = ?', subject)).toEqual([]);
      expect(await all('SELECT hash FROM backup_code WHERE user_id = ?', subject)).toEqual([]);
      expect(await parts.deviceList.list(subject)).toEqual([]);
      expect(await eventsOf(database.work, subject)).toMatchObject({ MFA_RESET_BY_ADMIN: 1 });
    });

    it('the enrolment after a reset ends the requirement to enrol', async () => {
      const { parts, subject, clock } = await newcomer();
      await parts.authenticators.reset(subject, 'cli', nothing);
      const { otpauthUri } = await parts.setup.begin({ subject, requestedBy: ASKER });
      const code = AuthenticatorApp.scan(otpauthUri).codeAt(clock.seconds());

      await parts.enrolment.confirm({ subject, requestedBy: ASKER }, typedTotp(code), nothing);

      expect(await row(subject)).toMatchObject({ enrolment_forced: 0 });
    });

    it('the second factor of a missing account cannot be reset', async () => {
      const { parts } = await newcomer();

      expect(await ending(parts.authenticators.reset('nobody', 'cli', nothing))).toBe('NOT_FOUND');
    });
  });

  it('the state shows the lock to its owner', async () => {
    const { parts, clock } = await newcomer();
    const { subject, app } = await enrolledUser(database.work, parts, clock);
    for (let index = 0; index < 5; index += 1) {
      await ending(parts.secondFactors.prove({ subject }, typedCode(app.wrongCodeAt(clock.seconds(), index)), nothing));
    }

    const { lock } = await parts.enrolment.state(subject);

    expect(lock).toEqual({ until: clock.seconds() + 300, endsByItself: true });
  });

  it('T19: resealAll seals every secret with the active key', async () => {
    const { parts, clock } = await newcomer();
    const users = [];
    for (let index = 0; index < 3; index += 1) users.push(await enrolledUser(database.work, parts, clock));
    const { secrets, secondFactors } = secondFactorParts(database.work, clock, { sealKey: 'two' });

    expect(await secrets.resealAll()).toBeGreaterThanOrEqual(3);

    expect(await secrets.resealAll()).toBe(0);
    expect([...(await secrets.countByKey()).keys()]).toEqual(['two']);
    for (const { subject, app } of users) {
      expect(await all('SELECT seal_key FROM totp_secret WHERE user_id = ?', subject)).toEqual([{ seal_key: 'two' }]);
      const code = app.codeAt(clock.seconds());
      expect(await ending(secondFactors.prove({ subject }, typedCode(code), nothing))).toBe('ok');
    }
  });
});

import * as argon2 from '@node-rs/argon2';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Account } from '../../../src/identity/account/account.js';
import type { AccountChange } from '../../../src/identity/account/account-changes.store.js';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { unitOfWork } from '../../../src/platform/persistence/database.js';
import { DatabaseInstrumentation } from '../../../src/platform/persistence/database-instrumentation.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { type AccountParts, accountParts, eventKinds } from './account-parts.js';

const PASSWORD = 'kettle-orbit-seven';
const OTHER_PASSWORD = 'lantern-cobalt-nine';
/** The bcrypt hash of `kettle-orbit-seven`, 2^4 rounds. */
const BCRYPT = '$2b$04$NxXQEWxJZ9jZ2QwD9m3NfOG5pW8lFv1tq6tqg8dBdYk0Y3eLrS1e6';

const code = (expected: string): unknown => expect.objectContaining({ code: expected }) as unknown;

onEveryDatabase('accounts', (database) => {
  const log = new CollectedLog();
  log.loggers.setLevel('account', 'DEBUG');
  let parts: AccountParts;
  /** Another process on the same database. */
  let others: AccountParts;

  beforeAll(() => {
    parts = accountParts(database.work, log.loggers);
    others = accountParts(database.work);
  });
  afterAll(async () => {
    await Promise.all([parts.hasher.close(), others.hasher.close()]);
  });

  const create = (loginId: string, roles: readonly string[] = []): Promise<Account> =>
    parts.creation.create({ loginId, password: PASSWORD, roles }, 'cli');
  const reload = async (subject: string): Promise<Account> => {
    const account = await parts.accounts.find(subject);
    if (!account) throw new Error('the account is gone');
    return account;
  };

  it('an account is found by every spelling of its login id', async () => {
    const made = await create('Ａnna.Søk ');

    expect(made.loginId).toBe('anna.søk');
    expect(await parts.accounts.findByLoginId(' ANNA.SØK')).toEqual(made);
    expect(await eventKinds(database.work, made.id)).toEqual(['USER_CREATED']);
  });

  it('a new account is active and local, with security stamp 0', async () => {
    const made = await parts.creation.create(
      {
        loginId: 'fresh',
        password: PASSWORD,
        roles: ['ROLE_B', 'ROLE_A'],
        email: 'fresh@example.org',
        emailVerified: true,
        displayName: ' Zoe\u0308 ',
        groups: ['b', 'a'],
        mfaRequired: true,
      },
      'cli',
    );

    expect(await reload(made.id)).toEqual({
      id: made.id,
      loginId: 'fresh',
      kind: 'local',
      status: 'active',
      roles: ['ROLE_A', 'ROLE_B'],
      email: 'fresh@example.org',
      mfaRequired: true,
      enrolmentForced: false,
      createdAt: parts.clock.seconds(),
      securityStamp: 0,
      totpCount: 0,
      passkeyCount: 0,
      hasPassword: true,
      passwordVersion: 0,
      emailVersion: 0,
      emailVerified: true,
      displayName: 'Zo\u00eb',
      groups: ['a', 'b'],
    });
  });

  it('concurrent creations of one login id create one account', async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? parts : others).creation.create({ loginId: 'twin' }, 'cli'),
      ),
    );

    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = made.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refusals).toEqual(Array.from({ length: 19 }, () => code('CONFLICT')));
    const twin = await parts.accounts.findByLoginId('twin');
    expect(await eventKinds(database.work, twin?.id)).toEqual(['USER_CREATED']);
  });

  it('P1: every failed password check has the result refused and an internal reason', async () => {
    const { id: disabled } = await create('away');
    await database.work.run((tx) => parts.changes.setStatus(tx, disabled, 'disabled', 'cli'));
    const { id: passwordless } = await parts.creation.create({ loginId: 'no-password' }, 'cli');
    const { id: subject } = await create('here');
    const verdict = (loginId: string, password: string): Promise<unknown> =>
      parts.verification.verify({ loginId, password });

    expect(await verdict('nobody', PASSWORD)).toEqual({ kind: 'rejected', reason: 'unknown' });
    expect(await verdict('away', PASSWORD)).toEqual({ kind: 'rejected', reason: 'disabled', subject: disabled });
    expect(await verdict('no-password', PASSWORD)).toEqual({
      kind: 'rejected',
      reason: 'no_password',
      subject: passwordless,
    });
    expect(await verdict('no-password', '')).toEqual({
      kind: 'rejected',
      reason: 'no_password',
      subject: passwordless,
    });
    expect(await verdict('here', 'wrong')).toEqual({ kind: 'rejected', reason: 'wrong_password', subject });
    expect(await verdict('here', '')).toEqual({ kind: 'rejected', reason: 'wrong_password', subject });
  });

  it('P4: a password is compared completely, including its end, spaces and NUL', async () => {
    const password = `kettle orbit seven ${'x1'.repeat(50)}\0tail`;
    await parts.creation.create({ loginId: 'whole', password }, 'cli');
    const isRight = async (tried: string): Promise<boolean> =>
      (await parts.verification.verify({ loginId: 'whole', password: tried })).kind === 'right';

    expect(await isRight(password)).toBe(true);
    for (const tried of [
      password.slice(0, 72),
      password.slice(0, 100),
      `${password}x`,
      `${password} `,
      password.slice(0, -1),
    ]) {
      expect(await isRight(tried), tried).toBe(false);
    }
  });

  it('P5: a password above 1024 bytes is rejected with VALIDATION_FAILED', async () => {
    const long = parts.verification.verify({ loginId: 'here', password: 'ä'.repeat(513) });

    await expect(long).rejects.toEqual(code('VALIDATION_FAILED'));
  });

  it('a hash of another scheme is replaced once, at the first correct password', async () => {
    const { default: bcrypt } = await import('bcryptjs');
    await parts.creation.create({ loginId: 'moved', passwordHash: bcrypt.hashSync(PASSWORD, 4) }, 'cli');
    const stored = async (): Promise<string | undefined> =>
      (await database.work.single((tx) => parts.store.findByLoginId(tx, 'moved')))?.passwordHash;

    expect(await parts.verification.verify({ loginId: 'moved', password: OTHER_PASSWORD })).toMatchObject({
      kind: 'rejected',
    });
    expect(await stored()).toMatch(/^\$2b\$/);
    const logins = await Promise.all(
      [parts, others, parts, others].map(({ verification }) =>
        verification.verify({ loginId: 'moved', password: PASSWORD }),
      ),
    );
    expect(logins.map(({ kind }) => kind)).toEqual(['right', 'right', 'right', 'right']);
    const ours = await stored();
    expect(ours).toMatch(/^\$argon2id\$/);
    expect(await parts.verification.verify({ loginId: 'moved', password: PASSWORD })).toMatchObject({
      kind: 'right',
    });
    expect(await stored()).toBe(ours);
    expect(log.of('account').map(({ message }) => message)).toContain(
      'Rehashed a password whose hash was of another scheme or cost',
    );
    expect((await parts.accounts.findByLoginId('moved'))?.securityStamp).toBe(0);
  });

  it('a late rehash does not restore an old password', async () => {
    const account = await create('changing');
    const { id } = account;
    const before = await database.work.single((tx) => parts.store.find(tx, id));
    const ready = await parts.passwordChanges.ready(id, OTHER_PASSWORD, 'new');
    await database.work.run((tx) => parts.passwordChanges.change(tx, account, ready));

    const isReplaced = await database.work.single((tx) =>
      parts.store.rehash(tx, id, before?.passwordHash ?? '', BCRYPT),
    );

    expect(isReplaced).toBe(false);
    expect(await parts.verification.verifySubject(id, OTHER_PASSWORD)).toMatchObject({ kind: 'right' });
  });

  it('a new password changes the security stamp and removes the pending secret', async () => {
    const account = await create('epochs');
    const { id } = account;
    await database.work.run((tx) => tx.change('UPDATE account SET pending_totp_id = ? WHERE id = ?', ['p', id]));
    const ready = await parts.passwordChanges.ready(id, OTHER_PASSWORD, 'new');

    await database.work.run((tx) => parts.passwordChanges.change(tx, account, ready));

    const [row] = await database.work.single((tx) =>
      tx.rows<{ security_stamp: number; pending_totp_id: string | null }>(
        'SELECT security_stamp, pending_totp_id FROM account WHERE id = ?',
        [id],
      ),
    );
    expect(row).toMatchObject({ security_stamp: 1, pending_totp_id: null });
    expect(await eventKinds(database.work, id)).toEqual(['PASSWORD_CHANGED', 'USER_CREATED']);
    const late = database.work.run((tx) => parts.passwordChanges.change(tx, account, ready));
    await expect(late).rejects.toEqual(code('CONFLICT'));
  });

  it.each(['totp_count', 'passkey_count'])(
    'a password change that was decided without a second factor stores nothing once %s has one',
    async (count) => {
      const account = await create(`late.${count}`);
      const { id } = account;
      const ready = await parts.passwordChanges.ready(id, OTHER_PASSWORD, 'new');
      await database.work.run((tx) => tx.change(`UPDATE account SET ${count} = 1 WHERE id = ?`, [id]));

      const late = database.work.run((tx) => parts.passwordChanges.change(tx, account, ready));

      await expect(late).rejects.toEqual(code('CONFLICT'));
      expect(await eventKinds(database.work, id)).toEqual(['USER_CREATED']);
      const now = await reload(id);
      await database.work.run((tx) => parts.passwordChanges.change(tx, now, ready));
    },
  );

  it('new passwords that are short, common, too long or equal to the login id are rejected', async () => {
    const { id } = await create('rules.of.mine');
    const fault = async (password: string): Promise<unknown> => {
      const error: unknown = await parts.passwordChanges
        .ready(id, password, 'new')
        .catch((refusal: unknown) => refusal);
      return error instanceof ServiceError ? error.facts.errors : error;
    };

    expect(await fault('short')).toEqual([{ field: 'new', code: 'too_short' }]);
    expect(await fault('PassWord1')).toEqual([{ field: 'new', code: 'too_common' }]);
    expect(await fault('Rules.of.Mine')).toEqual([{ field: 'new', code: 'same_as_id' }]);
    expect(await fault('x'.repeat(1025))).toEqual([{ field: 'new', code: 'too_long' }]);
  });

  it('U9: new passwords that are easy to guess are rejected with the reason', async () => {
    const { id } = await parts.creation.create(
      { loginId: 'minji.kim', email: 'mj@harbour.example', displayName: '박서율' },
      'cli',
    );
    const faults = async (password: string): Promise<unknown> => {
      const error: unknown = await parts.passwordChanges
        .ready(id, password, 'new')
        .catch((refusal: unknown) => refusal);
      return error instanceof ServiceError ? error.facts.errors : 'accepted';
    };

    for (const [password, reason] of [
      ['aabbaabbaabb', 'repeated'],
      ['Password2026!', 'like_common'],
      ['loginservice', 'personal'],
      ['minji.kim1', 'personal'],
      ['박서율12345', 'personal'],
      ['qkrtjdbf2026', 'personal'],
      ['qlalfqjsgh12', 'like_common'],
    ] as const) {
      expect(await faults(password), password).toEqual([{ field: 'new', code: reason }]);
    }
    expect(await faults('correct horse battery staple')).toBe('accepted');
  });

  /** Characters that are composed in one form and not in the other. */
  const [COMPOSED, TYPED] = ['kettle-\u00f6rbit-seven', 'kettle-o\u0308rbit-seven'];

  it('U9: a password is accepted in each form of its characters', async () => {
    await parts.creation.create({ loginId: 'by.nfd', password: TYPED }, 'cli');
    await parts.creation.create({ loginId: 'by.nfc', password: COMPOSED }, 'cli');

    for (const loginId of ['by.nfd', 'by.nfc']) {
      for (const password of [COMPOSED, TYPED]) {
        expect(await parts.verification.verify({ loginId, password })).toMatchObject({ kind: 'right' });
      }
    }
  });

  it('U9: an older hash of the typed form is accepted and replaced by one of the composed form', async () => {
    const { id } = await create('older');
    const older = await argon2.hash(TYPED, { memoryCost: 128, timeCost: 1, parallelism: 1 });
    await database.work.run((tx) => tx.change('UPDATE account SET password_hash = ? WHERE id = ?', [older, id]));
    const verdict = (password: string): Promise<unknown> => parts.verification.verify({ loginId: 'older', password });

    expect(await verdict(COMPOSED)).toMatchObject({ kind: 'rejected', reason: 'wrong_password' });
    expect(await verdict(TYPED)).toMatchObject({ kind: 'right' });
    expect(await verdict(COMPOSED)).toMatchObject({ kind: 'right' });
    const stored = await database.work.single((tx) => parts.store.find(tx, id));
    expect(stored?.passwordHash).not.toBe(older);
  });

  it('U9: a password costs the same comparisons whether or not the account exists and the password is right', async () => {
    await parts.creation.create({ loginId: 'comparing', password: COMPOSED }, 'cli');
    const compare = vi.spyOn(parts.hasher, 'verify');
    const comparisons = async (loginId: string, password: string): Promise<number> => {
      compare.mockClear();
      await parts.verification.verify({ loginId, password });
      return compare.mock.calls.length;
    };

    for (const loginId of ['comparing', 'no.such.user']) {
      expect(await comparisons(loginId, COMPOSED)).toBe(1);
      expect(await comparisons(loginId, TYPED)).toBe(2);
      expect(await comparisons(loginId, `${TYPED}x`)).toBe(2);
    }
    compare.mockRestore();
  });

  it('a security stamp is valid until it is raised or the account is disabled', async () => {
    const account = await create('held');
    const { id } = account;
    const holds = (securityStamp: number, more: Partial<Account> = {}): Promise<boolean> =>
      database.work.run((tx) => parts.accounts.signIn(tx, { ...account, securityStamp, ...more }, 1_800_000_000));

    expect(await holds(0)).toBe(true);
    expect(await holds(1)).toBe(false);
    expect(await holds(0, { passkeyCount: 1 })).toBe(false);
    await database.work.run((tx) => parts.changes.setStatus(tx, id, 'disabled', 'cli'));
    expect((await reload(id)).securityStamp).toBe(1);
    expect(await holds(1)).toBe(false);
    await database.work.run((tx) => parts.changes.setStatus(tx, id, 'active', 'cli'));
    expect(await holds(2)).toBe(true);
    expect(await eventKinds(database.work, id)).toEqual(['USER_CHANGED', 'USER_CHANGED', 'USER_CREATED']);
  });

  it('H10: the last administrator cannot be removed, and administrators cannot remove themselves', async () => {
    const one = await create('first.admin', ['ROLE_ADMIN']);
    const two = await create('second.admin', ['ROLE_ADMIN']);
    const disable = (subject: string, actor: string): Promise<void> =>
      database.work.run((tx) => parts.changes.setStatus(tx, subject, 'disabled', actor));

    await expect(disable(one.id, one.id)).rejects.toEqual(code('CONFLICT'));
    const demotion = database.work.run((tx) => parts.changes.change(tx, one.id, { roles: [] }, one.id));
    await expect(demotion).rejects.toEqual(code('CONFLICT'));

    // Each administrator disables the other.
    const race = await Promise.allSettled([disable(one.id, two.id), disable(two.id, one.id)]);
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const left = [await reload(one.id), await reload(two.id)].filter(({ status }) => status === 'active');
    expect(left).toHaveLength(1);
    const last = left[0]?.id ?? '';
    await expect(disable(last, 'cli')).rejects.toEqual(code('CONFLICT'));
    const lastDemotion = database.work.run((tx) => parts.changes.change(tx, last, { roles: ['ROLE_B'] }, 'cli'));
    await expect(lastDemotion).rejects.toEqual(code('CONFLICT'));
    expect((await reload(last)).roles).toEqual(['ROLE_ADMIN']);
  });

  it('a change affects only the given facts', async () => {
    const { id } = await create('facts', ['ROLE_A']);

    await database.work.run((tx) =>
      parts.changes.change(tx, id, { email: 'facts@example.org', mfaRequired: true }, 'cli'),
    );
    expect(await reload(id)).toMatchObject({ roles: ['ROLE_A'], email: 'facts@example.org', mfaRequired: true });
    await database.work.run((tx) => parts.changes.change(tx, id, { email: null, roles: ['ROLE_B'] }, 'cli'));
    const changed = await reload(id);
    expect(changed).toMatchObject({ roles: ['ROLE_B'], mfaRequired: true, securityStamp: 1 });
    expect(changed).not.toHaveProperty('email');
    const refused = database.work.run((tx) => parts.changes.change(tx, id, { roles: ['ROLE_PRE_MFA'] }, 'cli'));
    await expect(refused).rejects.toEqual(code('VALIDATION_FAILED'));
  });

  it('an address stays verified until it changes, and is verified together with a change', async () => {
    const { id } = await create('verified');
    const change = (facts: AccountChange): Promise<void> =>
      database.work.run((tx) => parts.changes.change(tx, id, facts, 'cli'));
    const states: unknown[] = [];
    const step = async (facts: AccountChange): Promise<void> => {
      await change(facts);
      const { email, emailVerified, emailVersion } = await reload(id);
      states.push([email, emailVerified, emailVersion]);
    };

    await step({ email: 'one@example.org' });
    await step({ emailVerified: true });
    await step({ email: 'one@example.org', displayName: 'V' });
    await step({ email: 'two@example.org' });
    await step({ email: 'one@example.org' });
    await step({ email: 'three@example.org', emailVerified: true });
    await step({ email: 'three@example.org', emailVerified: false });
    await step({ email: 'three@example.org', emailVerified: true });
    await step({ email: null });

    expect(states).toEqual([
      ['one@example.org', false, 1],
      ['one@example.org', true, 1],
      ['one@example.org', true, 1],
      ['two@example.org', false, 2],
      ['one@example.org', false, 3],
      ['three@example.org', true, 4],
      ['three@example.org', false, 4],
      ['three@example.org', true, 4],
      [undefined, false, 5],
    ]);
  });

  it('of several links that are confirmed at once, one sets the address and the others lose', async () => {
    const { id } = await create('confirming');
    await database.work.run((tx) => parts.changes.change(tx, id, { email: 'former@example.org' }, 'cli'));
    const before = await reload(id);

    const won = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const { changes } = index % 2 ? parts : others;
        const email = `link-${index}@example.org`;
        return (await database.work.run((tx) => changes.confirmAddress(tx, before, email))) ? [email] : [];
      }),
    );

    expect(won.flat()).toHaveLength(1);
    expect(await reload(id)).toMatchObject({ email: won.flat()[0], emailVerified: true, emailVersion: 2 });
    expect((await eventKinds(database.work, id)).filter((kind) => kind === 'EMAIL_CONFIRMED')).toHaveLength(1);
  });

  it('an address that does not exist cannot be verified', async () => {
    const { id } = await create('unmailed');

    for (const facts of [{ emailVerified: true }, { email: null, emailVerified: true }]) {
      const refused = database.work.run((tx) => parts.changes.change(tx, id, facts, 'cli'));
      await expect(refused).rejects.toEqual(code('VALIDATION_FAILED'));
    }
  });

  it('a display name and groups are changed and removed by themselves', async () => {
    const { id } = await create('named');
    const change = (facts: AccountChange): Promise<void> =>
      database.work.run((tx) => parts.changes.change(tx, id, facts, 'cli'));

    await change({ displayName: ' Ada Lovelace', groups: ['staff', 'Domain Users', 'staff'] });
    expect(await reload(id)).toMatchObject({ displayName: 'Ada Lovelace', groups: ['Domain Users', 'staff'] });
    await change({ displayName: null });
    expect(await reload(id)).not.toHaveProperty('displayName');
    expect((await reload(id)).groups).toHaveLength(2);
    await change({ groups: [] });
    expect((await reload(id)).groups).toEqual([]);
    await expect(change({ displayName: 'a\nb' })).rejects.toEqual(code('VALIDATION_FAILED'));
    await expect(change({ groups: ['a,b'] })).rejects.toEqual(code('VALIDATION_FAILED'));
  });

  it('A4: new roles invalidate the security stamp; other facts do not', async () => {
    const account = await create('promoted', ['ROLE_CLERK']);
    const { id } = account;
    await create('other.admin', ['ROLE_ADMIN']);
    const holds = (securityStamp: number): Promise<boolean> =>
      database.work.run((tx) => parts.accounts.signIn(tx, { ...account, securityStamp }, 1_800_000_000));
    const change = (facts: AccountChange): Promise<void> =>
      database.work.run((tx) => parts.changes.change(tx, id, facts, 'cli:root'));

    await change({ email: 'promoted@example.org', mfaRequired: true });
    expect(await holds(0)).toBe(true);
    await change({ roles: ['ROLE_ADMIN'] });
    expect([await holds(0), await holds(1)]).toEqual([false, true]);
    await change({ roles: [] });
    expect([await holds(1), await holds(2)]).toEqual([false, true]);
  });

  it('A4: the account list accepts any spelling of its query and start id, and is empty for invalid login ids', async () => {
    await create('listed.one');
    await create('listed.two');
    const list = async (filter: { readonly query: string; readonly after?: string }): Promise<readonly string[]> =>
      (await parts.accounts.list({ ...filter, limit: 10 })).map(({ loginId }) => loginId);

    expect(await list({ query: ' LISTED.' })).toEqual(['listed.one', 'listed.two']);
    expect(await list({ query: 'listed.', after: 'Listed.One' })).toEqual(['listed.two']);
    expect(await list({ query: 'listed.\u0007' })).toEqual([]);
    expect(await list({ query: 'x'.repeat(256) })).toEqual([]);
  });

  it('A4: a list of accounts is one statement, so that no change comes between its conditions and its rows', async () => {
    for (const loginId of ['page.1', 'page.2', 'page.3']) await create(loginId, ['ROLE_PAGED']);
    const statements = new CollectedLog();
    statements.loggers.setLevel('orm.sql', 'DEBUG');
    const instrumentation = new DatabaseInstrumentation(new Meters(), statements.loggers, 'front');
    const { accounts } = accountParts(unitOfWork(database.dataSource, new SystemRandom(), instrumentation));

    const page = await accounts.list({
      query: 'page.',
      role: 'ROLE_PAGED',
      status: 'active',
      after: 'page.1',
      limit: 1,
    });

    expect(page.map(({ loginId }) => loginId)).toEqual(['page.2']);
    expect(statements.of('orm.sql')).toHaveLength(1);
  });

  it('A4: a temporary password of 100 random bits is generated unless one is given', async () => {
    const { id } = await create('forgetful');

    const { generated = '', hash } = await parts.passwordChanges.readyTemporary(id, undefined);
    await database.work.run((tx) => parts.passwordChanges.reset(tx, id, { hash }, 'cli:root'));

    expect(generated).toMatch(/^(?:[a-km-np-z2-9]{5}-){3}[a-km-np-z2-9]{5}$/);
    expect(await parts.verification.verify({ loginId: 'forgetful', password: generated })).toMatchObject({
      kind: 'temporary',
      account: { id },
    });
    expect(Object.keys(await parts.passwordChanges.readyTemporary(id, OTHER_PASSWORD))).toEqual(['hash']);
  });

  it('A4: missing accounts and staff accounts cannot get a temporary password', async () => {
    const ready = await parts.passwordChanges.ready((await create('gone')).id, OTHER_PASSWORD, 'new');
    const staff = await create('of.an.idp');
    await database.work.run((tx) => tx.change("UPDATE account SET kind = 'staff' WHERE id = ?", [staff.id]));
    const reset = (subject: string): Promise<unknown> =>
      database.work.run((tx) => parts.passwordChanges.reset(tx, subject, ready, 'cli:root'));

    await expect(reset('nobody')).rejects.toEqual(code('NOT_FOUND'));
    await expect(reset(staff.id)).rejects.toEqual(code('CONFLICT'));
  });

  it('P2: unknown and known login ids cost the same number of reads, also with the device of another account', async () => {
    const { id } = await create('device.owner');
    await create('device.target');
    const device = parts.devices.issue(id);
    const read = vi.spyOn(parts.store, 'findByLoginId');
    const readsOf = async (loginId: string): Promise<number> => {
      read.mockClear();
      expect((await parts.verification.verify({ loginId, password: 'wrong', device })).kind).toBe('rejected');
      return read.mock.calls.length;
    };

    expect(await readsOf('device.nobody')).toBe(await readsOf('device.target'));
    read.mockRestore();
  });

  it('P3: guesses at one login id are throttled without affecting other accounts', async () => {
    await create('guessed');
    const { id: neighbour } = await create('neighbour');
    const tries = (loginId: string): Promise<readonly string[]> =>
      Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          parts.verification.verify({ loginId, password: `guess ${index}` }).then(
            ({ kind }) => kind,
            (error: unknown) => (error instanceof ServiceError ? error.code : 'defect'),
          ),
        ),
      );

    for (const loginId of ['guessed', 'no such user']) {
      const answers = await tries(loginId);
      expect(answers.filter((answer) => answer === 'rejected')).toHaveLength(10);
      expect(answers.filter((answer) => answer === 'RATE_LIMITED')).toHaveLength(30);
    }
    const right = { loginId: 'guessed', password: PASSWORD };
    await expect(parts.verification.verify(right)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      facts: { retryAfterSeconds: 1 },
    });
    expect(await parts.verification.verify({ loginId: 'neighbour', password: PASSWORD })).toMatchObject({
      kind: 'right',
    });
    const owner = await parts.accounts.findByLoginId('guessed');
    const device = parts.devices.issue(owner?.id ?? '');
    expect(await parts.verification.verify({ ...right, device })).toMatchObject({ kind: 'right' });
    await expect(parts.verification.verify({ ...right, device: parts.devices.issue(neighbour) })).rejects.toEqual(
      code('RATE_LIMITED'),
    );
    expect(await parts.verification.verifySubject(owner?.id ?? '', PASSWORD)).toMatchObject({ kind: 'right' });
    parts.clock.now += 1000;
    expect(await parts.verification.verify(right)).toMatchObject({ kind: 'right' });
  });

  it('P3: a hundred concurrent correct passwords are not throttled', async () => {
    await create('busy');

    const verdicts = await Promise.all(
      Array.from({ length: 100 }, () => parts.verification.verify({ loginId: 'busy', password: PASSWORD })),
    );

    expect(verdicts.filter(({ kind }) => kind === 'right')).toHaveLength(100);
  });
});

onEveryDatabase('the initial account', (database) => {
  it('exactly one of several starting processes creates the initial administrator and prints the password', async () => {
    const processes = Array.from({ length: 4 }, () => accountParts(database.work));

    const lines = await Promise.all(processes.map(({ creation }) => creation.firstAdmin()));

    const told = lines.filter((line) => line !== undefined);
    expect(told).toHaveLength(1);
    const [, password = ''] = /password ([a-z2-9-]{23}) /.exec(told[0] ?? '') ?? [];
    const [{ verification, creation }] = processes as [AccountParts];
    expect(await verification.verify({ loginId: 'admin', password })).toMatchObject({
      kind: 'right',
      account: { roles: ['ROLE_ADMIN'] },
    });
    expect(await creation.firstAdmin()).toBeUndefined();
    expect(await eventKinds(database.work)).toEqual(['USER_CREATED']);
    await Promise.all(processes.map(({ hasher }) => hasher.close()));
  });
});

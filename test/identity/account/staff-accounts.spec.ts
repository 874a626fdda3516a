import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Account } from '../../../src/identity/account/account.js';
import type { StaffEntry, StaffPerson } from '../../../src/identity/account/staff/staff-accounts.service.js';
import { PWD } from '../../../src/kernel/principal/amr.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { upTo } from '../../support/login/races.js';
import { tokenParts } from '../../support/login/token-parts.js';
import { type AccountParts, accountParts, eventKinds } from './account-parts.js';

const ISSUER = 'https://idp.test/metadata';
const code = (expected: string): unknown => expect.objectContaining({ code: expected }) as unknown;

onEveryDatabase('staff accounts', (database) => {
  let parts: AccountParts;
  /** Another process on the same database. */
  let others: AccountParts;

  beforeAll(() => {
    parts = accountParts(database.work);
    others = accountParts(database.work);
  });
  afterAll(async () => {
    await Promise.all([parts.hasher.close(), others.hasher.close()]);
  });

  const staffUser = (person: string, more: Partial<StaffPerson> = {}): StaffPerson => ({
    idp: 'corp',
    issuer: ISSUER,
    person,
    roles: [],
    ...more,
  });
  const entry = (who: StaffPerson, { mayCreate = true, at = parts } = {}): Promise<StaffEntry | undefined> =>
    database.work.run((tx) => at.staff.enter(tx, who, mayCreate));
  const enter = async (who: StaffPerson): Promise<Account> => {
    const found = await entry(who);
    if (!found) throw new Error('no account was returned');
    return found.account;
  };
  const admit = ({ staffCreation }: AccountParts, who: StaffPerson): Promise<Account> =>
    database.work.run((tx) => staffCreation.admit(tx, who, 'cli'));
  const setStatus = (subject: string, status: 'active' | 'disabled'): Promise<unknown> =>
    database.work.run((tx) => parts.changes.setStatus(tx, subject, status, 'cli'));
  const identities = (person: string): Promise<readonly { user_id: string; logins: number }[]> =>
    database.work.single((tx) => tx.rows('SELECT user_id, logins FROM staff_identity WHERE person = ?', [person]));
  const events = (subject: string): Promise<readonly object[]> =>
    database.work.single((tx) =>
      tx.rows('SELECT kind, actor, idp, reason FROM security_event WHERE user_id = ? ORDER BY id', [subject]),
    );

  it('a staff account is created at the first sign-in, without a password', async () => {
    const who = staffUser('Ada.L', { roles: ['ROLE_B', 'ROLE_A'], email: 'ada@example.org' });

    const { account, hasOtherRoles } = (await entry(who)) ?? {};

    expect(hasOtherRoles).toBe(false);
    expect(account).toMatchObject({
      loginId: 'corp:ada.l',
      kind: 'staff',
      status: 'active',
      roles: ['ROLE_A', 'ROLE_B'],
      email: 'ada@example.org',
      mfaRequired: false,
      hasPassword: false,
    });
    expect(await events(String(account?.id))).toEqual([
      { kind: 'USER_CREATED', actor: 'idp', idp: 'corp', reason: null },
    ]);
  });

  it('a second sign-in finds the staff account unchanged', async () => {
    const first = await enter(staffUser('again', { roles: ['ROLE_A'], email: 'again@example.org' }));

    const second = await enter(staffUser('again', { roles: ['ROLE_A'], email: 'again@example.org' }));

    expect(second).toEqual(first);
    expect(await eventKinds(database.work, first.id)).toEqual(['USER_CREATED']);
    expect(await identities('again')).toEqual([{ user_id: first.id, logins: 2 }]);
  });

  it('X15: one name from two issuers gives two accounts', async () => {
    const here = await enter(staffUser('shared'));
    const there = await enter(staffUser('shared', { idp: 'other', issuer: 'https://other.test/metadata' }));

    expect(there.id).not.toBe(here.id);
    expect([here.loginId, there.loginId]).toEqual(['corp:shared', 'other:shared']);
  });

  it.each([
    ['in case', ['Case', 'case', 'CASE']],
    ['in what normalization removes', ['ｆull', 'full', ' full ']],
    ['in accents', ['søk', 'sök', 'sok']],
  ])('X15: names that differ only %s are different accounts', async (_, names) => {
    const accounts: Account[] = [];
    for (const name of names) accounts.push(await enter(staffUser(name)));

    expect(new Set(accounts.map(({ id }) => id)).size).toBe(names.length);
    expect(new Set(accounts.map(({ loginId }) => loginId)).size).toBe(names.length);
    const again: string[] = [];
    for (const name of names) again.push((await enter(staffUser(name))).id);
    expect(again).toEqual(accounts.map(({ id }) => id));
  });

  it('X15: a staff account never matches a local account of the same name or address', async () => {
    const local = await parts.creation.create(
      { loginId: 'boss', email: 'boss@example.org', roles: ['ROLE_ADMIN'] },
      'cli',
    );

    const staff = await enter(staffUser('boss', { email: 'boss@example.org' }));

    expect(staff.id).not.toBe(local.id);
    expect(staff).toMatchObject({ loginId: 'corp:boss', roles: [] });
    expect(await parts.accounts.find(local.id)).toEqual(local);
  });

  it('a staff name that is not a login id is shown as a pseudonym', async () => {
    const long = await enter(staffUser('x'.repeat(400)));

    expect(long.loginId).toMatch(/^corp:~[a-z0-9]{10,20}$/);
    expect((await enter(staffUser('x'.repeat(400)))).id).toBe(long.id);
  });

  it('a staff account is not created when only existing ones may sign in', async () => {
    expect(await entry(staffUser('stranger'), { mayCreate: false })).toBeUndefined();

    expect(await identities('stranger')).toEqual([]);
    expect(await parts.accounts.findByLoginId('corp:stranger')).toBeUndefined();
  });

  it('each sign-in updates the roles and the address of a staff account', async () => {
    const { id } = await enter(staffUser('mover', { roles: ['ROLE_A', 'ROLE_B'], email: 'old@example.org' }));

    const less = await entry(staffUser('mover', { roles: ['ROLE_A'], email: 'new@example.org' }));
    const more = await entry(staffUser('mover', { roles: ['ROLE_A', 'ROLE_C'], email: 'new@example.org' }));

    expect(less).toMatchObject({ hasOtherRoles: true, account: { id, roles: ['ROLE_A'], email: 'new@example.org' } });
    expect(more).toMatchObject({ hasOtherRoles: true, account: { roles: ['ROLE_A', 'ROLE_C'] } });
    expect(await parts.accounts.find(id)).toEqual(more?.account);
    expect(await events(id)).toMatchObject([
      { kind: 'USER_CREATED' },
      { kind: 'USER_CHANGED', actor: 'idp', idp: 'corp', reason: 'email roles' },
      { kind: 'USER_CHANGED', actor: 'idp', idp: 'corp', reason: 'roles' },
    ]);
  });

  it('roles that change at a sign-in raise the security stamp, and the sign-in continues with the new one', async () => {
    const before = await enter(staffUser('stamped', { roles: ['ROLE_A'], email: 'old@example.org' }));

    const gained = await enter(staffUser('stamped', { roles: ['ROLE_A', 'ROLE_B'], email: 'old@example.org' }));
    const moved = await enter(staffUser('stamped', { roles: ['ROLE_B', 'ROLE_A'], email: 'new@example.org' }));

    expect(gained.securityStamp).toBe(before.securityStamp + 1);
    expect(moved.securityStamp).toBe(gained.securityStamp);
    expect(await parts.accounts.find(before.id)).toEqual(moved);
  });

  it('a missing or invalid address does not replace the address of a staff account', async () => {
    const { id } = await enter(staffUser('mailed', { email: 'kept@example.org' }));

    await enter(staffUser('mailed'));
    await enter(staffUser('mailed', { email: 'not an address' }));

    expect(await parts.accounts.find(id)).toMatchObject({ email: 'kept@example.org' });
    expect(await enter(staffUser('unmailed', { email: 'not an address' }))).not.toHaveProperty('email');
  });

  it('a disabled staff account is not updated', async () => {
    const { id } = await enter(staffUser('gone', { roles: ['ROLE_A'] }));
    await setStatus(id, 'disabled');

    const refused = await entry(staffUser('gone', { roles: ['ROLE_ADMIN'], email: 'gone@example.org' }));

    expect(refused).toMatchObject({ hasOtherRoles: false, account: { status: 'disabled', roles: ['ROLE_A'] } });
    expect(await parts.accounts.find(id)).toMatchObject({ status: 'disabled', roles: ['ROLE_A'] });
    await setStatus(id, 'active');
    expect(await enter(staffUser('gone', { roles: ['ROLE_B'] }))).toMatchObject({
      status: 'active',
      roles: ['ROLE_B'],
    });
  });

  it('a staff account is rolled back with the transaction of its sign-in', async () => {
    const failing = database.work.run(async (tx) => {
      await parts.staff.enter(tx, staffUser('undone'), true);
      throw new Error('no session');
    });

    await expect(failing).rejects.toThrow('no session');
    expect(await identities('undone')).toEqual([]);
    expect(await parts.accounts.findByLoginId('corp:undone')).toBeUndefined();
  });

  it('X15: 20 concurrent first sign-ins create one staff account', async () => {
    const made = await Promise.all(
      upTo(20).map((index) => entry(staffUser('crowd'), { at: index % 2 ? parts : others })),
    );

    const subjects = new Set(made.map((each) => each?.account.id));
    expect(subjects.size).toBe(1);
    expect(await identities('crowd')).toEqual([{ user_id: [...subjects][0], logins: 20 }]);
    expect(await eventKinds(database.work, [...subjects][0])).toEqual(['USER_CREATED']);
  });

  it('disabling a staff account during its sign-in leaves no session', async () => {
    const { sessions } = tokenParts(database.work, parts.clock);
    for (const round of upTo(10)) {
      const { id: subject } = await enter(staffUser(`raced-${round}`));
      const entered = Promise.withResolvers<undefined>();
      const disabling = entered.promise.then(() =>
        database.work.run(async (tx) => {
          await others.changes.setStatus(tx, subject, 'disabled', 'cli');
          await sessions.endAll(tx, subject);
        }),
      );

      await database.work.run(async (tx) => {
        await parts.staff.enter(tx, staffUser(`raced-${round}`), true);
        entered.resolve(undefined);
        // Gives the other transaction time to finish, unless it has to wait.
        for (let reads = 0; reads < 20; reads += 1) await tx.rows('SELECT id FROM account WHERE id = ?', [subject]);
        await sessions.open(tx, { subject, kind: 'staff', amr: PWD, authTime: parts.clock.seconds() });
      });
      await disabling;

      expect(await parts.accounts.find(subject)).toMatchObject({ status: 'disabled' });
      expect(await sessions.list(subject)).toEqual([]);
    }
  });

  it('a staff account can be created before the first sign-in, which finds it', async () => {
    const admitted = await admit(parts, staffUser('invited', { roles: ['ROLE_A'], email: 'invited@example.org' }));
    expect(admitted).toMatchObject({ loginId: 'corp:invited', kind: 'staff', hasPassword: false, roles: ['ROLE_A'] });
    expect(await identities('invited')).toEqual([{ user_id: admitted.id, logins: 0 }]);
    expect(await events(admitted.id)).toEqual([{ kind: 'USER_CREATED', actor: 'cli', idp: 'corp', reason: null }]);

    const entered = await entry(staffUser('invited', { roles: ['ROLE_B'] }), { mayCreate: false });

    expect(entered).toMatchObject({
      hasOtherRoles: true,
      account: { id: admitted.id, roles: ['ROLE_B'], email: 'invited@example.org' },
    });
    expect(await identities('invited')).toEqual([{ user_id: admitted.id, logins: 1 }]);
  });

  it('one of ten concurrent creations before the first sign-in succeeds', async () => {
    const made = await Promise.allSettled(
      upTo(10).map((index) => admit(index % 2 ? parts : others, staffUser('once'))),
    );

    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = made.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refusals).toEqual(refusals.map(() => code('CONFLICT')));
    await enter(staffUser('entered'));
    await expect(admit(parts, staffUser('entered'))).rejects.toEqual(code('CONFLICT'));
  });

  it.each([
    ['person', staffUser(' ')],
    ['person', staffUser('x'.repeat(513))],
    ['person', staffUser('a\u0000b')],
    ['roles', staffUser('fine', { roles: ['admin'] })],
    ['roles', staffUser('fine', { roles: ['ROLE_PRE_MFA'] })],
    ['email', staffUser('fine', { email: 'nowhere' })],
  ])('a staff account with an invalid %s cannot be created before the first sign-in', async (field, who) => {
    await expect(admit(parts, who)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      facts: { errors: [{ field, code: 'malformed' }] },
    });
    expect(await identities(who.person)).toEqual([]);
  });
});

onEveryDatabase('the last administrator', (database) => {
  it('an identity provider can remove the administrator role of its user, even the last one', async () => {
    const parts = accountParts(database.work);
    const who = { idp: 'corp', issuer: ISSUER, person: 'root' };
    const enter = (roles: readonly string[]): Promise<StaffEntry | undefined> =>
      database.work.run((tx) => parts.staff.enter(tx, { ...who, roles }, true));
    const first = await enter(['ROLE_ADMIN']);

    const second = await enter([]);

    expect(second).toMatchObject({ hasOtherRoles: true, account: { id: first?.account.id, roles: [] } });
    const [row] = await database.work.single((tx) =>
      tx.rows<{ is_admin: number }>('SELECT is_admin FROM account WHERE id = ?', [String(first?.account.id)]),
    );
    expect(row?.is_admin).toBe(0);
    await parts.hasher.close();
  });
});

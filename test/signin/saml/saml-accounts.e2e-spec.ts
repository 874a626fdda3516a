import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { PASSWORD, refresh } from '../../support/login/login-story.js';
import type { ResponseOptions } from '../../support/saml/saml-response.js';
import { MFA_CLASS, PASSWORD_CLASS, ROLES, staffStoryOn } from '../../support/saml/staff-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const MAIL = 'urn:test:mail';
const NUMBER = 'urn:test:employee-number';
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

interface AccountRow {
  readonly id: string;
  readonly login_id: string;
  readonly kind: string;
  readonly status: string;
  readonly roles: string;
  readonly email: string | null;
  readonly password_hash: string | null;
}

onAnyEngine('X15: staff accounts', (engine) => {
  const staff = staffStoryOn(
    engine,
    {
      corp: {
        'roles.attribute': ROLES,
        'roles.map[Admins]': 'ROLE_ADMIN',
        'roles.map[Treasury]': 'ROLE_TREASURY',
        'roles.default': 'ROLE_STAFF',
        'email.attribute': MAIL,
      },
      other: {},
      closed: { 'account.create': 'false' },
      numbered: { 'account.attribute': NUMBER },
    },
    { people: 3 },
  );
  const { story } = staff;
  let nameCount = 0;
  const newName = (): string => {
    nameCount += 1;
    return `staff-${nameCount}`;
  };
  const signIn = (bent: Partial<ResponseOptions>, idp = 'corp', client?: HttpClient): ReturnType<typeof staff.signIn> =>
    staff.signIn({ authnContextClassRef: MFA_CLASS, ...bent }, { idp, ...(client && { client }) });
  const subjectOf = async (client: HttpClient): Promise<string> => String((await client.get('/me')).body['sub']);
  const rowOf = async (subject: string): Promise<AccountRow | undefined> =>
    (await story.database.query<AccountRow>('SELECT * FROM account WHERE id = ?', [subject]))[0];
  const countAccounts = async (): Promise<number> => (await story.database.query('SELECT id FROM account')).length;
  const rolesOf = async (client: HttpClient): Promise<unknown> => decodeJwt(await staff.accessToken(client))['roles'];

  it('the first sign-in creates a staff account without a password', async () => {
    const nameId = newName();

    const { client } = await signIn({ nameId, attributes: { [MAIL]: 'ada@example.org' } });

    const { body } = await client.get('/me');
    expect(body).toMatchObject({ id: `corp:${nameId}`, idp: 'corp', roles: ['ROLE_STAFF'] });
    const made = { kind: 'staff', password_hash: null, email: 'ada@example.org', login_id: `corp:${nameId}` };
    expect(await rowOf(String(body['sub']))).toMatchObject(made);
    const events = await story.events({ id: `corp:${nameId}` });
    expect(events.map(({ kind, actor }) => [kind, actor])).toEqual([
      ['USER_CREATED', 'idp'],
      ['SAML_OK', null],
    ]);
  });

  it('the next sign-in finds the same staff account', async () => {
    const nameId = newName();
    const first = await signIn({ nameId });
    const count = await countAccounts();

    const second = await signIn({ nameId });

    expect(await subjectOf(second.client)).toBe(await subjectOf(first.client));
    expect(await countAccounts()).toBe(count);
  });

  it('a staff account differs from a local account of the same name', async () => {
    const local = story.person();
    const { client: localClient, accessToken: bearer } = await story.signInByPassword(local);
    const localSubject = String((await localClient.get('/me', { bearer })).body['sub']);

    const { client } = await signIn({ nameId: local.id });

    const { body } = await client.get('/me');
    expect(body['id']).toBe(`corp:${local.id}`);
    expect(body['sub']).not.toBe(localSubject);
    expect(await rowOf(localSubject)).toMatchObject({ kind: 'local', login_id: local.id });
    expect(await localClient.get('/me', { bearer })).toBeAnswered(200);
  });

  it('a staff account differs from a local account of the same mail address', async () => {
    const address = 'shared@example.org';
    const added = await story.command('users', 'add', 'mailed', '--email', address, '--roles', 'ROLE_ADMIN');
    expect(added.exitCode).toBe(0);

    const { client } = await signIn({ nameId: address, attributes: { [MAIL]: address } });

    const { body } = await client.get('/me');
    expect(body).toMatchObject({ id: `corp:${address}`, roles: ['ROLE_STAFF'] });
    expect(body['sub']).not.toBe(await story.subjectOf({ id: 'mailed' }));
  });

  it('the same name at two identity providers gives two staff accounts', async () => {
    const nameId = newName();

    const here = await signIn({ nameId });
    const there = await signIn({ nameId }, 'other');

    expect((await there.client.get('/me')).body['id']).toBe(`other:${nameId}`);
    expect(await subjectOf(there.client)).not.toBe(await subjectOf(here.client));
  });

  it('names that differ only in case give different staff accounts', async () => {
    const subjects: string[] = [];
    for (const nameId of ['Grace', 'grace', 'GRACE']) subjects.push(await subjectOf((await signIn({ nameId })).client));

    expect(new Set(subjects).size).toBe(3);
    const again = await signIn({ nameId: 'Grace' });
    expect(await subjectOf(again.client)).toBe(subjects[0]);
  });

  it('account.attribute names the staff account', async () => {
    const attributes = { [NUMBER]: '4711' };

    const first = await signIn({ nameId: 'one', nameIdFormat: TRANSIENT, attributes }, 'numbered');
    const second = await signIn({ nameId: 'two', nameIdFormat: TRANSIENT, attributes }, 'numbered');

    expect((await second.client.get('/me')).body['id']).toBe('numbered:4711');
    expect(await subjectOf(second.client)).toBe(await subjectOf(first.client));
  });

  it.each([
    ['absent', {}],
    ['with two values', { [NUMBER]: ['4711', '4712'] }],
  ])('M3: the reason names account.attribute, and not the NameID, if it is %s', async (_, attributes) => {
    const { answer } = await signIn({ nameId: 'one', attributes }, 'numbered');

    expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('account_attribute');
  });

  it('a transient NameID creates no staff account', async () => {
    const count = await countAccounts();

    const { answer } = await signIn({ nameId: newName(), nameIdFormat: TRANSIENT });

    expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('name_id');
    expect(await countAccounts()).toBe(count);
  });

  it('account.create=false rejects a user without a staff account', async () => {
    const nameId = newName();
    const count = await countAccounts();

    const { client, answer } = await signIn({ nameId }, 'closed');

    expect(answer).toBeRefused(403, 'SAML_USER_NOT_ALLOWED');
    expect(await staff.lastRejection()).toBe('user_unknown');
    expect(await countAccounts()).toBe(count);
    expect(await client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
  });

  it('users admit creates a staff account before the first sign-in, but only once', async () => {
    const nameId = newName();
    const args = ['users', 'admit', '--idp', 'closed', '--person', nameId];

    const admitted = await story.command(...args, '--email', 'new@example.org');

    expect(admitted).toMatchObject({ exitCode: 0 });
    expect(admitted.stdout).toBe(`Created user closed:${nameId}, who may sign in through closed.\n`);
    const { client, answer } = await signIn({ nameId }, 'closed');
    expect(answer.status).toBe(303);
    const subject = await subjectOf(client);
    expect(await rowOf(subject)).toMatchObject({ login_id: `closed:${nameId}`, email: 'new@example.org' });
    const [created] = await story.events({ id: `closed:${nameId}` });
    expect(created).toMatchObject({ kind: 'USER_CREATED', actor: expect.stringMatching(/^cli:./) as string });
    const again = await story.command(...args);
    expect(again).toMatchObject({ exitCode: 1, stderr: 'This person already has a user.\n' });
  });

  it('each sign-in sets exactly the mapped roles', async () => {
    const nameId = newName();
    const groups = ['Treasury', 'treasury', 'ROLE_ADMIN', 'Admins ', 'Unmapped'];

    const { client } = await signIn({ nameId, attributes: { [ROLES]: groups, 'urn:other': 'Admins' } });

    expect(await rolesOf(client)).toEqual(['ROLE_STAFF', 'ROLE_TREASURY']);
    const more = await signIn({ nameId, attributes: { [ROLES]: ['Treasury', 'Admins'] } });
    expect(await rolesOf(more.client)).toEqual(['ROLE_ADMIN', 'ROLE_STAFF', 'ROLE_TREASURY']);
  });

  it.each([
    ['lost', ['Treasury'], []],
    ['gained', [], ['Treasury']],
    ['replaced', ['Treasury'], ['Admins']],
  ])('a %s role ends the other sessions', async (_, before, after) => {
    const nameId = newName();
    const former = await signIn({ nameId, attributes: { [ROLES]: before } });
    const bearer = await staff.accessToken(former.client);

    const { client } = await signIn({ nameId, attributes: { [ROLES]: after } });

    expect(await former.client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    expect(await staff.client().get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await refresh(former.client)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await client.get('/me')).toBeAnswered(200);
    const changed = (await story.events({ id: `corp:${nameId}` })).find(({ kind }) => kind === 'USER_CHANGED');
    expect(changed).toMatchObject({ actor: 'idp', reason: 'roles' });
  });

  it('equal roles, in whatever order they are stated, end no other session', async () => {
    const nameId = newName();
    const former = await signIn({ nameId, attributes: { [ROLES]: ['Treasury', 'Admins'] } });

    await signIn({ nameId, attributes: { [ROLES]: ['Admins', 'Treasury'] } });

    expect(await former.client.get('/me')).toBeAnswered(200);
  });

  it('the identity provider can remove the administrator role, even of the last administrator', async () => {
    const nameId = newName();
    const admin = await signIn({ nameId, attributes: { [ROLES]: ['Admins'] } });
    const subject = await subjectOf(admin.client);
    await story.database.query("UPDATE account SET is_admin = 0, roles = '' WHERE id <> ?", [subject]);

    const { client } = await signIn({ nameId });

    expect(await rolesOf(client)).toEqual(['ROLE_STAFF']);
    expect(await story.database.query('SELECT id FROM account WHERE is_admin = 1')).toEqual([]);
  });

  it('each sign-in updates the mail address unless it is missing or invalid', async () => {
    const nameId = newName();
    const { client } = await signIn({ nameId, attributes: { [MAIL]: 'old@example.org' } });
    const subject = await subjectOf(client);

    await signIn({ nameId, attributes: { [MAIL]: 'new@example.org' } });
    expect(await rowOf(subject)).toMatchObject({ email: 'new@example.org' });
    await signIn({ nameId, attributes: { [MAIL]: 'nowhere' } });
    await signIn({ nameId });

    expect(await rowOf(subject)).toMatchObject({ email: 'new@example.org' });
    expect(await client.get('/me')).toBeAnswered(200);
  });

  it('a disabled staff account stays disabled and keeps its roles', async () => {
    const nameId = newName();
    const { client } = await signIn({ nameId });
    const subject = await subjectOf(client);
    expect((await story.command('users', 'disable', `corp:${nameId}`)).exitCode).toBe(0);
    expect(await client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');

    const refused = await signIn({ nameId, attributes: { [ROLES]: ['Admins'] } });

    expect(refused.answer).toBeRefused(403, 'SAML_USER_NOT_ALLOWED');
    expect(await staff.lastRejection()).toBe('user_disabled');
    expect(await rowOf(subject)).toMatchObject({ status: 'disabled', roles: 'ROLE_STAFF' });
    expect((await story.command('users', 'enable', `corp:${nameId}`)).exitCode).toBe(0);
    expect((await signIn({ nameId })).answer.status).toBe(303);
  });

  it.each(['/login', '/session'])('POST %s responds to a staff account as to an unknown login id', async (path) => {
    const nameId = newName();
    await signIn({ nameId });
    const said = async (id: string): Promise<unknown> => {
      const { status, text, headers, cookies }: Answer = await staff.client().post(path, { id, pw: PASSWORD });
      const names = [...headers.keys()].toSorted();
      return { status, text: text.replace(/"request_id":"[^"]*"/, ''), names, cookies };
    };

    const known = await said(`corp:${nameId}`);

    expect(known).toMatchObject({ status: 401, text: expect.stringContaining('INVALID_CREDENTIALS') as string });
    expect(known).toEqual(await said('corp:nobody'));
  });

  it('a local account cannot have a name with the prefix of staff accounts', async () => {
    const count = await countAccounts();
    const file = join(story.cwd, 'colon.csv');
    writeFileSync(file, 'login_id,roles\ncorp:imported,\n');

    const added = await story.command('users', 'add', 'corp:added');
    const imported = await story.command('users', 'import', file);

    expect(added).toMatchObject({ exitCode: 1, stdout: '' });
    expect(added.stderr).toContain('no ":"');
    expect(imported).toMatchObject({ exitCode: 1 });
    expect(await countAccounts()).toBe(count);
  });

  it('a staff account has no password for setup or a password change', async () => {
    const { client } = await signIn({ nameId: newName(), authnContextClassRef: PASSWORD_CLASS });
    story.clock.advance(600);

    expect(await client.post('/2fa/setup', { pw: PASSWORD })).toBeRefused(401, 'INVALID_CREDENTIALS');
    const change = await client.post('/me/password', { current: PASSWORD, new: 'nine loud lanterns & 2 ports' });
    expect(change).toBeRefused(401, 'INVALID_CREDENTIALS');
  });
});

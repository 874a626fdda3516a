import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, Administrator, HELP_DESK } from '../../support/login/administrator.js';
import type { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import type { Members } from '../../support/http/http-client.js';
import { PASSWORD, type SignedIn, storyOn } from '../../support/login/login-story.js';
import { assert, creationOptions, type PasskeyHolder, PasskeyStory } from '../../support/passkey/passkey-story.js';
import { onEachEngine } from '../../support/database/story-database.js';

const STATED = { reason: 'lost key', ticket: 'HD-4711' };
const TABLES = ['passkey', 'passkey_challenge', 'totp_secret', 'backup_code', 'trusted_device'];

/** A user with a passkey and an authenticator app. */
interface Owner extends PasskeyHolder {
  readonly app: AuthenticatorApp;
  readonly signedIn: SignedIn;
}

onEachEngine('authenticators of a user in the administration', (engine) => {
  const story = storyOn(engine, {
    people: 30,
    others: { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK', manager: 'ROLE_MANAGEMENT' },
    args: ['--app.security.mfa.trusted-device.enabled=true'],
  });
  const passkeys = new PasskeyStory(story);
  let admin: Administrator;
  let desk: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    desk = await Administrator.of(story, HELP_DESK);
  });

  // Codes age while users set up their apps.
  beforeEach(async () => {
    [admin, desk] = [await signedInAgain(admin), await signedInAgain(desk)];
  });

  async function signedInAgain({ person }: Administrator): Promise<Administrator> {
    const { accessToken } = await story.signIn(person);
    return Administrator.signedIn(story, { ...person, accessToken });
  }

  const pathOf = async (person: { readonly id: string }): Promise<string> => `/users/${await story.subjectOf(person)}`;

  async function owner(): Promise<Owner> {
    const holder = await passkeys.holder();
    const signedIn = await passkeys.signIn(holder);
    return { ...holder, app: await story.addApp(signedIn, 'Phone'), signedIn };
  }

  async function listed(path: string): Promise<readonly Members[]> {
    const answer = await admin.send('GET', path);
    expect(answer).toBeAnswered(200);
    return answer.body['authenticators'] as readonly Members[];
  }

  async function idOf(path: string, type: 'passkey' | 'totp'): Promise<string> {
    return String((await listed(path)).find((each) => each['type'] === type)?.['id']);
  }

  async function rowsOf(subject: string): Promise<Readonly<Record<string, number>>> {
    const counts = TABLES.map(async (table) => {
      const rows = await story.database.query(`SELECT user_id FROM ${table} WHERE user_id = '${subject}'`);
      return [table, rows.length] as const;
    });
    return Object.fromEntries(await Promise.all(counts));
  }

  it('GET /admin/users/:sub lists the authenticators as GET /2fa does', async () => {
    const user = await owner();
    const own = await user.signedIn.client.get('/2fa', { bearer: user.signedIn.accessToken });

    const shown = await listed(await pathOf(user));

    expect(shown).toEqual(own.body['authenticators']);
    expect(shown).toMatchObject([
      { id: user.passkeyId, type: 'passkey', synced: false },
      { type: 'totp', name: 'Phone' },
    ]);
    expect(await listed(await pathOf(story.person()))).toEqual([]);
  });

  it('the help desk sees the authenticators of accounts on which it may act, and of no others', async () => {
    const user = await passkeys.holder();

    const visible = await desk.send('GET', await pathOf(user));
    const hidden = await desk.send('GET', await pathOf(admin.person));

    expect(visible.body['authenticators']).toHaveLength(1);
    expect(hidden).toBeAnswered(200);
    expect(hidden.body).not.toHaveProperty('authenticators');
  });

  it('DELETE removes a passkey and ends all sessions, and the user signs in with the app', async () => {
    const user = await owner();
    const path = await pathOf(user);
    const { client, accessToken: bearer } = user.signedIn;
    const halfway = await story.mfaToken(user);

    const answer = await admin.send('DELETE', `${path}/authenticators/${user.passkeyId}`, STATED);

    expect(answer).toBeAnswered(204);
    expect(await listed(path)).toMatchObject([{ type: 'totp', name: 'Phone' }]);
    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    const late = await client.post('/login/2fa', { mfa_token: halfway, code: story.nextCode(user) });
    expect(late).toBeRefused(401, 'MFA_TOKEN_INVALID');
    expect((await story.login(user)).body).toMatchObject({ methods: ['totp', 'backup_code'] });
    await story.signIn(user);
    const [event] = (await story.events(user)).filter(({ kind }) => kind === 'PASSKEY_REMOVED');
    expect(event).toMatchObject({ actor: await story.subjectOf({ id: ADMIN }), result: 'ok', reason: null });
    expect(JSON.parse(event?.detail ?? '')).toEqual({
      ...{ authenticator: expect.any(String) as string, stated_reason: 'lost key', ticket: 'HD-4711' },
    });
    expect(await story.countOf(user, 'MFA_DISABLED')).toBe(0);
  });

  it('the help desk removes an authenticator app, and the user signs in with the passkey', async () => {
    const user = await owner();
    const path = await pathOf(user);

    const answer = await desk.send('DELETE', `${path}/authenticators/${await idOf(path, 'totp')}`, STATED);

    expect(answer).toBeAnswered(204);
    expect(await listed(path)).toMatchObject([{ id: user.passkeyId }]);
    await passkeys.signIn(user);
    const [event] = (await story.events(user)).filter(({ kind }) => kind === 'TOTP_REMOVED');
    expect(event).toMatchObject({ actor: await story.subjectOf({ id: HELP_DESK }), reason: null });
  });

  it('removing an authenticator ends the trust in all devices', async () => {
    const user = await owner();
    const client = story.client();
    const bearer = await story.mfaToken(user, client);
    const credential = await passkeys.assertion(client, { bearer }, user.authenticator);
    expect(await assert(client, { bearer }, credential, { trust_device: true })).toBeAnswered(200);
    expect((await story.login(user, client)).body).toMatchObject({ mfa_required: false });

    const answer = await admin.send('DELETE', `${await pathOf(user)}/authenticators/${user.passkeyId}`, STATED);

    expect(answer).toBeAnswered(204);
    expect((await story.login(user, client)).body).toMatchObject({ mfa_required: true });
  });

  it('the last authenticator stays, and only the reset of the second factor removes it', async () => {
    const user = await passkeys.holder();
    const path = await pathOf(user);

    const refused = await admin.send('DELETE', `${path}/authenticators/${user.passkeyId}`, STATED);

    expect(refused).toBeRefused(409, 'MFA_STATE_CONFLICT');
    expect(await listed(path)).toHaveLength(1);
    expect(await story.countOf(user, 'PASSKEY_REMOVED')).toBe(0);
    await passkeys.signIn(user);
    expect(await admin.send('POST', `${path}/mfa/reset`, STATED)).toBeAnswered(204);
    expect(await listed(path)).toEqual([]);
  });

  it('one of two removals of different authenticators at once is refused, and one authenticator stays', async () => {
    const user = await owner();
    const path = await pathOf(user);
    const ids = [user.passkeyId, await idOf(path, 'totp')];

    const answers = await Promise.all(ids.map((id) => admin.send('DELETE', `${path}/authenticators/${id}`, STATED)));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    expect(await listed(path)).toHaveLength(1);
  });

  it('removing needs a reason, an authenticator of that user, and another caller than the user', async () => {
    const [user, other] = [await owner(), await owner()];
    const path = `${await pathOf(user)}/authenticators`;
    const ownPath = await pathOf(admin.person);

    expect(await admin.send('DELETE', `${path}/${user.passkeyId}`, {})).toBeRefused(400, 'VALIDATION_FAILED');
    expect(await desk.send('DELETE', `${path}/${user.passkeyId}`, { reason: 'lost' })).toBeRefused(
      400,
      'VALIDATION_FAILED',
    );
    for (const id of [other.passkeyId, 'none', '%27%20OR%201=1%20--']) {
      expect(await admin.send('DELETE', `${path}/${id}`, STATED), id).toBeRefused(404, 'NOT_FOUND');
    }
    const own = await admin.send('DELETE', `${ownPath}/authenticators/${await idOf(ownPath, 'totp')}`, STATED);
    expect(own).toBeRefused(409, 'CONFLICT');
    expect(await listed(await pathOf(user))).toHaveLength(2);
    expect(await listed(await pathOf(other))).toHaveLength(2);
  });

  it('A7: the help desk removes no authenticator of a protected account, and the refusal is an event', async () => {
    const path = `${await pathOf({ id: 'manager' })}/authenticators`;
    for (const id of ['none', await idOf(await pathOf(admin.person), 'totp')]) {
      expect(await desk.send('DELETE', `${path}/${id}`, STATED)).toBeRefused(403, 'ACCESS_DENIED');
    }

    const refusals = (await story.events({ id: 'manager' })).filter(({ kind }) => kind === 'ADMIN_ACT_REFUSED');

    expect(refusals).toMatchObject([{ reason: 'protected account' }, { reason: 'protected account' }]);
    expect(JSON.parse(refusals[0]?.detail ?? '')).toMatchObject({ act: 'removeAuthenticator', ticket: 'HD-4711' });
  });

  describe('the commands', () => {
    it('users show lists authenticators with type, id, name, times and whether they may be synced', async () => {
      const [user, synced] = [await owner(), await passkeys.holder({ isSynced: true })];
      await story.signIn(user);

      const shown = await story.command('users', 'show', user.id);
      const other = await story.command('users', 'show', synced.id);

      const [at, uuid] = ['[\\dT:.-]+Z', '[\\da-f-]{36}'];
      expect(shown.stdout).toMatch(
        new RegExp(
          `^authenticator  passkey  ${uuid}  -  bound to one device  created ${at}  last used ${at}\\nauthenticator  totp  ${uuid}  Phone  created ${at}  last used ${at}$`,
          'm',
        ),
      );
      expect(other.stdout).toMatch(
        new RegExp(`^authenticator  passkey  ${uuid}  -  synced  created ${at}  never used$`, 'm'),
      );
      expect((await story.command('users', 'show', story.person().id)).stdout).not.toContain('authenticator');
    });

    it('users list says that a user with a passkey alone has a second factor', async () => {
      const user = await passkeys.holder();

      const { stdout } = await story.command('users', 'list', '--query', user.id);

      expect(stdout).toContain(`${user.id}  active  local  mfa  -\n`);
    });
  });

  describe('what is left in the database', () => {
    it.each([
      ['a reset', 204, (path: string) => admin.send('POST', `${path}/mfa/reset`, STATED)],
      ['the deletion of the account', 204, (path: string) => admin.send('DELETE', path, STATED)],
      ['users reset-mfa', 0, (_path: string, id: string) => story.command('users', 'reset-mfa', id)],
      ['users delete', 0, (_path: string, id: string) => story.command('users', 'delete', id)],
    ] as const)('%s leaves no authenticator, challenge, code or trusted device', async (_, expected, act) => {
      const user = await owner();
      const { client, accessToken: bearer } = user.signedIn;
      await creationOptions(client, { bearer });
      const [path, subject] = [await pathOf(user), await story.subjectOf(user)];
      const before = { passkey: 1, passkey_challenge: 1, totp_secret: 1, backup_code: 10 };
      expect(await rowsOf(subject)).toMatchObject(before);

      const done = await act(path, user.id);

      expect('exitCode' in done ? done.exitCode : done.status).toBe(expected);
      expect(await rowsOf(subject)).toEqual(Object.fromEntries(TABLES.map((table) => [table, 0])));
    });

    it('A8: an export has the passkeys of the user with their names, and no key', async () => {
      const user = await passkeys.holder();
      const { client, accessToken: bearer } = await passkeys.signIn(user);
      const other = passkeys.authenticator();
      await passkeys.register(client, { bearer }, other, { name: 'Blue key' });
      await creationOptions(client, { bearer });

      const answer = await admin.send('GET', `${await pathOf(user)}/export`);

      expect(answer.body['passkeys']).toHaveLength(2);
      expect(answer.body['passkeys']).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: user.passkeyId, name: null, last_used_at: expect.any(String) as string }),
          expect.objectContaining({ name: 'Blue key', last_used_at: null, backup_eligible: 0 }),
        ]),
      );
      expect(answer.body['passkey_challenges']).toMatchObject([{ purpose: 'registration' }]);
      const secrets = await story.database.query<{ secret: string }>(
        'SELECT public_key AS secret FROM passkey UNION SELECT credential_hash FROM passkey UNION SELECT id FROM passkey_challenge',
      );
      expect(secrets.filter(({ secret }) => answer.text.includes(secret))).toEqual([]);
    });
  });

  it('users reset-mfa says what it removes, and is an event with its actor', async () => {
    const user = await owner();

    const { exitCode, stdout } = await story.command('users', 'reset-mfa', user.id);

    expect(exitCode).toBe(0);
    expect(stdout).toBe(`${user.id}: removed all authenticators and backup codes, ended all sessions.\n`);
    expect(await listed(await pathOf(user))).toEqual([]);
    const kinds = (await story.events(user)).map(({ kind }) => kind);
    expect(kinds).toContain('MFA_RESET_BY_ADMIN');
    expect(kinds).not.toContain('PASSKEY_REMOVED');
  });

  it('a user whose only passkey was removed enrols again by the password alone after a reset', async () => {
    const user = await passkeys.holder();
    expect(await admin.send('POST', `${await pathOf(user)}/mfa/reset`, STATED)).toBeAnswered(204);

    const login = await story.client().post('/login', { id: user.id, pw: PASSWORD });

    expect(login.body).toMatchObject({ enrolment_required: true, enrolment_methods: ['passkey', 'totp'] });
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, Administrator, HELP_DESK } from '../../support/login/administrator.js';
import { type Answer, type Members, textOf } from '../../support/http/http-client.js';
import { type Enrolled, PASSWORD, refresh, storyOn } from '../../support/login/login-story.js';
import { LEAK } from '../../support/programs/leak.js';
import { onEachEngine, onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const NEW_PASSWORD = 'eight loud lanterns & 2 harbours';
const SECRETS = /argon2|[A-Z2-7]{32}|"(?:password_hash|sealed|secret)"/;

function itemsOf({ body }: Answer): readonly Members[] {
  return body['items'] as readonly Members[];
}

onEachEngine('users of the administration', (engine) => {
  const story = storyOn(engine, {
    people: 40,
    others: { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK' },
    args: ['--app.security.mfa.trusted-device.enabled=true'],
  });
  let admin: Administrator;
  let sub: (person: { readonly id: string }) => Promise<string>;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    sub = (person) => story.subjectOf(person);
  });

  async function created(id: string, more: object = {}): Promise<string> {
    const answer = await admin.send('POST', '/users', { id, ...more });
    expect(answer).toBeAnswered(201);
    expect(answer.text).not.toMatch(SECRETS);
    return textOf(answer, 'sub');
  }

  describe('GET /admin/users', () => {
    it('GET /admin/users finds users by a part of the login id or of the mail address, in any case', async () => {
      await created('search-one', { email: 'Grey.Heron@Harbour.example' });
      await created('search-two', { email: 'kettle@harbour.example' });
      const found = async (query: string): Promise<unknown> =>
        itemsOf(await admin.send('GET', `/users?query=${encodeURIComponent(query)}`)).map(({ id }) => id);

      expect(await found('ARCH-')).toEqual(['search-one', 'search-two']);
      expect(await found('heron@HARB')).toEqual(['search-one']);
      expect(await found('%')).toEqual([]);
      expect(await found("' OR 1=1 --")).toEqual([]);
      expect(await found('  ')).toHaveLength(44);
    });

    it('GET /admin/users lists users in slices, each once', async () => {
      const seen: unknown[] = [];
      for (let after: string | undefined = ''; after !== undefined;) {
        const page = await admin.send('GET', `/users?limit=7${after === '' ? '' : `&after=${after}`}`);
        expect(page).toBeAnswered(200);
        seen.push(...itemsOf(page).map(({ id }) => id));
        after = page.body['next'] as string | undefined;
      }
      expect(seen.length).toBeGreaterThanOrEqual(42);
      expect(seen).toEqual([...new Set(seen)].toSorted());
    });

    it.each([
      'limit=0',
      'limit=201',
      'limit=x',
      'state=x',
      'inactive_days=-1',
      `query=${'x'.repeat(256)}`,
      `after=${'x'.repeat(256)}`,
      'page=2',
    ])('H4: GET /admin/users?%s is rejected', async (query) => {
      expect(await admin.send('GET', `/users?${query}`)).toBeRefused(400, 'VALIDATION_FAILED');
    });
  });

  describe('POST /admin/users', () => {
    it('POST /admin/users creates a user who signs in with the given password', async () => {
      await created('with-password', { pw: PASSWORD, email: 'w@harbour.example', roles: ['ROLE_CLERK'] });

      const { accessToken: bearer } = await story.signInByPassword({ id: 'with-password', password: PASSWORD });
      expect((await story.client().get('/me', { bearer })).body).toMatchObject({ roles: ['ROLE_CLERK'] });
    });

    it('POST /admin/users without a password creates a user who cannot sign in, and returns no password', async () => {
      const answer = await admin.send('POST', '/users', { id: 'without-password', mfa_required: true });

      expect(answer).toBeAnswered(201);
      expect(answer.body).toMatchObject({ id: 'without-password', has_password: false, mfa_required: true });
      const login = await story.client().post('/login', { id: 'without-password', pw: PASSWORD });
      expect(login).toBeRefused(401, 'INVALID_CREDENTIALS');
    });

    it('POST /admin/users rejects a login id that is taken and values that are not allowed', async () => {
      await created('taken');
      expect(await admin.send('POST', '/users', { id: 'TAKEN' })).toBeRefused(409, 'CONFLICT');
      for (const wrong of [
        { id: 'a:b' },
        { id: 'x', roles: ['ROLE_PRE_MFA'] },
        { id: 'x', roles: ['admin'] },
        { id: 'x', email: 'a@b@c' },
        { id: 'x', pw: 'short' },
        { id: 'x', status: 'active' },
        { id: 'x', reason: 'r'.repeat(201) },
      ]) {
        expect(await admin.send('POST', '/users', wrong), JSON.stringify(wrong)).toBeRefused(400, 'VALIDATION_FAILED');
      }
    });
  });

  describe('PATCH /admin/users/:sub', () => {
    it('PATCH changes several members at once, and other roles end the sessions', async () => {
      const person = await story.enrolled();
      const change = { email: 'new@harbour.example', roles: ['ROLE_CLERK'], mfa_required: true, reason: 'moved' };

      const answer = await admin.send('PATCH', `/users/${await sub(person)}`, change);

      expect(answer).toBeAnswered(200);
      expect(answer.body).toMatchObject({ email: 'new@harbour.example', roles: ['ROLE_CLERK'], mfa_required: true });
      expect(await person.client.get('/me', { bearer: person.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await refresh(person.client)).toBeRefused(401, 'REFRESH_INVALID');
      const events = (await story.events(person)).filter(({ kind }) => kind === 'USER_CHANGED');
      expect(events).toMatchObject([{ actor: await sub({ id: ADMIN }), reason: 'email mfaRequired roles' }]);
      expect(JSON.parse(events[0]?.detail ?? '')).toEqual({
        ...{ roles_before: 'ROLE_USER', roles_after: 'ROLE_CLERK' },
        ...{ second_factor: 'required', email: 'added', stated_reason: 'moved' },
      });
    });

    it('PATCH of the mail address or with the same roles does not end sessions; null removes the address', async () => {
      const person = await story.enrolled();
      const path = `/users/${await sub(person)}`;

      expect(await admin.send('PATCH', path, { email: 'a@harbour.example', roles: [] })).toBeAnswered(200);
      expect((await admin.send('PATCH', path, { email: null })).body).toMatchObject({ email: null });
      expect(await person.client.get('/me', { bearer: person.accessToken })).toBeAnswered(200);
    });

    it('PATCH makes all changes or none', async () => {
      const person = await story.enrolled();
      const path = `/users/${await sub(person)}`;

      const wrong = await admin.send('PATCH', path, { status: 'disabled', email: 'x@y', roles: ['ROLE_PRE_MFA'] });
      const ofAdmin = `/users/${await sub({ id: ADMIN })}`;
      const demoted = await admin.send('PATCH', ofAdmin, { email: 'boss@harbour.example', roles: [] });

      expect(wrong).toBeRefused(400, 'VALIDATION_FAILED');
      expect((await admin.send('GET', path)).body).toMatchObject({ status: 'active', email: null });
      expect(demoted).toBeRefused(409, 'CONFLICT');
      expect((await admin.send('GET', ofAdmin)).body).toMatchObject({ roles: ['ROLE_ADMIN'], email: null });
      expect(await person.client.get('/me', { bearer: person.accessToken })).toBeAnswered(200);
    });

    it('PATCH disables a user, which ends all access, and enables the user again', async () => {
      const person = await story.enrolled();
      const path = `/users/${await sub(person)}`;

      expect((await admin.send('PATCH', path, { status: 'disabled' })).body).toMatchObject({ status: 'disabled' });
      expect(await person.client.get('/me', { bearer: person.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      const login = await story.client().post('/login', { id: person.id, pw: PASSWORD });
      expect(login).toBeRefused(401, 'INVALID_CREDENTIALS');
      expect(await admin.send('PATCH', path, { status: 'active' })).toBeAnswered(200);
      expect((await story.login(person)).body).toMatchObject({ mfa_required: true });
    });

    it.each([{ id: 'other' }, { pw: NEW_PASSWORD }, { status: 'staged' }, { kind: 'staff' }, { roles: 'ROLE_ADMIN' }])(
      'H4: PATCH rejects %j',
      async (change) => {
        const path = `/users/${await sub({ id: 'person-1' })}`;
        expect(await admin.send('PATCH', path, change)).toBeRefused(400, 'VALIDATION_FAILED');
      },
    );
  });

  describe('acts on oneself and on the last administrator', () => {
    it('an administrator cannot disable, demote, delete, unlock or reset the own account', async () => {
      const own = `/users/${await sub({ id: ADMIN })}`;
      const acts: readonly (readonly [string, string, object])[] = [
        ['PATCH', own, { status: 'disabled' }],
        ['PATCH', own, { roles: ['ROLE_MANAGEMENT'] }],
        ['DELETE', own, {}],
        ['POST', `${own}/unlock`, {}],
        ['POST', `${own}/mfa/reset`, { reason: 'mine' }],
        ['POST', `${own}/password`, {}],
      ];
      for (const [method, path, json] of acts) {
        expect(await admin.send(method, path, json), `${method} ${path}`).toBeRefused(409, 'CONFLICT');
        // A database that ignores trailing blanks would find the account, and not notice that it is the own one.
        expect(await admin.send(method, path.replace(own, `${own}%20`), json)).toBeRefused(404, 'NOT_FOUND');
      }
      expect((await admin.send('GET', own)).body).toMatchObject({ status: 'active', roles: ['ROLE_ADMIN'] });
    });

    it('one of two administrators that demote each other at once stays', async () => {
      const second = await created('second-boss', { pw: PASSWORD, roles: ['ROLE_ADMIN'] });
      const other = await Administrator.of(story, 'second-boss');
      const first = await sub({ id: ADMIN });

      const answers = await Promise.all([
        admin.send('PATCH', `/users/${second}`, { roles: [] }),
        other.send('PATCH', `/users/${first}`, { roles: [] }),
      ]);

      const rows = await story.database.query('SELECT id FROM account WHERE is_admin = 1');
      expect(rows, answers.map(({ text }) => text).join('\n')).toHaveLength(1);
      // The story goes on with the first administrator.
      await story.command('users', 'set-roles', ADMIN, 'ROLE_ADMIN');
      await story.command('users', 'set-roles', 'second-boss', '');
      admin = await signedInAgain(admin);
    });
  });

  async function signedInAgain(old: Administrator): Promise<Administrator> {
    const { accessToken } = await story.signIn(old.person);
    return Administrator.signedIn(story, { ...old.person, accessToken });
  }

  describe('the second factor and the password of a user', () => {
    it('POST …/unlock ends a lock, and is 204 without one', async () => {
      const person = await story.enrolled();
      const path = `/users/${await sub(person)}`;
      await story.lock(person);
      expect((await admin.send('GET', path)).body).toMatchObject({ mfa: { locked: true } });

      expect(await admin.send('POST', `${path}/unlock`)).toBeAnswered(204);

      expect((await admin.send('GET', path)).body).toMatchObject({ mfa: { locked: false, locked_until: null } });
      expect(await admin.send('POST', `${path}/unlock`)).toBeAnswered(204);
      await story.signIn(person);
      expect(await story.countOf(person, 'MFA_UNLOCKED')).toBe(1);
    });

    it('POST …/mfa/reset demands a reason, ends all sessions and forces a new enrolment', async () => {
      admin = await signedInAgain(admin);
      const person = await story.enrolled();
      const path = `/users/${await sub(person)}/mfa/reset`;

      expect(await admin.send('POST', path, {})).toBeRefused(400, 'VALIDATION_FAILED');
      expect(await admin.send('POST', path, { reason: '  ' })).toBeRefused(400, 'VALIDATION_FAILED');
      expect(await admin.send('POST', path, { reason: 'lost phone; password: hunter2' })).toBeAnswered(204);

      expect(await person.client.get('/me', { bearer: person.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      expect((await story.login(person)).body).toMatchObject({ enrolment_required: true });
      const [event] = (await story.events(person)).filter(({ kind }) => kind === 'MFA_RESET_BY_ADMIN');
      expect(JSON.parse(event?.detail ?? '')).toEqual({ stated_reason: 'lost phone; password: ******' });
    });

    it('POST …/password returns a temporary password once, which the user must replace', async () => {
      const person = story.person();
      const answer = await admin.send('POST', `/users/${await sub(person)}/password`, { reason: 'forgotten' });

      expect(answer).toBeAnswered(200);
      const pw = textOf(answer, 'password');
      const login = (more: object): Promise<Answer> => story.client().post('/login', { id: person.id, pw, ...more });
      expect(await login({})).toBeRefused(403, 'PASSWORD_CHANGE_REQUIRED');
      expect(await login({ new_pw: NEW_PASSWORD })).toBeAnswered(200);
      const stored = await story.database.query<{ detail: string }>('SELECT detail FROM security_event');
      expect(stored.map(({ detail }) => detail).join('\n')).not.toContain(pw);
    });

    it('POST …/password is rejected for staff, who have no password', async () => {
      const id = await created('like-staff');
      await story.database.query(`UPDATE account SET kind = 'staff' WHERE id = '${id}'`);

      expect(await admin.send('POST', `/users/${id}/password`)).toBeRefused(409, 'CONFLICT');
      expect((await admin.send('GET', `/users/${id}`)).body).toMatchObject({ kind: 'staff', has_password: false });
    });
  });

  describe('sessions and trusted devices of a user', () => {
    it('sessions are listed, and one or all are ended with an event that names the administrator', async () => {
      admin = await signedInAgain(admin);
      const [person, other] = [await story.enrolled(), await story.enrolled()];
      const path = `/users/${await sub(person)}/sessions`;
      const second = await story.signIn(person);
      const listed = await admin.send('GET', path);
      const [newest] = itemsOf(listed);

      expect(itemsOf(listed)).toHaveLength(2);
      expect(newest).toMatchObject({ kind: 'token', amr: ['pwd', 'otp'] });
      const one = `${path}/${String(newest?.['id'])}`;
      expect(await admin.send('DELETE', one.replace(await sub(person), await sub(other)))).toBeRefused(
        404,
        'NOT_FOUND',
      );
      expect(await admin.send('DELETE', one, { reason: 'stolen' })).toBeAnswered(204);
      expect(await second.client.get('/me', { bearer: second.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await admin.send('DELETE', one)).toBeRefused(404, 'NOT_FOUND');
      expect(await person.client.get('/me', { bearer: person.accessToken })).toBeAnswered(200);
      expect(await admin.send('DELETE', path)).toBeAnswered(204);
      expect(await person.client.get('/me', { bearer: person.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await other.client.get('/me', { bearer: other.accessToken })).toBeAnswered(200);
      const actor = await sub({ id: ADMIN });
      expect((await story.events(person)).filter(({ kind }) => kind === 'SESSION_REVOKED')).toMatchObject([
        { actor, reason: 'revoked' },
        { actor, reason: 'all' },
      ]);
    });

    it('trusted devices are listed, and the trust in one is ended', async () => {
      const person = await story.enrolled();
      const path = `/users/${await sub(person)}/devices`;
      const { client } = await story.signIn(person, undefined, { trust_device: true });
      expect((await story.login(person, client)).body).toMatchObject({ mfa_required: false });

      const [device] = itemsOf(await admin.send('GET', path));
      expect(await admin.send('DELETE', `${path}/${String(device?.['id'])}`)).toBeAnswered(204);

      expect((await story.login(person, client)).body).toMatchObject({ mfa_required: true });
      expect(await admin.send('DELETE', `${path}/${String(device?.['id'])}`)).toBeRefused(404, 'NOT_FOUND');
      expect(await story.countOf(person, 'DEVICE_REVOKED')).toBe(1);
    });
  });

  describe('GET /admin/users/:sub/export', () => {
    it('A8: an export has the rows of every table about the user and no secret', async () => {
      admin = await signedInAgain(admin);
      const person = await story.enrolled();
      await story.signIn(person, undefined, { trust_device: true });
      const subject = await sub(person);

      const answer = await admin.send('GET', `/users/${subject}/export`);

      expect(answer).toBeAnswered(200);
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="user-${subject}.json"`);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const body = answer.body as Readonly<Record<string, readonly Members[]>>;
      expect(body['account']).toMatchObject([{ id: subject, login_id: person.id, status: 'active' }]);
      expect(body['authenticators']).toHaveLength(1);
      expect(body['backup_codes']).toHaveLength(10);
      expect(body['sessions']).toHaveLength(2);
      expect(body['refresh_tokens']?.length).toBeGreaterThanOrEqual(2);
      expect(body['trusted_devices']).toHaveLength(1);
      expect(body['events']?.at(-1)).toMatchObject({ kind: 'USER_EXPORTED', actor: await sub({ id: ADMIN }) });
      expect(body['events']).toHaveLength((await story.events(person)).length);
      const secrets = await story.database.query<{ secret: string }>(
        `SELECT password_hash AS secret FROM account WHERE id = '${subject}'
         UNION SELECT sealed FROM totp_secret WHERE user_id = '${subject}'
         UNION SELECT hash FROM backup_code WHERE user_id = '${subject}'
         UNION SELECT token_hash FROM refresh_token WHERE user_id = '${subject}'
         UNION SELECT secret_hash FROM trusted_device WHERE user_id = '${subject}'`,
      );
      expect(secrets.length).toBeGreaterThan(14);
      expect(secrets.filter(({ secret }) => answer.text.includes(secret))).toEqual([]);
    });

    it('an export of a user with more events than one batch has all of them', async () => {
      const person = story.person();
      const subject = await sub(person);
      const rows = Array.from({ length: 1201 }, (_, at) => {
        return `('00000000-0000-7000-8000-${String(at).padStart(12, '0')}', ${at}, 'MFA_OK', '${subject}', 'ok')`;
      });
      await story.database.query(
        `INSERT INTO security_event (id, at, kind, user_id, result) VALUES ${rows.join(', ')}`,
      );

      const answer = await admin.send('GET', `/users/${subject}/export`);

      const events = answer.body['events'] as readonly Members[];
      expect(events).toHaveLength(1202);
      expect(new Set(events.map(({ id }) => id)).size).toBe(1202);
    });
  });

  describe('DELETE /admin/users/:sub', () => {
    it('DELETE removes the user with sessions and factors, keeps the events, and is 404 the second time', async () => {
      const person = await story.enrolled();
      const subject = await sub(person);

      expect(await admin.send('DELETE', `/users/${subject}`, { reason: 'left' })).toBeAnswered(204);
      expect(await admin.send('DELETE', `/users/${subject}`)).toBeRefused(404, 'NOT_FOUND');

      expect(await person.client.get('/me', { bearer: person.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      for (const table of ['totp_secret', 'backup_code', 'session', 'refresh_token', 'trusted_device']) {
        const rows = await story.database.query(`SELECT user_id FROM ${table} WHERE user_id = '${subject}'`);
        expect(rows, table).toEqual([]);
      }
      const events = await admin.send('GET', `/events?user=${subject}&kind=USER_DELETED`);
      expect(itemsOf(events)).toMatchObject([{ user: subject, detail: { stated_reason: 'left' } }]);
    });
  });

  it('accounts of an unfinished import are invisible and cannot be changed', async () => {
    admin = await signedInAgain(admin);
    const id = await created('staged-user');
    await story.database.query(`UPDATE account SET status = 'staged' WHERE id = '${id}'`);

    expect(itemsOf(await admin.send('GET', '/users?query=staged-user'))).toEqual([]);
    for (const [method, path, json] of [
      ['GET', '', undefined],
      ['GET', '/sessions', undefined],
      ['GET', '/export', undefined],
      ['PATCH', '', { status: 'active' }],
      ['PATCH', '', { status: 'disabled' }],
      ['DELETE', '', {}],
      ['DELETE', '/sessions', {}],
      ['POST', '/unlock', {}],
      ['POST', '/mfa/reset', { reason: 'none' }],
      ['POST', '/password', {}],
    ] as const) {
      const answer = await admin.send(method, `/users/${id}${path}`, json);
      expect(answer, `${method} ${path}`).toBeRefused(404, 'NOT_FOUND');
    }
    const [row] = await story.database.query<{ status: string }>(`SELECT status FROM account WHERE id = '${id}'`);
    expect(row?.status).toBe('staged');
    await story.database.query(`DELETE FROM account WHERE id = '${id}'`);
  });

  it('H3, H4, H8: ids of other things in paths find nothing and reveal nothing', async () => {
    const hostile = [
      ...["'%20OR%201=1%20--", '%2f..%2fusers', '..%2f..%2f', 'a%00b', '%25', 'x'.repeat(4_000), '*', '0', 'null'],
      ...['%F0%9F%94%91', '%ff', 'person-1', '%7B%7D'],
    ];
    for (const id of hostile) {
      for (const path of [`/users/${id}`, `/users/${id}/sessions`, `/users/${id}/export`]) {
        const answer = await admin.send('GET', path);
        expect([400, 404], `${path} → ${answer.status}`).toContain(answer.status);
        expect(answer.text).not.toMatch(LEAK);
      }
      const own = `/users/${await sub({ id: 'person-2' })}`;
      expect([400, 404]).toContain((await admin.send('DELETE', `${own}/sessions/${id}`)).status);
      expect([400, 404]).toContain((await admin.send('DELETE', `${own}/devices/${id}`)).status);
    }
  });
});

onEachEngine('the help desk', (engine) => {
  const story = storyOn(engine, {
    people: 12,
    others: {
      [ADMIN]: 'ROLE_ADMIN',
      [HELP_DESK]: 'ROLE_HELPDESK',
      colleague: 'ROLE_HELPDESK',
      manager: 'ROLE_MANAGEMENT',
      clerk: 'ROLE_CLERK',
    },
  });
  const STATED = { reason: 'lost phone', ticket: 'HD-4711' };
  let admin: Administrator;
  let desk: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    desk = await Administrator.of(story, HELP_DESK);
  });

  const pathOf = async (id: string): Promise<string> => `/users/${await story.subjectOf({ id })}`;

  it('policy demands a second factor of the help desk by default', async () => {
    const answer = await story.login({ id: 'colleague', password: PASSWORD });

    expect(answer.body).toMatchObject({ mfa_required: true, enrolment_required: true });
  });

  it('the help desk finds, views, unlocks and resets users, with reason and ticket in the event and in the log', async () => {
    const person = await story.enrolled();
    const path = await pathOf(person.id);
    await story.lock(person);
    expect(itemsOf(await desk.send('GET', `/users?query=${person.id}`))[0]).toMatchObject({ id: person.id });
    expect((await desk.send('GET', path)).body).toMatchObject({ mfa: { locked: true } });
    expect(await desk.send('GET', `${path}/sessions`)).toBeAnswered(200);
    expect(await desk.send('GET', `${path}/devices`)).toBeAnswered(200);

    expect(await desk.send('POST', `${path}/unlock`, STATED)).toBeAnswered(204);
    expect(await desk.send('POST', `${path}/mfa/reset`, STATED)).toBeAnswered(204);

    const actor = await story.subjectOf({ id: HELP_DESK });
    const events = await story.events(person);
    for (const kind of ['MFA_UNLOCKED', 'MFA_RESET_BY_ADMIN']) {
      const event = events.find((each) => each.kind === kind);
      expect(event).toMatchObject({ actor });
      expect(JSON.parse(event?.detail ?? '')).toEqual({ stated_reason: 'lost phone', ticket: 'HD-4711' });
    }
    expect((await story.login(person)).body).toMatchObject({ enrolment_required: true });
    const shown = await desk.send('GET', `/events?user=${await story.subjectOf(person)}&kind=MFA_UNLOCKED`);
    expect(itemsOf(shown)).toMatchObject([{ actor, detail: { ticket: 'HD-4711' } }]);
  });

  it.each([
    {},
    { reason: 'lost phone' },
    { ticket: 'HD-1' },
    { reason: '', ticket: 'HD-1' },
    { ...STATED, ticket: 'a b' },
  ])('the help desk gets 400 without reason and ticket: %j', async (stated) => {
    const path = await pathOf('person-12');
    for (const act of ['unlock', 'mfa/reset']) {
      expect(await desk.send('POST', `${path}/${act}`, stated)).toBeRefused(400, 'VALIDATION_FAILED');
    }
  });

  it.each([ADMIN, 'colleague', 'manager'])('the help desk may not act on %s, and sees no session of it', async (id) => {
    const path = await pathOf(id);
    for (const act of ['unlock', 'mfa/reset']) {
      expect(await desk.send('POST', `${path}/${act}`, STATED)).toBeRefused(403, 'ACCESS_DENIED');
    }
    for (const list of ['sessions', 'devices']) {
      expect(await desk.send('GET', `${path}/${list}`)).toBeRefused(403, 'ACCESS_DENIED');
    }
    const events = await desk.send('GET', `/events?user=${await story.subjectOf({ id })}`);
    expect(events).toBeRefused(403, 'ACCESS_DENIED');
    expect(await story.countOf({ id }, 'MFA_RESET_BY_ADMIN')).toBe(0);
    expect(await desk.send('GET', path)).toBeAnswered(200);
  });

  it('the help desk may not act on itself', async () => {
    const path = await pathOf(HELP_DESK);
    for (const act of ['unlock', 'mfa/reset']) {
      expect(await desk.send('POST', `${path}/${act}`, STATED)).toBeRefused(409, 'CONFLICT');
    }
  });

  it('the help desk may not change, create, delete, import or export users, nor events and keys', async () => {
    const path = await pathOf('clerk');
    const acts: readonly (readonly [string, string, object?])[] = [
      ['POST', '/users', { id: 'new', ...STATED }],
      ['PATCH', path, { roles: ['ROLE_ADMIN'], ...STATED }],
      ['PATCH', path, { email: 'a@harbour.example', ...STATED }],
      ['DELETE', path, STATED],
      ['POST', `${path}/password`, STATED],
      ['DELETE', `${path}/sessions`, STATED],
      ['DELETE', `${path}/sessions/x`, STATED],
      ['DELETE', `${path}/devices/x`, STATED],
      ['GET', `${path}/export`],
      ['GET', '/events'],
      ['GET', '/events?kind=MFA_OK'],
      ['GET', '/events/export?format=csv'],
      ['POST', '/keys/rotate', STATED],
    ];
    for (const [method, target, json] of acts) {
      expect(await desk.send(method, target, json), `${method} ${target}`).toBeRefused(403, 'ACCESS_DENIED');
    }
  });

  const refusals = async (): Promise<readonly (readonly unknown[])[]> => {
    const rows = await story.database.query<Readonly<Record<string, string | null>>>(
      "SELECT user_id, actor, result, reason, detail FROM security_event WHERE kind = 'ADMIN_ACT_REFUSED' ORDER BY id",
    );
    return rows.map(({ user_id, actor, result, reason, detail }) => [
      user_id,
      actor,
      result,
      reason,
      JSON.parse(detail ?? '{}') as unknown,
    ]);
  };

  it('A7: a refused act of the help desk or of an administrator is an event and a log line with its actor', async () => {
    const [bossSubject, deskSubject] = [await story.subjectOf({ id: ADMIN }), await story.subjectOf({ id: HELP_DESK })];
    const clerk = await pathOf('clerk');
    const before = (await refusals()).length;
    const lines = (): number =>
      story.service.log.filter(
        (line) => line.includes('ADMIN_ACT_REFUSED') && line.includes('WARN') && line.includes(deskSubject),
      ).length;
    const linesBefore = lines();

    expect(await desk.send('POST', `/users/${bossSubject}/mfa/reset`, STATED)).toBeRefused(403, 'ACCESS_DENIED');
    expect(await desk.send('POST', `/users/${deskSubject}/unlock`, STATED)).toBeRefused(409, 'CONFLICT');
    expect(await desk.send('PATCH', clerk, { roles: ['ROLE_ADMIN'], ...STATED })).toBeRefused(403, 'ACCESS_DENIED');
    expect(await admin.send('PATCH', `/users/${bossSubject}`, { roles: [] })).toBeRefused(409, 'CONFLICT');
    expect(await desk.send('POST', `/users/${bossSubject}x/unlock`, STATED)).toBeRefused(404, 'NOT_FOUND');

    const stated = { stated_reason: 'lost phone', ticket: 'HD-4711' };
    expect((await refusals()).slice(before)).toEqual([
      [bossSubject, deskSubject, 'refused', 'protected account', { act: 'resetMfa', ...stated }],
      [deskSubject, deskSubject, 'refused', 'oneself', { act: 'unlock', ...stated }],
      [null, deskSubject, 'refused', 'help desk', { act: 'change' }],
      [bossSubject, bossSubject, 'refused', 'oneself', { act: 'update' }],
    ]);
    await waitUntil('each of the three refused acts of the help desk has a line', () => lines() >= linesBefore + 3);
  });

  it('A7: a refused request of a user without a role of the administration is no event', async () => {
    const before = (await refusals()).length;
    const { accessToken: bearer } = await story.signInByPassword({ id: 'clerk', password: PASSWORD });

    expect(await story.client().get('/admin/users', { bearer })).toBeRefused(403, 'ACCESS_DENIED');

    expect(await refusals()).toHaveLength(before);
  });

  it('the help desk needs a second factor no older than five minutes', async () => {
    const { accessToken } = await story.signIn(desk.person);
    story.clock.advance(301);

    const answer = await desk.send('GET', '/users', undefined, accessToken);

    expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(answer.headers.get('www-authenticate')).toContain('max_age="300"');
  });

  it('a role is lost at once with the sessions of the help desk', async () => {
    const { accessToken } = await story.signIn(desk.person);
    const boss = (await story.signIn(admin.person)).accessToken;
    const path = await pathOf(HELP_DESK);
    expect(await admin.send('PATCH', path, { roles: [] }, boss)).toBeAnswered(200);

    expect(await desk.send('GET', '/users', undefined, accessToken)).toBeRefused(401, 'INVALID_TOKEN');
    expect(await admin.send('PATCH', path, { roles: ['ROLE_HELPDESK'] }, boss)).toBeAnswered(200);
  });

  it('a reset that races with a promotion is made before it, or not at all', async () => {
    const [boss, helper] = [await story.signIn(admin.person), await story.signIn(desk.person)];
    const path = await pathOf('clerk');
    for (let round = 0; round < 20; round += 1) {
      const [reset] = await Promise.all([
        desk.send('POST', `${path}/mfa/reset`, { ...STATED, ticket: `HD-${round}` }, helper.accessToken),
        admin.send('PATCH', path, { roles: ['ROLE_ADMIN'] }, boss.accessToken),
      ]);
      expect([204, 403], reset.text).toContain(reset.status);
      const events = await story.events({ id: 'clerk' });
      const at = events.findIndex(({ detail, result }) => result === 'ok' && detail?.includes(`"HD-${round}"`));
      const promoted = events.findLastIndex(({ kind }) => kind === 'USER_CHANGED');
      expect(at >= 0, `round ${round}`).toBe(reset.status === 204);
      expect(at).toBeLessThan(promoted);
      const roles = { roles: ['ROLE_CLERK'] };
      expect(await admin.send('PATCH', path, roles, boss.accessToken)).toBeAnswered(200);
    }
  });
});

onSqlite('access to the administration', (engine) => {
  const story = storyOn(engine, { people: 4, others: { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK' } });
  let person: Enrolled;
  let admin: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    person = await story.enrolled();
  });

  it('a user without a role of the administration gets 403', async () => {
    expect(await admin.send('GET', '/users', undefined, person.accessToken)).toBeRefused(403, 'ACCESS_DENIED');
  });

  it("S5: another site cannot use the session cookie of an administrator's browser", async () => {
    const client = story.client();
    expect(await client.post('/session', { id: ADMIN, pw: PASSWORD })).toBeAnswered(200);
    expect(await client.post('/2fa/verify', { code: story.nextCode(admin.person) })).toBeAnswered(200);
    const path = `/admin/users/${await story.subjectOf(person)}`;
    const reset = { json: { reason: 'forged' } };

    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const forged = await client.send('POST', `${path}/mfa/reset`, { ...reset, headers });
      expect(forged).toBeRefused(403, 'CROSS_SITE');
      expect(await client.send('PATCH', path, { json: {}, headers })).toBeRefused(403, 'CROSS_SITE');
      expect(await client.send('DELETE', path, { headers })).toBeRefused(403, 'CROSS_SITE');
    }
    const sameOrigin = { headers: { origin: story.service.url, 'sec-fetch-site': 'same-origin' } };
    expect(await client.send('POST', `${path}/mfa/reset`, { ...reset, ...sameOrigin })).toBeAnswered(204);
  });
});

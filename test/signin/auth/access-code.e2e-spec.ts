import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { PUBLIC_URL, StoryLinks, tokenIn } from '../../support/login/account-links.js';
import { ADMIN, Administrator, HELP_DESK } from '../../support/login/administrator.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Enrolled, PASSWORD, type Person, type SignedIn, storyOn } from '../../support/login/login-story.js';
import { atOnce, outcomes } from '../../support/login/races.js';
import { PasskeyStory } from '../../support/passkey/passkey-story.js';
import { BROWSER, follow, formOf, submit, visit } from '../../support/pages/pages.js';
import { onAnyEngine, onEachEngine } from '../../support/database/story-database.js';

const STATED = { reason: 'lost phone', ticket: 'HD-4711' };
const CHOSEN = 'nine wet lanterns & 3 harbours';
const REQUIRED = [{ field: 'access_code', code: 'required' }];
const MINUTES_30 = 1800;
const SETUP_PAGE = '/2fa/portal/setup';

onEachEngine('the temporary access code after a reset', (engine) => {
  const story = storyOn(engine, {
    people: 40,
    others: { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK', manager: 'ROLE_MANAGEMENT' },
    args: ['--app.security.mfa.access-code.policy=after-reset'],
  });
  const passkeys = new PasskeyStory(story);
  const links = new StoryLinks(story);
  let admin: Administrator;
  let desk: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    desk = await Administrator.of(story, HELP_DESK);
  });

  // Codes of authenticator apps age while users set up theirs.
  beforeEach(async () => {
    [admin, desk] = [await signedInAgain(admin), await signedInAgain(desk)];
  });

  async function signedInAgain({ person }: Administrator): Promise<Administrator> {
    const { accessToken } = await story.signIn(person);
    return Administrator.signedIn(story, { ...person, accessToken });
  }

  const pathOf = async (person: Pick<Person, 'id'>): Promise<string> => `/users/${await story.subjectOf(person)}`;

  /** A user whose second factor the help desk has reset. */
  async function reset(person?: Enrolled): Promise<Enrolled> {
    const user = person ?? (await story.enrolled());
    expect(await desk.send('POST', `${await pathOf(user)}/mfa/reset`, STATED)).toBeAnswered(204);
    return user;
  }

  async function issued(user: Pick<Person, 'id'>): Promise<string> {
    const answer = await desk.send('POST', `${await pathOf(user)}/access-code`, STATED);
    expect(answer).toBeAnswered(201);
    return textOf(answer, 'access_code');
  }

  /** The password step of a login that must enrol. */
  async function halfway(user: Person, client = story.client()): Promise<{ client: HttpClient; bearer: string }> {
    const answer = await story.login(user, client);
    expect(answer.body).toMatchObject({ enrolment_required: true, access_code_required: true });
    return { client, bearer: textOf(answer, 'mfa_token') };
  }

  async function setup(user: Person, accessCode?: string): Promise<Answer> {
    const { client, bearer } = await halfway(user);
    return client.post('/2fa/setup', accessCode === undefined ? {} : { access_code: accessCode }, { bearer });
  }

  async function enrol(user: Person, accessCode: string): Promise<SignedIn> {
    const { client, bearer } = await halfway(user);
    const answer = await client.post('/2fa/setup', { access_code: accessCode }, { bearer });
    expect(answer).toBeAnswered(201);
    const app = AuthenticatorApp.scan(textOf(answer, 'otpauth_uri'));
    const confirmed = await client.post('/2fa/confirm', { code: story.nextCode({ app }) }, { bearer });
    expect(confirmed).toBeAnswered(200);
    return { client, accessToken: textOf(confirmed, 'access_token'), answer: confirmed };
  }

  async function codesOf(user: Pick<Person, 'id'>): Promise<readonly Record<string, unknown>[]> {
    const sql = 'SELECT * FROM access_code WHERE user_id = ?';
    return story.database.query<Record<string, unknown>>(sql, [await story.subjectOf(user)]);
  }

  /** Another code of the same form. */
  const wrong = (code: string, variant = 0): string => `${code.startsWith('0') ? '1' : '0'}${variant}${code.slice(2)}`;

  it('U7: a stolen password alone enrols no authenticator after a reset', async () => {
    const user = await reset();
    const { client, bearer } = await halfway(user);

    const app = await client.post('/2fa/setup', {}, { bearer });
    const passkey = await client.post('/2fa/passkeys/registration/options', {}, { bearer });

    for (const answer of [app, passkey]) {
      expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
      expect(answer.body['errors']).toEqual(REQUIRED);
    }
    expect(await client.post('/2fa/confirm', { code: '123456' }, { bearer })).toBeRefused(409, 'MFA_STATE_CONFLICT');
  });

  it('U7: the code of the help desk admits the set-up of an authenticator app, which ends the code', async () => {
    const user = await reset();
    const code = await issued(user);

    const { accessToken: bearer, client } = await enrol(user, ` ${code.toLowerCase().replace('-', ' ')} `);

    expect((await client.get('/2fa', { bearer })).body).toMatchObject({ state: 'active' });
    expect(await codesOf(user)).toEqual([]);
    const events = await story.events(user);
    const issue = events.find(({ kind }) => kind === 'ACCESS_CODE_ISSUED');
    expect(issue).toMatchObject({ actor: await story.subjectOf({ id: HELP_DESK }), result: 'ok' });
    expect(JSON.parse(issue?.detail ?? '')).toEqual({ stated_reason: 'lost phone', ticket: 'HD-4711' });
    expect(events.filter(({ kind }) => kind === 'ACCESS_CODE_USED')).toHaveLength(1);
  });

  it('U7: the code admits the registration of a passkey in the same login', async () => {
    const user = await reset();
    const access_code = await issued(user);
    const { client, bearer } = await halfway(user);

    const added = await passkeys.register(client, { bearer }, undefined, { options: { access_code } });

    expect(added).toBeAnswered(201);
    expect(await codesOf(user)).toEqual([]);
  });

  it('U7: of four logins that send one code at once, one begins the set-up', async () => {
    const user = await reset();
    const access_code = await issued(user);
    const logins = await Promise.all(Array.from({ length: 4 }, () => halfway(user)));

    const answers = await Promise.all(
      logins.map(({ client, bearer }) => client.post('/2fa/setup', { access_code }, { bearer })),
    );

    expect(outcomes(answers)).toEqual({ 201: 1, MFA_CODE_INVALID: 3 });
  });

  it('U7: of 20 logins that send one code at once, one uses it', async () => {
    const user = await reset();
    const access_code = await issued(user);
    const logins = await Promise.all(Array.from({ length: 20 }, () => halfway(user)));

    const answers = await atOnce(20, (index) => {
      const { client, bearer = '' } = logins[index] ?? {};
      return (client ?? story.client()).post('/2fa/setup', { access_code }, { bearer });
    });

    // The others are wrong attempts, which may lock the account before the first login begins the set-up.
    expect(outcomes(answers)['201'] ?? 0).toBeLessThanOrEqual(1);
    expect(await story.countOf(user, 'ACCESS_CODE_USED')).toBe(1);
    const refused = answers.filter(({ status }) => status !== 201).map(({ body }) => body['code']);
    for (const code of refused) expect(['MFA_CODE_INVALID', 'MFA_LOCKED', 'MFA_TOKEN_INVALID']).toContain(code);
  });

  it('U7: a used code is rejected in another login, but the login that used it may begin again', async () => {
    const user = await reset();
    const access_code = await issued(user);
    const { client, bearer } = await halfway(user);
    expect(await client.post('/2fa/setup', { access_code }, { bearer })).toBeAnswered(201);

    expect(await setup(user, access_code)).toBeRefused(401, 'MFA_CODE_INVALID');
    expect(await client.post('/2fa/setup', {}, { bearer })).toBeAnswered(201);
  });

  it('U7: five wrong codes lock the account as five wrong one-time codes do, and the right one is then refused', async () => {
    const user = await reset();
    const code = await issued(user);
    for (let variant = 0; variant < 5; variant += 1) {
      expect(await setup(user, wrong(code, variant))).toBeRefused(401, 'MFA_CODE_INVALID');
    }

    expect(await setup(user, code)).toBeRefused(429, 'MFA_LOCKED');

    expect(await story.countOf(user, 'MFA_LOCKED')).toBe(1);
    const failures = (await story.events(user)).filter(({ kind }) => kind === 'MFA_FAILED');
    expect(failures.map(({ reason }) => reason)).toEqual(Array(5).fill('wrong_access_code'));
    story.clock.advance(301);
    expect(await setup(user, code)).toBeAnswered(201);
  });

  it('U7: of 20 wrong codes at once, five are verified', async () => {
    const user = await reset();
    const code = await issued(user);
    const logins = await Promise.all(Array.from({ length: 20 }, () => halfway(user)));

    const answers = await atOnce(20, (index) => {
      const { client = story.client(), bearer = '' } = logins[index] ?? {};
      return client.post('/2fa/setup', { access_code: wrong(code, index % 10) }, { bearer });
    });

    expect(outcomes(answers)['MFA_CODE_INVALID']).toBe(5);
    expect(await story.countOf(user, 'MFA_FAILED')).toBe(5);
  });

  it('U7: a right code takes no failure back that was counted before', async () => {
    const user = await reset();
    const code = await issued(user);
    expect(await setup(user, wrong(code))).toBeRefused(401, 'MFA_CODE_INVALID');
    expect(await setup(user, code)).toBeAnswered(201);

    const [row] = await story.database.query<{ failures: number }>('SELECT failures FROM account WHERE login_id = ?', [
      user.id,
    ]);

    expect(Number(row?.failures)).toBe(1);
  });

  it('U7: a code expires, ends with the next one, and opens no other account', async () => {
    const [user, other] = [await reset(), await reset()];
    const first = await issued(user);
    const second = await issued(user);
    await issued(other);

    expect(await setup(user, first)).toBeRefused(401, 'MFA_CODE_INVALID');
    expect(await setup(other, second)).toBeRefused(401, 'MFA_CODE_INVALID');
    story.clock.advance(MINUTES_30);
    expect(await setup(user, second)).toBeRefused(401, 'MFA_CODE_INVALID');
  });

  it('U7: a code that ends during the set-up leaves the account without an authenticator', async () => {
    const user = await reset();
    const access_code = await issued(user);
    const { client, bearer } = await halfway(user);
    const answer = await client.post('/2fa/setup', { access_code }, { bearer });
    const app = AuthenticatorApp.scan(textOf(answer, 'otpauth_uri'));
    await issued(user);

    const confirmed = await client.post('/2fa/confirm', { code: story.nextCode({ app }) }, { bearer });

    expect(confirmed).toBeRefused(409, 'MFA_STATE_CONFLICT');
    expect((await story.login(user)).body).toMatchObject({ enrolment_required: true });
  });

  it.each<readonly [string, (user: Enrolled, path: string) => Promise<readonly Answer[]>]>([
    ['another reset', async (_user, path) => [await desk.send('POST', `${path}/mfa/reset`, STATED)]],
    [
      'a disabled account',
      async (_user, path) => [
        await admin.send('PATCH', path, { status: 'disabled' }),
        await admin.send('PATCH', path, { status: 'active' }),
      ],
    ],
    ['a deleted account', async (_user, path) => [await admin.send('DELETE', path, STATED)]],
    [
      'the report of the user',
      async (user) => [await story.client().post('/account/not-me', { token: await links.token(user, 'not-me') })],
    ],
  ])('U7: %s ends the code', async (_what, act) => {
    const user = await reset();
    await issued(user);
    const path = await pathOf(user);
    const sql = `SELECT user_id FROM access_code WHERE user_id = '${path.slice('/users/'.length)}'`;
    expect(await story.database.query(sql)).toHaveLength(1);

    for (const answer of await act(user, path)) expect(answer.status, answer.text).toBeLessThan(300);

    expect(await story.database.query(sql)).toEqual([]);
  });

  it('U7: nobody gets a code without a reset, and the help desk issues none for a protected account or itself', async () => {
    const user = await story.enrolled();
    const act = async (by: Administrator, id: string): Promise<Answer> =>
      by.send('POST', `${await pathOf({ id })}/access-code`, STATED);

    expect(await act(desk, user.id)).toBeRefused(409, 'MFA_STATE_CONFLICT');
    expect(await act(desk, ADMIN)).toBeRefused(403, 'ACCESS_DENIED');
    expect(await act(desk, HELP_DESK)).toBeRefused(409, 'CONFLICT');
    expect(await admin.send('POST', `${await pathOf(user)}/access-code`, {})).toBeRefused(400, 'VALIDATION_FAILED');
    expect(await codesOf(user)).toEqual([]);
  });

  it('U7: neither answers nor events of users contain the code, and its row has a hash only', async () => {
    const user = await reset();
    const code = await issued(user);
    const [row] = await codesOf(user);

    const texts = [
      JSON.stringify(row),
      JSON.stringify(await story.events(user)),
      (await admin.send('GET', await pathOf(user))).text,
      (await admin.send('GET', `${await pathOf(user)}/export`)).text,
    ];

    for (const text of texts) expect(text.replaceAll('-', '')).not.toContain(code.replaceAll('-', ''));
    expect(String(row?.['hash'])).toMatch(/^(hmac-)?sha256:[0-9a-f]{64}$/);
    expect(texts[3]).toContain('"access_codes"');
  });

  it('U7: another first authenticator than after a reset needs no code', async () => {
    const person = story.person();
    const client = story.client();
    const { accessToken: bearer } = await story.signInByPassword(person, client);

    expect(await client.post('/2fa/setup', {}, { bearer })).toBeAnswered(201);
  });

  it('U7: the setup page asks for the code first, and then for the authenticator', async () => {
    const user = await reset();
    const code = await issued(user);
    const client = story.client();
    await client.post('/session', { id: user.id, pw: user.password });
    const asked = await visit(client, SETUP_PAGE);
    expect(asked.text).toContain('Enter your access code');

    const refused = await submit(client, asked, { access_code: wrong(code) });
    expect(refused).toBeAnswered(401);
    expect(refused.text).toContain('This access code is not valid.');
    const malformed = await submit(client, refused, { access_code: '?' });
    expect(malformed).toBeAnswered(400);
    const chosen = await follow(client, await submit(client, malformed, { access_code: code }));

    expect(chosen.text).not.toContain('Enter your access code');
    const secret = await follow(client, await submit(client, chosen, {}, {}, 'Use an authenticator app'));
    expect(secret.text).toContain('Connect your app');
  });

  it('U7: the form for the authenticator is refused on the pages without the code, too', async () => {
    const user = await reset();
    const client = story.client();
    await client.post('/session', { id: user.id, pw: user.password });
    const { fields } = formOf(client, await visit(client, SETUP_PAGE));

    for (const path of [SETUP_PAGE, '/2fa/portal/passkey']) {
      const answer = await client.send('POST', path, { form: { csrf: fields['csrf'] ?? '' } });
      expect(answer.status, path).toBe(400);
    }
    const sql = 'SELECT id FROM totp_secret WHERE user_id = ?';
    expect(await story.database.query(sql, [await story.subjectOf(user)])).toEqual([]);
  });

  it('U7: the command users access-code issues a code, and says why it does not', async () => {
    const user = await reset();

    const done = await story.command('users', 'access-code', user.id, '--reason', 'asked in person');
    const refused = await story.command('users', 'access-code', ADMIN);

    const [, code = ''] = /access code ([0-9A-Z-]{9}), valid until \S+Z/.exec(done.stdout) ?? [];
    expect(await setup(user, code)).toBeAnswered(201);
    expect(refused.exitCode).not.toBe(0);
  });
});

onAnyEngine('the temporary access code of every first authenticator', (engine) => {
  const story = storyOn(engine, {
    people: 6,
    others: { [ADMIN]: 'ROLE_ADMIN' },
    args: [
      '--app.security.mfa.access-code.policy=always',
      '--app.security.mfa.access-code.validity=5m',
      `--app.security.public-url=${PUBLIC_URL}`,
    ],
  });

  const links = new StoryLinks(story);

  async function codeOf(id: string): Promise<string> {
    const { stdout } = await story.command('users', 'access-code', id);
    return /access code ([0-9A-Z-]{9}),/.exec(stdout)?.[1] ?? '';
  }

  /** Invites a user, and returns the token of the link. */
  async function invited(id: string): Promise<string> {
    return tokenIn((await story.command('users', 'invite', id, '--print-link')).stdout);
  }

  it('U7: a signed-in user without a second factor needs a code too, and the password does not replace it', async () => {
    const person = story.person();
    const client = story.client();
    const { accessToken: bearer } = await story.signInByPassword(person, client);
    const setup = (members: object): Promise<Answer> => client.post('/2fa/setup', members, { bearer });

    const refused = await setup({ pw: person.password });
    expect(refused).toBeRefused(400, 'VALIDATION_FAILED');
    expect(refused.body['errors']).toEqual(REQUIRED);

    const answer = await setup({ pw: person.password, access_code: await codeOf(person.id) });
    expect(answer).toBeAnswered(201);
    const app = AuthenticatorApp.scan(textOf(answer, 'otpauth_uri'));
    expect(await client.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer })).toBeAnswered(200);
  });

  it('U7: a further authenticator, and one that replaces another, need no code', async () => {
    const person = story.person();
    const client = story.client();
    const { accessToken: bearer } = await story.signInByPassword(person, client);
    const first = await client.post('/2fa/setup', { access_code: await codeOf(person.id) }, { bearer });
    const app = AuthenticatorApp.scan(textOf(first, 'otpauth_uri'));
    const confirmed = await client.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer });
    const proved = { bearer: textOf(confirmed, 'access_token') };

    expect(await client.post('/2fa/setup', { add: true }, proved)).toBeAnswered(201);
    expect(await client.post('/2fa/setup', {}, proved)).toBeAnswered(201);
  });

  it('U7: the first administrator enrols by a code of the command', async () => {
    const bearer = await story.mfaToken({ id: ADMIN, password: PASSWORD });
    expect(await story.client().post('/2fa/setup', {}, { bearer })).toBeRefused(400, 'VALIDATION_FAILED');

    const access_code = await codeOf(ADMIN);

    expect(await story.client().post('/2fa/setup', { access_code }, { bearer })).toBeAnswered(201);
  });

  it('U7: an accepted invitation returns a code, which admits the first authenticator', async () => {
    const token = await invited('ines');

    const accepted = await story.client().post('/invitation', { token, new: CHOSEN });

    expect(accepted).toBeAnswered(200);
    const bearer = await story.mfaToken({ id: 'ines', password: CHOSEN });
    const access_code = textOf(accepted, 'access_code');
    expect(await story.client().post('/2fa/setup', { access_code }, { bearer })).toBeAnswered(201);
    const [issue] = (await story.events({ id: 'ines' })).filter(({ kind }) => kind === 'ACCESS_CODE_ISSUED');
    expect(issue).toMatchObject({ reason: 'invitation' });
  });

  it('U7: the page of an accepted invitation shows the code once', async () => {
    const token = await invited('ilse');
    const client = story.client();
    const page = await visit(client, `/portal/invitation?token=${token}`);

    const { path, fields } = formOf(client, page);
    const form = { csrf: fields['csrf'] ?? '', token, new: CHOSEN };
    const done = await client.send('POST', path, { form, headers: BROWSER });

    expect(done).toBeAnswered(200);
    const [, access_code = ''] = / id="access-code" data-text="([0-9A-Z-]{9})"/.exec(done.text) ?? [];
    const bearer = await story.mfaToken({ id: 'ilse', password: CHOSEN });
    expect(await story.client().post('/2fa/setup', { access_code }, { bearer })).toBeAnswered(201);
    expect((await visit(client, `/portal/invitation?token=${token}`)).text).not.toContain(access_code);
  });

  it('U7: a new password by a mailed link leaves the demand for a code', async () => {
    const person = story.person();
    const token = await links.token(person, 'password-reset');
    expect(await story.client().post('/password/reset', { token, new: CHOSEN })).toBeAnswered(204);

    const client = story.client();
    const { accessToken: bearer } = await story.signInByPassword({ ...person, password: CHOSEN }, client);

    expect(await client.post('/2fa/setup', {}, { bearer })).toBeRefused(400, 'VALIDATION_FAILED');
    expect(await client.post('/2fa/passkeys/registration/options', {}, { bearer })).toBeRefused(
      400,
      'VALIDATION_FAILED',
    );
  });
});

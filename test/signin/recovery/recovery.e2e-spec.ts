import { expect, it } from 'vitest';
import { messagesOf } from '../../../src/signin/messages/messages.js';
import type { LinkKind } from '../../../src/signin/recovery/account-link.js';
import { PUBLIC_URL, StoryLinks, tokenIn } from '../../support/login/account-links.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { type Enrolled, PASSWORD, type Person, refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import { openMailboxes } from '../../support/mail/mailbox.js';
import { atOnce, outcomes, upTo } from '../../support/login/races.js';
import { onEachEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const CHOSEN = 'nine wet lanterns & 3 harbours';
/** One more than the lifetime of a link to reset or unlock. */
const EXPIRED_SECONDS = 15 * 60 + 1;
const INTERVAL_SECONDS = 5 * 60;
const MAILBOXES = await openMailboxes();
/** Text of a mail that a user has requested. */
const REQUESTED = 'Someone asked for a new password';
const HELP_CONTACT = 'IT desk & friends, +82 2 123 4567';
const UNKNOWN_TOKEN = 'A'.repeat(43);

onEachEngine('recovery by mailed links', (engine) => {
  const mailbox = MAILBOXES[engine.name];
  const args = [
    ...mailbox.args,
    `--app.security.public-url=${PUBLIC_URL}`,
    '--app.security.mfa.trusted-device.enabled=true',
    `--app.branding.help-contact=${HELP_CONTACT}`,
  ];
  const story = storyOn(engine, { people: 62, args });
  const links = new StoryLinks(story);

  const addressOf = ({ id }: Pick<Person, 'id'>): string => `${id}@harbour.example`;

  async function withAddress<P extends Pick<Person, 'id'>>(person: P): Promise<P> {
    await set(person, 'email', addressOf(person));
    return person;
  }

  async function set({ id }: Pick<Person, 'id'>, column: string, value: string | number | null): Promise<void> {
    await story.database.query(`UPDATE account SET ${column} = ? WHERE login_id = ?`, [value, id]);
  }

  async function columnOf<T>({ id }: Pick<Person, 'id'>, column: string): Promise<T | undefined> {
    const rows = await story.database.query<Readonly<Record<string, T>>>(
      `SELECT ${column} FROM account WHERE login_id = ?`,
      [id],
    );
    return rows[0]?.[column];
  }

  function forgot(
    id: string,
    client = story.client(),
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return client.post('/password/forgot', { id }, { headers });
  }

  /** The token of the next mail with a link to reset the password. */
  async function resetToken(person: Person, number = 1): Promise<string> {
    expect(await forgot(person.id)).toBeAnswered(202);
    return tokenIn((await mailbox.mailTo(addressOf(person), REQUESTED, number)).text);
  }

  function reset(token: string, password = CHOSEN): Promise<Answer> {
    return story.client().post('/password/reset', { token, new: password });
  }

  function login(person: Person, pw: string, client = story.client()): Promise<Answer> {
    return client.post('/login', { id: person.id, pw });
  }

  async function trusted(person: Enrolled): Promise<HttpClient> {
    return (await story.signIn(person, story.client(), { trust_device: true })).client;
  }

  /** Every request before this has had its mail sent, if it gets one. */
  async function allMailsSent(): Promise<void> {
    const last = await withAddress(story.person());
    await resetToken(last);
    await waitUntil('no mail waits', async () => {
      return (await story.database.query('SELECT id FROM mail_message')).length === 0;
    });
  }

  it('S9: a link resets the password, ends all access, keeps the second factor and signs nobody in', async () => {
    const person = await withAddress(await story.enrolled());
    const { client, accessToken: bearer } = await story.signIn(person);
    const browser = await trusted(person);
    const half = await story.mfaToken(person);
    await secondStep(story.client(), half, story.wrongCode(person));
    const token = await resetToken(person);

    const weak = await reset(token, 'password');
    const done = await reset(token);

    expect(weak).toBeRefused(400, 'VALIDATION_FAILED');
    expect(weak.body['errors']).toEqual([{ field: 'new', code: 'too_common' }]);
    expect(done).toBeAnswered(204);
    expect([done.text, done.cookies]).toEqual(['', []]);
    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await secondStep(story.client(), half, story.nextCode(person))).toBeRefused(401, 'MFA_TOKEN_INVALID');
    expect(await login(person, PASSWORD)).toBeRefused(401, 'INVALID_CREDENTIALS');
    const [again, inBrowser] = [await login(person, CHOSEN), await login(person, CHOSEN, browser)];
    expect(again.body).toMatchObject({ mfa_required: true, methods: ['totp', 'backup_code'] });
    expect(inBrowser.body).toMatchObject({ mfa_required: true });
    expect(await columnOf(person, 'failures')).toBe(1);
    const event = (await story.events(person)).find(({ kind }) => kind === 'PASSWORD_RESET');
    expect(event).toMatchObject({ actor: null, reason: 'link', result: 'ok', ip: '127.0.0.1' });
  });

  it('S9: a link to reset the password replaces a temporary one', async () => {
    const person = story.person();
    await story.command('users', 'set-password', person.id);

    expect(await reset(await links.token(person, 'password-reset'))).toBeAnswered(204);

    expect((await login(person, CHOSEN)).body).toMatchObject({ mfa_required: false });
  });

  it('S9: a reset of the password does not end the lock', async () => {
    const person = await story.enrolled();
    await story.lock(person);

    expect(await reset(await links.token(person, 'password-reset'))).toBeAnswered(204);

    const mfaToken = String((await login(person, CHOSEN)).body['mfa_token']);
    const locked = await secondStep(story.client(), mfaToken, story.codeOf(person.app));
    expect(locked).toBeRefused(429, 'MFA_LOCKED');
  });

  it('S9: exactly one of 50 uses of one link at once succeeds', async () => {
    const person = story.person();
    const token = await links.token(person, 'password-reset');

    const answers = await atOnce(50, (index) => reset(token, `${CHOSEN} ${index}`));

    expect(outcomes(answers)).toEqual({ 204: 1, LINK_INVALID: 49 });
    const winner = answers.findIndex(({ status }) => status === 204);
    expect(await login(person, `${CHOSEN} ${winner}`)).toBeAnswered(200);
    expect(await story.countOf(person, 'PASSWORD_RESET')).toBe(1);
  });

  it.each<readonly [string, (person: Person, token: string) => Promise<unknown>]>([
    ['was used', (_person, token) => reset(token)],
    [
      'has expired',
      () => {
        story.clock.advance(EXPIRED_SECONDS);
        return Promise.resolve();
      },
    ],
    ['was replaced by a newer one', (person) => links.token(person, 'password-reset')],
    ['is for an account with another password since', (person) => story.command('users', 'set-password', person.id)],
    ['is for an account with another mail address since', (person) => set(person, 'email', 'new@harbour.example')],
    ['is for a disabled account', (person) => set(person, 'status', 'disabled')],
    ['is for a deleted account', (person) => story.command('users', 'delete', person.id)],
  ])('S9: a link to reset the password that %s is rejected like an unknown one', async (_name, change) => {
    const person = await withAddress(story.person());
    const token = await links.token(person, 'password-reset');
    await change(person, token);

    const refused = await reset(token, `${CHOSEN} again`);

    const unknown = await reset(UNKNOWN_TOKEN);
    expect(refused).toBeRefused(401, 'LINK_INVALID');
    expect({ ...refused.body, timestamp: '', request_id: '' }).toEqual({
      ...unknown.body,
      timestamp: '',
      request_id: '',
    });
  });

  it('T20, S9: a link works for its own act only', async () => {
    const person = await story.enrolled();
    await story.lock(person);
    const tokens = {
      '/password/reset': await links.token(person, 'password-reset'),
      '/unlock': await links.token(person, 'unlock'),
      '/account/not-me': await links.token(person, 'not-me'),
      '/invitation': UNKNOWN_TOKEN,
    };

    for (const [path, own] of Object.entries(tokens)) {
      const others = Object.values(tokens).filter((token) => token !== own);
      const isPassword = path === '/password/reset' || path === '/invitation';
      for (const token of others) {
        const body = { token, ...(isPassword && { new: CHOSEN }) };
        expect(await story.client().post(path, body)).toBeRefused(401, 'LINK_INVALID');
      }
    }
    expect(await reset(tokens['/password/reset'])).toBeAnswered(204);
  });

  it.each(['', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}=`, 'ä'.repeat(43)])(
    'S9: the malformed token "%s" is rejected',
    async (token) => {
      const refused = await reset(token);

      expect([400, 401]).toContain(refused.status);
    },
  );

  it('S9: POST /password/forgot responds alike for every id, and mails only users who can reset a password', async () => {
    const known = await withAddress(story.person());
    const [disabled, staff, invited] = [story.person(), story.person(), story.person()];
    const withoutAddress = story.person();
    for (const person of [disabled, staff, invited]) await withAddress(person);
    await set(disabled, 'status', 'disabled');
    await set(staff, 'kind', 'staff');
    await set(staff, 'password_hash', null);
    await set(invited, 'password_hash', null);
    const people = [disabled, staff, invited, withoutAddress, { id: 'nobody' }, known];

    const answers: Answer[] = [];
    for (const { id } of people) answers.push(await forgot(id));
    await allMailsSent();

    const looks = answers.map(({ status, text, headers }) => [status, text, [...headers.keys()].toSorted()]);
    expect(new Set(looks.map((look) => JSON.stringify(look))).size).toBe(1);
    expect(answers[0]).toBeAnswered(202);
    expect(answers[0]?.text).toBe('');
    expect(mailbox.allTo(addressOf(known))).toHaveLength(1);
    for (const person of [disabled, staff, invited]) expect(mailbox.allTo(addressOf(person))).toEqual([]);
  });

  it('S9: an account gets at most one mail about a forgotten password in five minutes', async () => {
    const person = await withAddress(story.person());
    const first = await resetToken(person);
    await forgot(person.id);
    await allMailsSent();
    story.clock.advance(INTERVAL_SECONDS - 1);
    await forgot(person.id);
    await allMailsSent();

    expect(mailbox.allTo(addressOf(person), REQUESTED)).toHaveLength(1);
    expect(await reset(first)).toBeAnswered(204);
    story.clock.advance(1);
    expect(await reset(await resetToken(person, 2))).toBeAnswered(204);
  });

  it('S9: the URL of a link comes from the configuration, not from headers', async () => {
    const person = await withAddress(story.person());
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };

    await forgot(person.id, story.client(), headers);

    const { text } = await mailbox.mailTo(addressOf(person));
    expect(text).toMatch(/\r\nhttps:\/\/login\.example\/portal\/reset\?token=[\w-]{43}\r\n\r\n/);
    expect(text).not.toContain('evil');
  });

  it('a mail about a forgotten password is in the language that the browser prefers', async () => {
    const person = await withAddress(story.person());

    await forgot(person.id, story.client(), { 'accept-language': 'ko-KR,ko;q=0.9,en;q=0.8' });

    expect(await mailbox.mailTo(addressOf(person), '비밀번호 재설정 요청을 받았습니다')).toBeDefined();
  });

  it.each(['en', 'ko'] as const)(
    'a mail about a forgotten password tells how to reach the help desk in %s',
    async (language) => {
      const person = await withAddress(story.person());

      await forgot(person.id, story.client(), { 'accept-language': language });

      const { text } = await mailbox.mailTo(addressOf(person));
      const line = messagesOf(language).common.contact(HELP_CONTACT);
      expect(text.split(/\r?\n/)).toContain(line);
      expect(text).toContain(`<br>${line.replace('&', '&amp;')}</p>`);
    },
  );

  it.each<readonly [string, LinkKind, string, object]>([
    ['/portal/reset', 'password-reset', '/password/reset', { new: CHOSEN }],
    ['/portal/unlock', 'unlock', '/unlock', {}],
    ['/portal/not-me', 'not-me', '/account/not-me', {}],
  ])('S9: a mail scanner that follows a link to %s changes nothing', async (page, kind, path, more) => {
    const person = await story.enrolled();
    const { client, accessToken: bearer } = await story.signIn(person);
    await story.lock(person);
    const token = await links.token(person, kind);
    const before = await story.database.query('SELECT * FROM account WHERE login_id = ?', [person.id]);

    for (const method of ['GET', 'HEAD', 'GET']) {
      const { status } = await story.client().send(method, `${page}?token=${token}`);
      expect(status).toBe(200);
    }

    expect(await story.database.query('SELECT * FROM account WHERE login_id = ?', [person.id])).toEqual(before);
    expect(await client.get('/me', { bearer })).toBeAnswered(200);
    expect(await story.client().post(path, { token, ...more })).toBeAnswered(204);
  });

  it.each<readonly [string, boolean]>([
    ['/portal/reset', true],
    ['/portal/unlock', false],
    ['/portal/not-me', false],
    ['/portal/invitation', false],
  ])('the page of a link to %s that is not valid offers another link: %s', async (page, offers) => {
    const headers = { accept: 'text/html', 'accept-language': 'en' };

    const { status, text } = await story.client().get(`${page}?token=${UNKNOWN_TOKEN}`, { headers });

    expect(status).toBe(401);
    expect(/request a new/i.test(text)).toBe(offers);
    expect(text.includes('href="/portal/forgot?')).toBe(offers);
    expect(text.includes(messagesOf('en').linkInvalid.ask)).toBe(!offers);
  });

  it('S9: an unlock link ends the lock; the lock level and the failures in a row stay', async () => {
    const person = await withAddress(await story.enrolled());
    await story.lock(person);
    const { text } = await mailbox.mailTo(addressOf(person), 'Unlock my account');
    const [token, mfaToken] = [tokenIn(text), await story.mfaToken(person)];
    const code = story.codeOf(person.app, 1);
    expect(await secondStep(story.client(), mfaToken, code)).toBeRefused(429, 'MFA_LOCKED');

    const answer = await story.client().post('/unlock', { token });

    expect(answer).toBeAnswered(204);
    expect([answer.text, answer.cookies]).toEqual(['', []]);
    expect(await columnOf(person, 'failures')).toBe(0);
    expect(await columnOf(person, 'failures_in_row')).toBe(5);
    expect(await columnOf(person, 'lock_level')).toBe(1);
    expect(await story.client().post('/unlock', { token })).toBeRefused(401, 'LINK_INVALID');
    const event = (await story.events(person)).find(({ kind }) => kind === 'MFA_UNLOCKED');
    expect(event).toMatchObject({ actor: null, reason: 'link' });
    expect(await secondStep(story.client(), mfaToken, story.nextCode(person))).toBeAnswered(200);
  });

  it('S9: exactly one of 50 uses of one unlock link at once succeeds', async () => {
    const person = await story.enrolled();
    await story.lock(person);
    const token = await links.token(person, 'unlock');

    const answers = await atOnce(50, () => story.client().post('/unlock', { token }));

    expect(outcomes(answers)).toEqual({ 204: 1, LINK_INVALID: 49 });
    expect(await story.countOf(person, 'MFA_UNLOCKED')).toBe(1);
  });

  it('S9: an unlock link is for its own lock, and no other account state gets one', async () => {
    const person = await story.enrolled();
    expect(await links.create(person, 'unlock')).toBeUndefined();
    await story.lock(person);
    const [first, second] = [await links.token(person, 'unlock'), await links.token(person, 'unlock')];

    expect(await story.client().post('/unlock', { token: first })).toBeRefused(401, 'LINK_INVALID');
    await story.command('users', 'unlock', person.id);
    expect(await links.create(person, 'unlock')).toBeUndefined();
    expect(await story.client().post('/unlock', { token: second })).toBeRefused(401, 'LINK_INVALID');
    story.clock.advance(1);
    await story.lock(person);
    expect(await story.client().post('/unlock', { token: second })).toBeRefused(401, 'LINK_INVALID');
    expect(await columnOf(person, 'failures')).toBe(5);
  });

  it('S9: an unlock link is void once the account has another mail address', async () => {
    const person = await withAddress(await story.enrolled());
    await story.lock(person);
    const token = await links.token(person, 'unlock');
    await set(person, 'email', 'new@harbour.example');

    expect(await story.client().post('/unlock', { token })).toBeRefused(401, 'LINK_INVALID');
    expect(await story.client().post('/unlock', { token: await links.token(person, 'unlock') })).toBeAnswered(204);
  });

  it.each<readonly [string, (person: Person) => Promise<string>, object]>([
    ['/password/reset', (person) => links.token(person, 'password-reset'), { new: CHOSEN }],
    ['/account/not-me', (person) => links.token(person, 'not-me'), {}],
  ])('S9: no login with the old password outlives %s by a link at the same moment', async (path, tokenOf, more) => {
    const person = story.person();
    const token = await tokenOf(person);
    const clients = upTo(8).map(() => story.client());

    const [used, ...logins] = await Promise.all([
      story.client().post(path, { token, ...more }),
      ...clients.map((client) => login(person, PASSWORD, client)),
    ]);

    expect(used).toBeAnswered(204);
    expect(await login(person, PASSWORD)).toBeRefused(401, 'INVALID_CREDENTIALS');
    for (const [index, { status, body }] of logins.entries()) {
      expect([200, 401]).toContain(status);
      const client = clients[index] ?? story.client();
      const bearer = String(body['access_token']);
      expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
    }
  });

  it('S9: exactly one of a reset by link and a change of the password at once succeeds, and its password is valid', async () => {
    for (let round = 0; round < 8; round += 1) {
      const person = story.person();
      const { client, accessToken: bearer } = await story.signInByPassword(person);
      const token = await links.token(person, 'password-reset');

      const [byLink, own] = await Promise.all([
        reset(token, `${CHOSEN} by link`),
        client.post('/me/password', { current: PASSWORD, new: `${CHOSEN} own` }, { bearer }),
      ]);

      const isByLink = byLink.status === 204;
      expect(byLink.status).toBe(isByLink ? 204 : 401);
      expect(isByLink ? [401, 409] : [204]).toContain(own.status);
      expect(await login(person, `${CHOSEN} ${isByLink ? 'by link' : 'own'}`)).toBeAnswered(200);
      expect(await login(person, `${CHOSEN} ${isByLink ? 'own' : 'by link'}`)).toBeRefused(401, 'INVALID_CREDENTIALS');
      // A reset by link ends the session, a change of the password keeps its own.
      expect((await client.get('/me', { bearer })).status).toBe(isByLink ? 401 : 200);
    }
  });

  it('S9: a report by the link of a notice ends all access and the password, and mails a link to reset it', async () => {
    const person = await withAddress(await story.enrolled());
    const { client, accessToken: bearer } = await story.signIn(person);
    const browser = await trusted(person);
    const half = await story.mfaToken(person);
    const [token, other] = [await links.token(person, 'not-me'), await links.token(person, 'not-me')];

    const answer = await story.client().post('/account/not-me', { token });

    expect(answer).toBeAnswered(204);
    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await secondStep(story.client(), half, story.nextCode(person))).toBeRefused(401, 'MFA_TOKEN_INVALID');
    const old = await login(person, PASSWORD, browser);
    expect(old).toBeRefused(401, 'INVALID_CREDENTIALS');
    expect(Object.keys(old.body)).toEqual(Object.keys((await login({ id: 'nobody', password: '' }, PASSWORD)).body));
    expect(await columnOf(person, 'password_hash')).toBeNull();
    expect(await story.client().post('/account/not-me', { token: other })).toBeRefused(401, 'LINK_INVALID');
    expect(await story.countOf(person, 'NOT_ME_REPORTED')).toBe(1);
    const { text } = await mailbox.mailTo(addressOf(person), 'You reported that');
    expect(await reset(tokenIn(text))).toBeAnswered(204);
    expect((await login(person, CHOSEN)).body).toMatchObject({ mfa_required: true, methods: ['totp', 'backup_code'] });
  });

  it('S9: after a report, POST /password/forgot mails another link', async () => {
    const person = await withAddress(story.person());
    await story.client().post('/account/not-me', { token: await links.token(person, 'not-me') });
    await mailbox.mailTo(addressOf(person), 'You reported that');
    story.clock.advance(INTERVAL_SECONDS);

    expect(await reset(await resetToken(person))).toBeAnswered(204);

    expect(await login(person, CHOSEN)).toBeAnswered(200);
  });

  it('S9: a report of a staff account ends its sessions and mails no link', async () => {
    const person = await withAddress(story.person());
    const { client, accessToken: bearer } = await story.signInByPassword(person);
    await set(person, 'kind', 'staff');
    await set(person, 'password_hash', null);

    expect(await story.client().post('/account/not-me', { token: await links.token(person, 'not-me') })).toBeAnswered(
      204,
    );

    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    await allMailsSent();
    expect(mailbox.allTo(addressOf(person))).toEqual([]);
  });

  it('S9: exactly one of 50 uses of one report link at once succeeds', async () => {
    const person = story.person();
    const token = await links.token(person, 'not-me');

    const answers = await atOnce(50, () => story.client().post('/account/not-me', { token }));

    expect(outcomes(answers)).toEqual({ 204: 1, LINK_INVALID: 49 });
  });
});

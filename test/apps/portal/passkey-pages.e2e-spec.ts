import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { type Enrolled, type Person, storyOn } from '../../support/login/login-story.js';
import { follow, formOf, submit, unescaped, visit } from '../../support/pages/pages.js';
import type { SoftwareAuthenticator } from '../../support/passkey/passkey-authenticator.js';
import { creationOptions, type PasskeyHolder, PasskeyStory } from '../../support/passkey/passkey-story.js';
import { onSqlite } from '../../support/database/story-database.js';
import '../../support/runner/matchers.js';

const LOGIN = '/portal/login';
const VERIFY = '/2fa/portal/verify';
const SETUP = '/2fa/portal/setup';
const PASSKEY = '/2fa/portal/passkey';
const USE = 'Use a passkey';
const CONNECTS = "connect-src 'self'";
const SCRIPT = /<script src="\/assets\/passkey-[\w-]{12}\.js" defer>/;
const STRICT = ['strict-1', 'strict-2', 'strict-3'];

/** Texts of the hidden field that are not the response of an authenticator. */
const MALFORMED = [
  ['no JSON', '{"id":'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a text', '"passkey"'],
  ['an object without members', '{}'],
  ['markup', '"><script>alert(1)</script>'],
  ['deep nesting', '['.repeat(20_000)],
] as const;

onSqlite('pages of passkeys', (engine) => {
  const story = storyOn(engine, {
    others: { ...Object.fromEntries(STRICT.map((id) => [id, 'ROLE_HELPDESK'])), boss: 'ROLE_ADMIN' },
    args: [
      '--app.security.mfa.trusted-device.enabled=true',
      '--app.security.mfa.required-strength=phishing-resistant',
      '--app.security.mfa.required-strength-roles=ROLE_HELPDESK',
    ],
  });
  const passkeys = new PasskeyStory(story);

  /** A browser after the password step. */
  async function afterPassword({ id, password: pw }: Pick<Person, 'id' | 'password'>): Promise<HttpClient> {
    const client = story.client();
    expect(await submit(client, await visit(client, LOGIN), { id, pw })).toBeAnswered(303);
    return client;
  }

  async function assertion(client: HttpClient, authenticator: SoftwareAuthenticator): Promise<string> {
    return JSON.stringify(await passkeys.assertion(client, {}, authenticator));
  }

  async function registration(client: HttpClient, authenticator = passkeys.authenticator()): Promise<string> {
    return JSON.stringify(authenticator.register(await creationOptions(client, {})));
  }

  /** Sends the form of a passkey with this hidden field. */
  async function send(client: HttpClient, path: string, credential: string, more: object = {}): Promise<Answer> {
    return submit(client, await visit(client, path), { credential, ...more }, {}, USE);
  }

  /** A user with an app and a passkey. */
  async function withBoth(): Promise<Enrolled & Pick<PasskeyHolder, 'authenticator'>> {
    const person = await story.enrolled();
    const authenticator = passkeys.authenticator();
    await passkeys.register(person.client, { bearer: person.accessToken }, authenticator);
    return { ...person, authenticator };
  }

  async function kindsOf(person: Pick<Person, 'id'>): Promise<readonly string[]> {
    return (await story.events(person)).map(({ kind }) => kind);
  }

  describe('the page for the second step', () => {
    it('only a page with a passkey loads the script and may connect to the service', async () => {
      const both = await withBoth();
      const app = await story.enrolled();
      const [passkey, otp, code] = [
        await visit(await afterPassword(both), VERIFY),
        await visit(await afterPassword(both), `${VERIFY}?required=otp`),
        await visit(await afterPassword(app), VERIFY),
      ];

      expect(passkey.text).toMatch(SCRIPT);
      expect(passkey.headers.get('content-security-policy')).toContain(CONNECTS);
      for (const { text, headers } of [otp, code]) {
        expect(text).not.toMatch(SCRIPT);
        expect(text).not.toContain('data-passkey');
        expect(headers.get('content-security-policy')).not.toContain(CONNECTS);
      }
    });

    it('without script, the form for a code is complete and that of the passkey is hidden', async () => {
      const person = await withBoth();
      const client = await afterPassword(person);
      const page = await visit(client, VERIFY);

      expect(page.text).toMatch(/<div data-passkey="get"[^>]* hidden>/);
      expect(page.text).toMatch(/<details open[^>]*>/);
      const answer = await submit(client, page, { code: story.nextCode(person) }, {}, 'Continue');
      expect(answer).toBeAnswered(303);
    });

    it('a form of a passkey that arrives without one is shown again, and costs no attempt', async () => {
      const holder = await passkeys.holder();
      const client = await afterPassword(holder);
      const before = await kindsOf(holder);

      const answer = await send(client, VERIFY, '');

      expect(answer).toBeAnswered(400);
      expect(answer.text).toContain('Your browser could not use a passkey here.');
      expect(await kindsOf(holder)).toEqual(before);
      expect(await send(client, VERIFY, await assertion(client, holder.authenticator))).toBeAnswered(303);
    });

    it.each(MALFORMED)('a hidden field with %s shows the form again, and costs no attempt', async (_what, field) => {
      const holder = await passkeys.holder();
      const client = await afterPassword(holder);
      const genuine = await assertion(client, holder.authenticator);
      const before = await kindsOf(holder);

      const answer = await send(client, VERIFY, field);

      expect(answer).toBeAnswered(400);
      expect(answer.text).toContain('role="alert"');
      expect(answer.text).not.toContain(field);
      expect(await kindsOf(holder)).toEqual(before);
      expect(await send(client, VERIFY, genuine)).toBeAnswered(303);
    });

    it('a hidden field that is too long is rejected before it is read', async () => {
      const client = await afterPassword(await passkeys.holder());

      expect(await send(client, VERIFY, 'x'.repeat(70_000))).toBeAnswered(400);
    });

    it('a wrong assertion shows the form again, with one event', async () => {
      const holder = await passkeys.holder();
      const client = await afterPassword(holder);
      const genuine = JSON.parse(await assertion(client, holder.authenticator)) as { response: { signature: string } };
      const changed = { ...genuine, response: { ...genuine.response, signature: 'AAAA' } };
      const before = await kindsOf(holder);

      const answer = await send(client, VERIFY, JSON.stringify(changed));

      expect(answer).toBeAnswered(401);
      expect(answer.text).toContain('This passkey was not accepted.');
      expect(await kindsOf(holder)).toEqual([...before, 'MFA_FAILED']);
    });

    it('an assertion that another session asked for is rejected, with one event', async () => {
      const holder = await passkeys.holder();
      const [client, other] = [await afterPassword(holder), await afterPassword(holder)];
      const genuine = await assertion(other, holder.authenticator);
      const failures = await story.countOf(holder, 'MFA_FAILED');

      expect(await send(client, VERIFY, genuine)).toBeAnswered(401);
      expect(await story.countOf(holder, 'MFA_FAILED')).toBe(failures + 1);
      expect(await send(other, VERIFY, genuine)).toBeAnswered(303);
    });

    it('five wrong assertions show the lock, also to a form whose script gets no options', async () => {
      const holder = await passkeys.holder();
      const client = await afterPassword(holder);
      const page = await visit(client, VERIFY);
      const answers: Answer[] = [];
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const genuine = JSON.parse(await assertion(client, holder.authenticator)) as { response: object };
        const credential = JSON.stringify({ ...genuine, response: { ...genuine.response, signature: 'AAAA' } });
        answers.push(await submit(client, page, { credential }, {}, USE));
      }
      const options = await client.post('/2fa/passkeys/assertion/options', {});
      const without = await submit(client, page, { credential: '' }, {}, USE);

      expect(answers.at(-1)?.text).toContain('<h1>Sign-in is locked</h1>');
      expect(options).toBeRefused(429, 'MFA_LOCKED');
      expect(without).toBeAnswered(429);
      expect(without.text).toContain('<h1>Sign-in is locked</h1>');
    });

    it('after a lock, a user who must prove a passkey, or a code, is asked for that again', async () => {
      for (const [required, send] of [
        ['passkey', (client, page) => submit(client, page, { credential: '' }, {}, USE)],
        ['otp', (client, page, wrong) => submit(client, page, { code: wrong }, {}, 'Continue')],
      ] as readonly [string, (client: HttpClient, page: Answer, wrong: string) => Promise<Answer>][]) {
        const person = await withBoth();
        const client = await afterPassword(person);
        await submit(client, await visit(client, VERIFY), { code: story.nextCode(person) }, {}, 'Continue');
        story.clock.advance(600);
        const page = await visit(client, `${VERIFY}?required=${required}`);
        await story.lock(person);

        const locked = await send(client, page, story.wrongCode(person));

        expect(locked, required).toBeAnswered(429);
        expect(locked.text, required).toContain(`href="${VERIFY}?return_to=%2F&amp;required=${required}"`);
      }
    });

    it('a browser is trusted after a passkey, but not by a step-up', async () => {
      const holder = await passkeys.holder();
      const client = await afterPassword(holder);
      const login = await send(client, VERIFY, await assertion(client, holder.authenticator), { trust_device: 'true' });
      story.clock.advance(301);
      const stepUp = await send(client, VERIFY, await assertion(client, holder.authenticator), {
        trust_device: 'true',
      });

      expect(login).toBeAnswered(303);
      expect(stepUp).toBeAnswered(303);
      expect(await story.countOf(holder, 'DEVICE_TRUSTED')).toBe(1);
      expect(await story.countOf(holder, 'STEP_UP_OK')).toBe(1);
    });

    it('a form that is sent again after its step-up redirects, and is no failure', async () => {
      const holder = await passkeys.holder();
      const client = await afterPassword(holder);
      await send(client, VERIFY, await assertion(client, holder.authenticator));
      story.clock.advance(301);
      const page = await visit(client, VERIFY);
      const credential = await assertion(client, holder.authenticator);

      const answers = [
        await submit(client, page, { credential }, {}, USE),
        await submit(client, page, { credential }, {}, USE),
      ];

      expect(answers.map(({ status }) => status)).toEqual([303, 303]);
      expect(await story.countOf(holder, 'MFA_FAILED')).toBe(0);
    });
  });

  describe('the page for the setup', () => {
    it('a signed-in user without a second factor gets the backup codes and a link to the end', async () => {
      const client = await afterPassword(story.person());

      const sent = await send(client, `${SETUP}?return_to=/me`, await registration(client), { name: '' });
      const answer = await follow(client, sent);

      expect(answer).toBeAnswered(200);
      expect(answer.text.match(/<li>[0-9A-Z]{4}-[0-9A-Z]{4}<\/li>/g)).toHaveLength(10);
      expect(formOf(client, answer, 'I saved them').fields['return_to']).toBe('/me');
    });

    it('a user who must enrol is not signed in by the registration, but by the passkey', async () => {
      const client = await afterPassword({ id: 'boss', password: story.person().password });
      const authenticator = passkeys.authenticator();
      const sent = await send(client, `${SETUP}?return_to=/me`, await registration(client, authenticator));
      const codes = await follow(client, sent);

      expect(codes).toBeAnswered(200);
      expect(codes.text).not.toContain('I saved them</button>');
      expect(await client.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
      const form = formOf(client, codes, 'I saved them: use the passkey');
      expect(form.path).toBe(VERIFY);
      const credential = await assertion(client, authenticator);
      const finished = await client.send('POST', form.path, { form: { ...form.fields, credential } });
      expect(finished.headers.get('location')).toBe('/me');
      expect(await client.get('/me')).toBeAnswered(200);
    });

    it('a registration that is sent again leads to the page for the second step', async () => {
      const client = await afterPassword({ id: STRICT[0] ?? '', password: story.person().password });
      const page = await visit(client, SETUP);
      const credential = await registration(client);
      await submit(client, page, { credential }, {}, 'Create a passkey');

      const again = await submit(client, page, { credential }, {}, 'Create a passkey');

      expect(again).toBeAnswered(303);
      expect(again.headers.get('location')).toBe(`${VERIFY}?return_to=%2F`);
      expect((await visit(client, SETUP)).headers.get('location')).toBe(`${VERIFY}?return_to=%2F`);
    });

    it.each(MALFORMED)('a hidden field with %s shows the choice again and stores nothing', async (_what, field) => {
      const person = story.person();
      const client = await afterPassword(person);
      const genuine = await registration(client);

      const answer = await send(client, SETUP, field);

      expect(answer).toBeAnswered(400);
      expect(answer.text).toContain('The passkey was not created.');
      expect(await story.countOf(person, 'PASSKEY_ADDED')).toBe(0);
      expect(await send(client, SETUP, genuine)).toBeAnswered(303);
    });

    it('a registration of a signed-in user that is sent again leads to the end', async () => {
      const person = story.person();
      const client = await afterPassword(person);
      const page = await visit(client, `${SETUP}?return_to=/me`);
      const credential = await registration(client);
      await submit(client, page, { credential }, {}, USE);

      const again = await submit(client, page, { credential }, {}, USE);

      expect(again).toBeAnswered(303);
      expect(again.headers.get('location')).toBe('/me');
      expect(await story.countOf(person, 'PASSKEY_ADDED')).toBe(1);
    });

    it.each([
      ['the options come after it: the passkey is added', '/', 1],
      [
        'the options came before it: the user adds the passkey on the page of the account',
        '/portal/security/add-passkey',
        0,
      ],
    ])('an app is set up elsewhere, and %s', async (_, location, added) => {
      const person = story.person();
      const client = await afterPassword(person);
      const page = await visit(client, SETUP);
      const before = await registration(client);
      const app = AuthenticatorApp.scan(textOf(await client.post('/2fa/setup'), 'otpauth_uri'));
      expect(await client.post('/2fa/confirm', { code: story.codeOf(app) })).toBeAnswered(200);

      const credential = added === 1 ? await registration(client) : before;
      const sent = await submit(client, page, { credential }, {}, USE);

      expect(sent).toBeAnswered(303);
      expect(sent.headers.get('location')).toBe(location);
      expect(await story.countOf(person, 'PASSKEY_ADDED')).toBe(added);
    });

    it('the form of a second tab leads to the page of the account, since its passkey is not stored', async () => {
      const person = story.person();
      const client = await afterPassword(person);
      const page = await visit(client, SETUP);
      const [first, second] = [await registration(client), await registration(client)];
      expect(await submit(client, page, { credential: second }, {}, USE)).toBeAnswered(303);

      const sent = await submit(client, page, { credential: first }, {}, USE);

      expect(sent).toBeAnswered(303);
      expect(sent.headers.get('location')).toBe('/portal/security/add-passkey');
      expect(await story.countOf(person, 'PASSKEY_ADDED')).toBe(1);
    });

    it('a change that a code has begun needs a passkey once policy demands one, and the pages lead to its proof', async () => {
      const person = await withBoth();
      const client = await afterPassword(person);
      await submit(client, await visit(client, VERIFY), { code: story.nextCode(person) }, {}, 'Continue');
      const addition = await visit(client, '/portal/security/add-passkey');
      const credential = await registration(client);
      await submit(client, await visit(client, '/portal/security/add-app'), {});
      const confirmation = await visit(client, SETUP);
      const app = AuthenticatorApp.scan(unescaped(/href="(otpauth:[^"]*)"/.exec(confirmation.text)?.[1] ?? ''));
      await story.database.query('UPDATE account SET roles = ? WHERE login_id = ?', ['ROLE_HELPDESK', person.id]);
      story.clock.advance(30);

      const added = await submit(client, addition, { credential });
      const confirmed = await submit(client, confirmation, { code: story.codeOf(app) });

      expect(added).toBeAnswered(303);
      expect(added.headers.get('location')).toBe(
        `${VERIFY}?return_to=%2Fportal%2Fsecurity%2Fadd-passkey&required=passkey`,
      );
      expect(confirmed).toBeAnswered(401);
      expect(confirmed.text).toMatch(/href="\/2fa\/portal\/verify\?return_to=[^"]*setup[^"]*&amp;required=passkey"/);
      const sql = 'SELECT totp_count, passkey_count FROM account WHERE login_id = ?';
      expect(await story.database.query(sql, [person.id])).toEqual([{ totp_count: 1, passkey_count: 1 }]);
    });

    it('a registration that another session asked for shows the choice again', async () => {
      const person = story.person();
      const [client, other] = [await afterPassword(person), await afterPassword(person)];

      const answer = await send(client, SETUP, await registration(other));

      expect(answer).toBeAnswered(409);
      expect(answer.text).toContain('This took too long, or was done already.');
      expect(await story.countOf(person, 'PASSKEY_ADDED')).toBe(0);
    });

    it('a form without a registration gets a page with the options, if nothing forbids it', async () => {
      const client = await afterPassword(story.person());

      const answer = await send(client, SETUP, '');

      expect(answer).toBeAnswered(200);
      expect(answer.text).toContain('<h1>Create your passkey</h1>');
      expect(answer.text).toMatch(/ data-options="\{&quot;challenge&quot;:/);
    });

    it('a name with control characters shows the choice again', async () => {
      const client = await afterPassword(story.person());

      const answer = await send(client, SETUP, await registration(client), { name: 'a\u0007b' });

      expect(answer).toBeAnswered(400);
      expect(answer.text).toContain('Enter a name of at most 64 characters.');
    });

    it('a name of spaces only is treated as no name', async () => {
      const client = await afterPassword(story.person());

      expect(await send(client, SETUP, await registration(client), { name: '   ' })).toBeAnswered(303);
      const { authenticators } = (await client.get('/2fa')).body as { authenticators: readonly object[] };
      expect(authenticators).toEqual([expect.not.objectContaining({ name: expect.anything() as unknown })]);
    });

    it('the second form of a user for whom policy demands a passkey takes a code once', async () => {
      const person = await story.enrolled();
      await story.command('users', 'set-roles', person.id, 'ROLE_HELPDESK');
      const client = await afterPassword(person);
      const page = await visit(client, SETUP);
      const code = story.nextCode(person);

      const shown = await submit(client, page, { code });
      const again = await submit(client, page, { code });

      expect(page.text).not.toContain('Use an authenticator app');
      expect(shown.text).toContain('<h1>Create your passkey</h1>');
      expect(again).toBeAnswered(401);
      const codeOnly = await visit(client, VERIFY);
      expect(codeOnly.headers.get('location')).toBe(`${SETUP}?return_to=%2F`);
    });

    it('the address of the form for a passkey leads to the choice', async () => {
      const client = await afterPassword(story.person());

      const answer = await visit(client, `${PASSKEY}?return_to=/me`);

      expect(answer).toBeAnswered(303);
      expect(answer.headers.get('location')).toBe(`${SETUP}?return_to=%2Fme`);
    });
  });
});

onSqlite('pages without passkeys', (engine) => {
  const story = storyOn(engine, { people: 3, args: ['--app.security.mfa.passkey.enabled=false'] });

  it('the setup page offers the authenticator app alone where passkeys are turned off', async () => {
    const { id, password: pw } = story.person();
    const client = story.client();
    await submit(client, await visit(client, LOGIN), { id, pw });

    const page = await visit(client, SETUP);

    expect(page.text).toContain('<h1>Set up your authenticator app</h1>');
    expect(page.text).not.toMatch(/passkey/i);
    expect(page.headers.get('content-security-policy')).not.toContain(CONNECTS);
    expect(await submit(client, page, {}, {}, 'Begin')).toBeAnswered(303);
    const form = { csrf: formOf(client, page).fields['csrf'] ?? '', credential: '' };
    expect(await client.send('POST', PASSKEY, { form })).toBeRefused(409, 'MFA_STATE_CONFLICT');
  });
});

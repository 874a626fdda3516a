import { expect, it } from 'vitest';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { type Enrolled, type Person, refresh, storyOn } from '../../support/login/login-story.js';
import { BROWSER, formOf, submit, visit } from '../../support/pages/pages.js';
import { assert, type PasskeyHolder, PasskeyStory } from '../../support/passkey/passkey-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const STRENGTH = '--app.security.mfa.required-strength';
const VERIFY = '/2fa/portal/verify';
const FRESH_SECONDS = 300;

onSqlite('where policy demands a passkey', (engine) => {
  const story = storyOn(engine, {
    people: 12,
    args: [
      `${STRENGTH}=phishing-resistant`,
      `${STRENGTH}-roles=ROLE_CLERK`,
      '--management.endpoints.web.exposure.include=*',
    ],
  });
  const passkeys = new PasskeyStory(story);
  type Holder = PasskeyHolder & Pick<Enrolled, 'app'>;

  async function giveRoles({ id }: Person, ...roles: readonly string[]): Promise<void> {
    await story.database.query('UPDATE account SET roles = ? WHERE login_id = ?', [
      ['ROLE_CLERK', ...roles].join(','),
      id,
    ]);
  }

  /** A user with an app and a passkey, whose last proof is a code, and of whom a passkey is demanded since. */
  async function provedByCode(...roles: readonly string[]): Promise<Holder> {
    const holder = await passkeys.withApp(await passkeys.holder());
    await giveRoles(holder, ...roles);
    return { ...holder, accessToken: textOf(await refresh(holder.client), 'access_token') };
  }

  /** A browser in which the user signed in by the passkey. */
  async function browserOf({ id, password: pw, authenticator }: Holder): Promise<HttpClient> {
    const client = story.client();
    await submit(client, await visit(client, '/portal/login'), { id, pw });
    const credential = JSON.stringify(await passkeys.assertion(client, {}, authenticator));
    const signedIn = await submit(client, await visit(client, VERIFY), { credential }, {}, 'Use a passkey');
    expect(signedIn).toBeAnswered(303);
    return client;
  }

  function expectPasskeyRequired(answer: Answer): void {
    expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(answer.body).toMatchObject({ required: 'passkey' });
  }

  it('X4: neither a one-time code nor a backup code steps up a session of an account with a passkey', async () => {
    const holder = await provedByCode();
    const { client, accessToken: bearer, authenticator } = holder;
    const refusal = { status: 409, code: 'MFA_STATE_CONFLICT', events: [] } as const;

    for (const code of [story.nextCode(holder), String(holder.backupCodes[0])]) {
      await passkeys.expectRefused(() => client.post('/2fa/verify', { code }, { bearer }), refusal);
    }

    const proved = await assert(client, { bearer }, await passkeys.assertion(client, { bearer }, authenticator));
    expect(proved.body).toMatchObject({ amr: ['pwd', 'hwk'], mfa_method: 'passkey' });
  });

  it('X4: the page for a step-up asks for the passkey only, and refuses a code that is sent all the same', async () => {
    const holder = await provedByCode();
    const client = await browserOf(holder);
    story.clock.advance(FRESH_SECONDS + 1);

    const page = await visit(client, VERIFY);
    const { credential, ...fields } = formOf(client, page, 'Use a passkey').fields;
    const form = { ...fields, code: story.nextCode(holder) };
    const refused = await client.send('POST', VERIFY, { form, headers: BROWSER });

    expect(credential).toBe('');
    expect(page.text).not.toContain('name="code"');
    expect(refused).toBeAnswered(409);
    expect(await story.countOf(holder, 'STEP_UP_OK')).toBe(1);
  });

  it('X4: the page that asks for a one-time code says that the account accepts none', async () => {
    const client = await browserOf(await provedByCode());

    const page = await visit(client, `${VERIFY}?required=otp`);

    expect(page.text).not.toContain('name="code"');
    expect(page.text).toContain('Your account does not accept codes');
  });

  it('X4: a code opens no administration to an account that needs a passkey, however recent it is', async () => {
    const { client, accessToken: bearer, authenticator } = await provedByCode('ROLE_ADMIN');

    for (const path of ['/admin/users', '/admin/events']) expectPasskeyRequired(await client.get(path, { bearer }));
    expectPasskeyRequired(await client.post('/admin/keys/rotate', {}, { bearer }));

    const proved = await assert(client, { bearer }, await passkeys.assertion(client, { bearer }, authenticator));
    expect(await client.get('/admin/users', { bearer: textOf(proved, 'access_token') })).toBeAnswered(200);
    story.clock.advance(FRESH_SECONDS + 1);
    expectPasskeyRequired(await client.get('/admin/users', { bearer: textOf(await refresh(client), 'access_token') }));
  });

  it('X4: the pages of the administration lead to the proof by a passkey', async () => {
    const holder = await provedByCode('ROLE_ADMIN');
    const client = await browserOf(holder);
    expect(await visit(client, '/portal/admin')).toBeAnswered(200);
    await story.database.query("UPDATE session SET amr = 'pwd otp', mfa_method = 'totp' WHERE user_id = ?", [
      await story.subjectOf(holder),
    ]);

    const asked = await visit(client, '/portal/admin');

    const location = `${VERIFY}?return_to=%2Fportal%2Fadmin&required=passkey`;
    expect(asked.headers.get('location')).toBe(location);
    const page = await visit(client, location);
    expect(formOf(client, page, 'Use a passkey').fields).toMatchObject({ required: 'passkey' });
  });

  it('X4: an administrator without the passkey that policy demands adds one before the administration opens', async () => {
    const person = await story.enrolled();
    const client = story.client();
    await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });
    await submit(client, await visit(client, VERIFY), { code: story.nextCode(person) });
    await giveRoles(person, 'ROLE_ADMIN');

    const asked = await visit(client, '/portal/admin');
    const verify = await visit(client, asked.headers.get('location') ?? '');

    expect(verify.headers.get('location')).toBe('/portal/security/add-passkey');
    expect(await visit(client, '/portal/security/add-passkey')).toBeAnswered(200);
  });

  it('X4: management endpoints that need a second factor need the passkey that policy demands', async () => {
    const { client, accessToken: bearer, authenticator } = await provedByCode('ROLE_MANAGEMENT');
    const level = { configuredLevel: 'INFO' };

    expectPasskeyRequired(await client.get('/actuator/env', { bearer }));
    expectPasskeyRequired(await client.post('/actuator/loggers/auth', level, { bearer }));
    expect(await client.get('/actuator/metrics', { bearer })).toBeAnswered(200);

    const proved = await assert(client, { bearer }, await passkeys.assertion(client, { bearer }, authenticator));
    const strong = { bearer: textOf(proved, 'access_token') };
    expect(await client.post('/actuator/loggers/auth', level, strong)).toBeAnswered(204);
  });
});

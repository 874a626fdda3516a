import { expect, it } from 'vitest';
import { onAnyEngine } from '../../support/database/story-database.js';
import { textOf } from '../../support/http/http-client.js';
import { type Person, secondStep, storyOn } from '../../support/login/login-story.js';
import { submit, visit } from '../../support/pages/pages.js';
import { signInByPasskey } from '../../support/passkey/passkey-login.js';
import { assert, creationOptions, type PasskeyHolder, PasskeyStory } from '../../support/passkey/passkey-story.js';

const KEY = '--app.security.mfa.passkey.sign-in';

onAnyEngine('where a role signs in by passkey only', (engine) => {
  const story = storyOn(engine, {
    people: 12,
    args: [`${KEY}=only`, `${KEY}-only-roles=ROLE_CLERK`],
  });
  const passkeys = new PasskeyStory(story);

  async function asClerk<P extends Person>(person: P): Promise<P> {
    await story.database.query("UPDATE account SET roles = 'ROLE_CLERK' WHERE login_id = ?", [person.id]);
    return person;
  }

  async function clerk(): Promise<PasskeyHolder> {
    return asClerk(await passkeys.holder());
  }

  it('U6: the right password of an account with a passkey is refused, and the passkey signs in', async () => {
    const { id, password: pw, authenticator } = await clerk();
    const client = story.client();

    const refused = await client.post('/login', { id, pw });

    expect(refused).toBeRefused(403, 'PASSKEY_REQUIRED');
    expect(refused.headers.getSetCookie()).toEqual([]);
    const events = await story.events({ id });
    expect(events.at(-1)).toMatchObject({ kind: 'LOGIN_PASSWORD_FAILED', reason: 'passkey_required' });
    const signedIn = await signInByPasskey(client, authenticator);
    expect(signedIn.body).toMatchObject({ mfa_required: false, amr: ['hwk', 'mfa'] });
  });

  it('U6: a wrong password of such an account gets the response of an unknown username', async () => {
    const { id } = await clerk();
    const client = story.client();

    const wrong = await client.post('/login', { id, pw: 'not the password' });
    const unknown = await client.post('/login', { id: 'nobody', pw: 'not the password' });

    expect(wrong).toBeRefused(401, 'INVALID_CREDENTIALS');
    expect({ ...wrong.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
  });

  it('U6: the sign-in page says after the right password that a passkey is needed, and opens no session', async () => {
    const { id, password: pw } = await clerk();
    const client = story.client();

    const answer = await submit(client, await visit(client, '/portal/login'), { id, pw });

    expect(answer).toBeAnswered(403);
    expect(answer.text).toContain('Your account signs in with a passkey only.');
    expect(client.cookie('SESSION')).toBeUndefined();
  });

  it('U6: an account without a passkey signs in by password once more, and must set one up', async () => {
    const person = await asClerk(story.person());
    const client = story.client();

    const login = await story.login(person, client);
    expect(login.body).toMatchObject({ enrolment_required: true, enrolment_methods: ['passkey'] });
    const bearer = textOf(login, 'mfa_token');
    const authenticator = passkeys.authenticator();
    expect(await creationOptions(client, { bearer })).toMatchObject({
      authenticatorSelection: { residentKey: 'required' },
    });
    await passkeys.register(client, { bearer }, authenticator);
    const assertion = await passkeys.assertion(client, { bearer }, authenticator);
    expect((await assert(client, { bearer }, assertion)).body).toMatchObject({ amr: ['pwd', 'hwk'] });

    expect(await client.post('/login', { id: person.id, pw: person.password })).toBeRefused(403, 'PASSKEY_REQUIRED');
    expect(await signInByPasskey(client, authenticator)).toBeAnswered(200);
  });

  it('U6: after the help desk has reset the second factor, the password leads to a new passkey', async () => {
    const { id, password: pw } = await clerk();

    const reset = await story.command('users', 'reset-mfa', id);

    expect(reset.exitCode, reset.stderr).toBe(0);
    const login = await story.client().post('/login', { id, pw });
    expect(login.body).toMatchObject({ mfa_required: true, enrolment_required: true, enrolment_methods: ['passkey'] });
  });

  it('U6: an account of another role signs in by password and code', async () => {
    const holder = await passkeys.withApp(await passkeys.holder());
    const client = story.client();

    const token = await story.mfaToken(holder, client);

    expect(await secondStep(client, token, story.nextCode(holder))).toBeAnswered(200);
  });

  it('U6: a passkey without user verification still needs a code, also for that role', async () => {
    const holder = await asClerk(await passkeys.withApp(await passkeys.holder({ userVerified: false })));
    const client = story.client();

    const token = textOf(await signInByPasskey(client, holder.authenticator), 'mfa_token');

    expect((await secondStep(client, token, story.nextCode(holder))).body).toMatchObject({ amr: ['otp', 'hwk'] });
  });
});

onAnyEngine('where passkeys do not sign in', (engine) => {
  const story = storyOn(engine, { people: 4 });
  const passkeys = new PasskeyStory(story);

  it('U6: the routes of a sign-in by passkey alone do not exist by default, and the page has no button', async () => {
    const { authenticator } = await passkeys.holder();
    const client = story.client();
    const challenge = Buffer.alloc(54).toString('base64url');
    const credential = authenticator.assert({ challenge, rpId: passkeys.site.rpId });

    expect(await client.post('/login/passkey/options', {})).toBeRefused(404, 'NOT_FOUND');
    expect(await client.post('/login/passkey', { credential })).toBeRefused(404, 'NOT_FOUND');
    const page = await visit(client, '/portal/login');
    expect(page.text).toContain('autocomplete="username"');
    expect(page.text).not.toContain('passkey');
  });
});

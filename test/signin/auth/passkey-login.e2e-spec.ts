import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { onEachEngine } from '../../support/database/story-database.js';
import { type Answer, textOf } from '../../support/http/http-client.js';
import { refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import { sendSignIn, signInByPasskey, signInOptions } from '../../support/passkey/passkey-login.js';
import { PasskeyKey } from '../../support/passkey/passkey-key.js';
import { PasskeyStory } from '../../support/passkey/passkey-story.js';

const CHALLENGE_SECONDS = 300;
const REFUSED = { status: 401, code: 'INVALID_CREDENTIALS' } as const;

onEachEngine('sign-in by passkey alone', (engine) => {
  const story = storyOn(engine, {
    people: 40,
    args: ['--app.security.mfa.passkey.sign-in=on', '--management.endpoints.web.exposure.include=*'],
  });
  const passkeys = new PasskeyStory(story);

  function failed(reason: string): readonly [string, string] {
    return ['LOGIN_PASSKEY_FAILED', reason];
  }

  async function rows(sql: string): Promise<number> {
    const [row] = await story.database.query<{ number: number }>(`SELECT COUNT(*) AS number FROM ${sql}`);
    return Number(row?.number);
  }

  function claimsOf(answer: Answer): unknown {
    return decodeJwt(textOf(answer, 'access_token'));
  }

  it.each([
    ['bound to its device', false, 'hwk'],
    ['synced', true, 'swk'],
  ])(
    'U6: a passkey %s whose authenticator verified the user completes a login with two factors',
    async (_, isSynced, method) => {
      const holder = await passkeys.holder({ isSynced });
      const client = story.client();

      const answer = await signInByPasskey(client, holder.authenticator);

      expect(answer).toBeAnswered(200);
      expect(answer.body).toMatchObject({ mfa_required: false, token_type: 'Bearer', amr: [method, 'mfa'] });
      expect(claimsOf(answer)).toMatchObject({
        ...{ sub: await story.subjectOf(holder), amr: [method, 'mfa'], acr: 'urn:login:acr:mfa' },
        ...{ auth_time: story.clock.seconds, mfa_at: story.clock.seconds, mfa_method: 'passkey' },
      });
      expect((await refresh(client)).body).toMatchObject({ amr: [method, 'mfa'] });
      const event = (await story.events(holder)).find(({ kind }) => kind === 'LOGIN_PASSKEY_OK');
      expect(event).toMatchObject({ result: 'ok', amr: `${method} mfa` });
    },
  );

  it('U6: the options name no passkey, and asking for them stores nothing', async () => {
    const before = await rows('passkey_challenge');

    const options = await signInOptions(story.client());
    const other = await signInOptions(story.client());

    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'preferred', timeout: 300_000 });
    expect(options.allowCredentials ?? []).toEqual([]);
    expect(options.challenge).not.toBe(other.challenge);
    expect(await rows('passkey_challenge')).toBe(before);
  });

  it('U6: a passkey without user verification is one factor, and a code completes the login', async () => {
    const holder = await passkeys.withApp(await passkeys.holder({ userVerified: false }));
    const client = story.client();

    const answer = await signInByPasskey(client, holder.authenticator);
    expect(answer.body).toMatchObject({ mfa_required: true, methods: ['totp', 'backup_code'] });
    const mfaToken = textOf(answer, 'mfa_token');
    expect(decodeJwt(mfaToken)).toMatchObject({ amr: ['hwk'] });
    const done = await secondStep(client, mfaToken, story.nextCode(holder));

    expect(done.body).toMatchObject({ amr: ['otp', 'hwk'], mfa_method: 'totp' });
    expect(claimsOf(done)).toMatchObject({ acr: 'urn:login:acr:mfa' });
  });

  it('U6: a passkey counts once: after one as the first factor, none is accepted as the second one', async () => {
    const holder = await passkeys.holder({ userVerified: false });
    const client = story.client();
    const bearer = textOf(await signInByPasskey(client, holder.authenticator), 'mfa_token');

    const asked = await client.post('/2fa/passkeys/assertion/options', {}, { bearer });
    const credential = holder.authenticator.assert(await signInOptions(client));
    const sent = await client.post('/2fa/passkeys/assertion', { credential }, { bearer });

    for (const answer of [asked, sent]) expect(answer).toBeRefused(409, 'MFA_STATE_CONFLICT');
    const done = await secondStep(client, bearer, String(holder.backupCodes[0]));
    expect(done.body).toMatchObject({ amr: ['otp', 'hwk'], mfa_method: 'backup_code' });
  });

  it('U6: a step-up by a code replaces the passkey in amr, whose age is not known any more', async () => {
    const holder = await passkeys.withApp(await passkeys.holder());
    const client = story.client();
    const bearer = textOf(await signInByPasskey(client, holder.authenticator), 'access_token');

    const answer = await client.post('/2fa/verify', { code: story.nextCode(holder) }, { bearer });

    expect(answer.body).toMatchObject({ amr: ['otp', 'mfa'], mfa_method: 'totp' });
  });

  it('U6: a challenge is accepted once, also if its assertion was rejected', async () => {
    const { authenticator } = await passkeys.holder();
    const client = story.client();
    const options = await signInOptions(client);
    const forged = authenticator.assert(options, { signer: PasskeyKey.generate('ES256') });

    await passkeys.expectRefused(() => sendSignIn(client, forged), { ...REFUSED, events: [failed('wrong_passkey')] });
    const good = authenticator.assert(options);
    await passkeys.expectRefused(() => sendSignIn(client, good), { ...REFUSED, events: [failed('challenge')] });

    expect(await signInByPasskey(client, authenticator)).toBeAnswered(200);
  });

  it('U6: of ten requests with one assertion, one opens a session', async () => {
    const { authenticator } = await passkeys.holder();
    const credential = authenticator.assert(await signInOptions(story.client()));

    const answers = await Promise.all(Array.from({ length: 10 }, () => sendSignIn(story.client(), credential)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(9);
  });

  it.each<[string, (challenge: string) => string]>([
    ['of another service', () => Buffer.alloc(54, 7).toString('base64url')],
    ['with another nonce', (challenge) => changed(challenge, 0)],
    ['with a later expiry', (challenge) => changed(challenge, 20)],
    ['with another signature', (challenge) => changed(challenge, 50)],
    ['that is cut off', (challenge) => challenge.slice(0, 40)],
  ])('U6: a challenge %s is rejected', async (_, changeOf) => {
    const { authenticator } = await passkeys.holder();
    const client = story.client();
    const options = await signInOptions(client);
    const before = await rows('passkey_challenge');
    const credential = authenticator.assert({ ...options, challenge: changeOf(options.challenge) });

    const refusal = { ...REFUSED, events: [failed('challenge')] };
    await passkeys.expectRefused(() => sendSignIn(client, credential), refusal);
    expect(await rows('passkey_challenge')).toBe(before);
  });

  it('U6: a challenge expires after five minutes', async () => {
    const { authenticator } = await passkeys.holder();
    const client = story.client();
    const [early, late] = [await signInOptions(client), await signInOptions(client)];

    story.clock.advance(CHALLENGE_SECONDS - 1);
    expect(await sendSignIn(client, authenticator.assert(early))).toBeAnswered(200);
    story.clock.advance(1);
    expect(await sendSignIn(client, authenticator.assert(late))).toBeRefused(401, 'INVALID_CREDENTIALS');
  });

  it('U6: a challenge of a second step does not sign in, and one of a sign-in is none of a second step', async () => {
    const holder = await passkeys.holder();
    const client = story.client();
    const bearer = await story.mfaToken(holder, client);
    const ofSecondStep = await passkeys.assertion(client, { bearer }, holder.authenticator);
    const ofSignIn = holder.authenticator.assert(await signInOptions(client));

    expect(await sendSignIn(client, ofSecondStep)).toBeRefused(401, 'INVALID_CREDENTIALS');
    const swapped = await client.post('/2fa/passkeys/assertion', { credential: ofSignIn }, { bearer });
    expect(swapped).toBeRefused(401, 'MFA_CODE_INVALID');
  });

  it('U6: a user handle must be that of the account of the passkey, and present', async () => {
    const [holder, other] = [await passkeys.holder(), await passkeys.holder()];
    const [own] = holder.authenticator.credentials;
    const [foreign] = other.authenticator.credentials;
    if (!own || !foreign) throw new Error('both have a passkey');
    const client = story.client();

    for (const userHandle of [foreign.userHandle, '', undefined]) {
      const { response, ...assertion } = holder.authenticator.assert(await signInOptions(client));
      // JSON has no member that is undefined.
      const credential = { ...assertion, response: { ...response, userHandle } };
      const refusal = { ...REFUSED, events: [failed('wrong_passkey')] };
      await passkeys.expectRefused(() => client.post('/login/passkey', { credential }), refusal);
    }
    expect(await signInByPasskey(client, holder.authenticator)).toBeAnswered(200);
  });

  it('U6: unknown passkeys, forged assertions and those of disabled accounts and of staff get the same response', async () => {
    const [holder, disabled, staff] = [await passkeys.holder(), await passkeys.holder(), await passkeys.holder()];
    const stranger = passkeys.authenticator();
    const client = story.client();
    const signer = PasskeyKey.generate('ES256');
    const forged = await signInByPasskey(client, holder.authenticator, { signer });
    const credential = { id: 'AAAA', key: signer, userHandle: 'AAAA', counter: 0 };
    const unknown = await signInByPasskey(client, stranger, { credential });
    await story.database.query("UPDATE account SET status = 'disabled' WHERE login_id = ?", [disabled.id]);
    const ofDisabled = await signInByPasskey(client, disabled.authenticator);
    await story.database.query("UPDATE account SET kind = 'staff' WHERE login_id = ?", [staff.id]);
    const ofStaff = await signInByPasskey(client, staff.authenticator);

    for (const answer of [forged, unknown, ofDisabled, ofStaff]) {
      expect(answer).toBeRefused(401, 'INVALID_CREDENTIALS');
      expect({ ...answer.body, request_id: '' }).toEqual({ ...forged.body, request_id: '' });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(await story.countOf(holder, 'LOGIN_PASSKEY_FAILED')).toBe(0);
    for (const person of [disabled, staff]) expect(await story.countOf(person, 'LOGIN_PASSKEY_FAILED')).toBe(1);
  });

  it('U6: a valid assertion completes no login while the second factor is locked, and says so', async () => {
    const holder = await passkeys.withApp(await passkeys.holder());
    await story.lock(holder);
    const client = story.client();

    const answer = await signInByPasskey(client, holder.authenticator);

    expect(answer).toBeRefused(429, 'MFA_LOCKED');
    expect(await story.countOf(holder, 'LOGIN_PASSKEY_OK')).toBe(0);
    const signer = PasskeyKey.generate('ES256');
    expect(await signInByPasskey(client, holder.authenticator, { signer })).toBeRefused(401, 'INVALID_CREDENTIALS');
  });

  it('U6: a counter that does not rise is rejected and reported to the owner of the passkey', async () => {
    const holder = await passkeys.holder({ counterStep: 0 });
    const client = story.client();
    const [credential] = holder.authenticator.credentials;
    if (!credential) throw new Error('it has a passkey');
    credential.counter = 5;
    expect(await signInByPasskey(client, holder.authenticator)).toBeAnswered(200);

    const refused = { ...REFUSED, events: [['PASSKEY_COUNTER', 'passkey_counter'] as const] };
    await passkeys.expectRefused(() => signInByPasskey(client, holder.authenticator), refused);
    expect(await story.countOf(holder, 'PASSKEY_COUNTER')).toBe(1);
  });

  it('U6: a sign-in from a browser that the account has not used is reported', async () => {
    const holder = await passkeys.holder();
    const before = await story.countOf(holder, 'NEW_DEVICE');
    const client = story.client();

    for (let number = 0; number < 2; number += 1) await signInByPasskey(client, holder.authenticator);

    expect([before, await story.countOf(holder, 'NEW_DEVICE')]).toEqual([0, 1]);
  });
});

/** The text with another byte at the index. */
function changed(base64url: string, index: number): string {
  const bytes = Buffer.from(base64url, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  return bytes.toString('base64url');
}

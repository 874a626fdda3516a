import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { AttestationAuthority } from '../../support/passkey/attestation-authority.js';
import { metadataFile, MODEL } from '../../support/passkey/authenticator-metadata.js';
import {
  HARMLESS_REGISTRATIONS,
  HOSTILE_REGISTRATIONS,
  UNCHECKED_REGISTRATIONS,
} from '../../support/passkey/hostile-passkey-registrations.js';
import { type Answer, textOf, textsOf } from '../../support/http/http-client.js';
import { PASSWORD, refresh, type SignedIn, storyOn } from '../../support/login/login-story.js';
import { needs } from '../../support/runner/needs.js';
import type { AuthenticatorOptions, RegistrationOverrides } from '../../support/passkey/passkey-authenticator.js';
import type { RegistrationJson } from '../../support/passkey/passkey-messages.js';
import {
  creationOptions,
  type ListedAuthenticator,
  PasskeyStory,
  type Refusal,
  requestOptions,
} from '../../support/passkey/passkey-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

/** Registrations with a challenge that was not issued. */
const WRONG_CHALLENGE = new Set(['another challenge', 'an empty challenge']);
/** Registrations that are larger than a body may be. */
const OVERSIZED = new Set(['authenticator data with 64 KiB after it', 'an attestation object with 64 KiB after it']);

const INVALID: Refusal = { status: 400, code: 'VALIDATION_FAILED', events: [] };
const CONFLICT: Refusal = { status: 409, code: 'MFA_STATE_CONFLICT', events: [] };
const CHALLENGE_SECONDS = 300;
const FRESH_SECONDS = 300;
const LOCK_SECONDS = 300;
const MAX_PASSKEYS = 20;

function refusalOf(title: string): Refusal {
  if (WRONG_CHALLENGE.has(title)) return CONFLICT;
  return OVERSIZED.has(title) ? { status: 413, code: 'PAYLOAD_TOO_LARGE', events: [] } : INVALID;
}

/** Sends the registration of a signed-in user. */
function register(
  { client, accessToken: bearer }: Pick<SignedIn, 'client' | 'accessToken'>,
  credential: object,
  more: object = {},
): Promise<Answer> {
  return client.post('/2fa/passkeys', { credential, ...more }, { bearer });
}

onAnyEngine('registrations of passkeys', (engine) => {
  const story = storyOn(engine, { people: 40 });
  const passkeys = new PasskeyStory(story);

  /** A user without a second factor. */
  function newcomer(): Promise<SignedIn> {
    return story.signInByPassword(story.person());
  }

  function listOf({ client, accessToken: bearer }: SignedIn): Promise<readonly ListedAuthenticator[]> {
    return passkeys.authenticatorsOf(client, { bearer });
  }

  /** Asks for a challenge and responds to it. */
  async function registration(
    { client, accessToken: bearer }: Pick<SignedIn, 'client' | 'accessToken'>,
    overrides: RegistrationOverrides = {},
  ): Promise<RegistrationJson> {
    return passkeys.authenticator().register(await creationOptions(client, { bearer }), overrides);
  }

  describe('hostile registrations', () => {
    /** The user of the test before, if that passed. */
    let intact: SignedIn | undefined;

    it.each([...HOSTILE_REGISTRATIONS, ...UNCHECKED_REGISTRATIONS])(
      'a registration with $title is rejected and changes nothing',
      async ({ title, overrides }) => {
        const caller = intact ?? (await newcomer());
        intact = undefined;
        const hostile = await registration(caller, overrides(passkeys.site));

        await passkeys.expectRefused(() => register(caller, hostile), refusalOf(title));

        expect(await listOf(caller)).toEqual([]);
        intact = caller;
      },
    );

    it.each(HARMLESS_REGISTRATIONS)('a registration with $title is accepted', async ({ overrides }) => {
      const caller = await newcomer();

      expect(await register(caller, await registration(caller, overrides(passkeys.site)))).toBeAnswered(201);
    });
  });

  it('U8: a passkey without a typed name is called like its model, and a typed name wins', async () => {
    const aaguid = 'd548826e-79b4-db40-a3d8-11116f7e8349';
    const caller = await newcomer();
    const bearer = { bearer: caller.accessToken };
    const named = await passkeys.register(caller.client, bearer, passkeys.authenticator({ aaguid }));
    const another = await newcomer();

    const typed = await passkeys.register(
      another.client,
      { bearer: another.accessToken },
      passkeys.authenticator({ aaguid }),
      { name: 'My vault' },
    );

    expect(named.body).toMatchObject({ name: 'Bitwarden' });
    expect(typed.body).toMatchObject({ name: 'My vault' });
  });

  describe('credentials that are registered already', () => {
    it.each(['the user', 'another user'])('a credential that %s has registered is rejected', async (owner) => {
      const holder = await passkeys.holder();
      const [known] = holder.authenticator.credentials;
      const caller = owner === 'the user' ? await passkeys.signIn(holder) : await newcomer();
      const again = await registration(caller, { isForced: true, ...(known && { credentialId: known.id }) });

      await passkeys.expectRefused(() => register(caller, again), CONFLICT);

      expect((await passkeys.signIn(holder)).answer.body).toMatchObject({ mfa_method: 'passkey' });
    });

    it('the options exclude the passkeys of the user', async () => {
      const holder = await passkeys.holder();
      const { client, accessToken: bearer } = await passkeys.signIn(holder);

      const { excludeCredentials = [] } = await creationOptions(client, { bearer });

      expect(excludeCredentials.map(({ id }) => id)).toEqual(holder.authenticator.credentials.map(({ id }) => id));
    });
  });

  describe('challenges', () => {
    it('a challenge is used up by a wrong registration', async () => {
      const caller = await newcomer();
      const creation = await creationOptions(caller.client, { bearer: caller.accessToken });
      const wrong = passkeys.authenticator().register(creation, { clientData: { origin: 'https://evil.example' } });
      expect(await register(caller, wrong)).toBeRefused(400, 'VALIDATION_FAILED');

      const right = passkeys.authenticator().register(creation);

      await passkeys.expectRefused(() => register(caller, right), CONFLICT);
    });

    it('a challenge registers one passkey', async () => {
      const holder = await passkeys.holder();
      const caller = await passkeys.signIn(holder);
      const creation = await creationOptions(caller.client, { bearer: caller.accessToken });
      expect(await register(caller, passkeys.authenticator().register(creation))).toBeAnswered(201);

      const another = passkeys.authenticator().register(creation);

      await passkeys.expectRefused(() => register(caller, another), CONFLICT);
    });

    it('a challenge is only for the session that asked for it', async () => {
      const holder = await passkeys.holder();
      const [caller, elsewhere] = [await passkeys.signIn(holder), await passkeys.signIn(holder)];
      const credential = await registration(caller);

      await passkeys.expectRefused(() => register(elsewhere, credential), CONFLICT);
      const other = await newcomer();
      await passkeys.expectRefused(() => register(other, credential), CONFLICT);

      expect(await register(caller, credential)).toBeAnswered(201);
    });

    it('the challenge of an assertion is not for a registration', async () => {
      const caller = await passkeys.signIn(await passkeys.holder());
      const { client, accessToken: bearer } = caller;
      const creation = await creationOptions(client, { bearer });
      const { challenge } = await requestOptions(client, { bearer });

      const hostile = passkeys.authenticator().register({ ...creation, challenge });

      await passkeys.expectRefused(() => register(caller, hostile), CONFLICT);
      expect(await listOf(caller)).toHaveLength(1);
    });

    it('a challenge expires after five minutes', async () => {
      const caller = await newcomer();
      const { client, accessToken: bearer } = caller;

      const late = await registration(caller);
      story.clock.advance(CHALLENGE_SECONDS);
      await passkeys.expectRefused(() => register(caller, late), CONFLICT);

      const creation = await creationOptions(client, { bearer }, { pw: PASSWORD });
      story.clock.advance(CHALLENGE_SECONDS - 1);
      expect(await register(caller, passkeys.authenticator().register(creation))).toBeAnswered(201);
    });
  });

  describe('T17: callers who may not add a passkey', () => {
    const OPTIONS = '/2fa/passkeys/registration/options';

    it('a login that is too old needs the password again', async () => {
      const { client, accessToken: bearer } = await newcomer();
      story.clock.advance(FRESH_SECONDS + 1);

      const stale = await client.post(OPTIONS, {}, { bearer });
      expect(stale).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(stale.body['required']).toBe('pwd');
      expect(await client.post(OPTIONS, { pw: 'wrong' }, { bearer })).toBeRefused(401, 'INVALID_CREDENTIALS');
      expect(await client.post(OPTIONS, { pw: PASSWORD }, { bearer })).toBeAnswered(201);
    });

    it('a locked user gets no options, and the lock ends after its duration although the clock was set back', async () => {
      const { id, password: pw } = story.person();
      const client = story.client();
      expect(await client.post('/session', { id, pw })).toBeAnswered(200);
      story.clock.advance(1000);
      expect(await client.post('/2fa/setup', { pw })).toBeAnswered(201);
      for (let variant = 0; variant < 5; variant += 1) await client.post('/2fa/confirm', { code: `00000${variant}` });
      story.clock.advance(-1000);

      const early = await client.post(OPTIONS, { pw });
      story.clock.advance(LOCK_SECONDS + 1);
      const late = await client.post(OPTIONS, { pw });
      story.clock.advance(1000);

      expect(early).toBeRefused(429, 'MFA_LOCKED');
      expect(late).toBeAnswered(201);
    });

    it('an account with a second factor needs a fresh proof of it; a password is not enough', async () => {
      const person = story.person();
      const { client, accessToken: weak } = await story.signInByPassword(person);
      const enrolled = await story.enrolled(person);

      const answer = await client.post(OPTIONS, { pw: PASSWORD }, { bearer: weak });
      expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(answer.body['required']).toBe('mfa');

      const { client: own, accessToken: bearer } = enrolled;
      expect(await own.post(OPTIONS, {}, { bearer })).toBeAnswered(201);
      story.clock.advance(FRESH_SECONDS + 1);
      expect(await own.post(OPTIONS, {}, { bearer })).toBeRefused(401, 'STEP_UP_REQUIRED');
    });

    it('a half-authenticated user with a second factor can only prove it', async () => {
      const person = await story.enrolled();
      const client = story.client();
      const bearer = await story.mfaToken(person, client);
      const code = story.nextCode(person);

      expect(await client.post(OPTIONS, {}, { bearer })).toBeRefused(403, 'MFA_REQUIRED');
      expect(await client.post(OPTIONS, { code }, { bearer })).toBeRefused(403, 'MFA_REQUIRED');
      const other = await newcomer();
      const credential = await registration(other);
      expect(await client.post('/2fa/passkeys', { credential }, { bearer })).toBeRefused(403, 'MFA_REQUIRED');
    });
  });

  describe('what is stored', () => {
    it('the first authenticator comes with backup codes, a further one does not', async () => {
      const caller = await newcomer();

      const first = await register(caller, await registration(caller), { name: ' Blue key ' });
      expect(first.body).toEqual({
        id: expect.any(String) as string,
        name: 'Blue key',
        synced: false,
        created_at: expect.any(String) as string,
        backup_codes: expect.any(Array) as string[],
      });
      expect(textsOf(first, 'backup_codes')).toHaveLength(10);
      const { client, accessToken: bearer } = caller;
      const code = textsOf(first, 'backup_codes')[0] ?? '';
      const raised = await client.post('/2fa/verify', { code }, { bearer });
      expect(raised).toBeAnswered(200);

      const full = { client, accessToken: textOf(raised, 'access_token') };
      const second = await register(full, await registration(full));
      expect(second).toBeAnswered(201);
      expect(second.body).not.toHaveProperty('backup_codes');
    });

    it('a registration does not change the login: amr stays pwd', async () => {
      const { client, accessToken: bearer } = await passkeys.holder();

      expect((await client.get('/me', { bearer })).body).toMatchObject({ amr: ['pwd'], acr: 'urn:login:acr:pwd' });
      expect((await refresh(client)).body).toMatchObject({ amr: ['pwd'] });
      expect(await client.get('/me/settlement', { bearer })).toBeRefused(401, 'STEP_UP_REQUIRED');
    });

    it('a passkey with the longest id, 1023 bytes, is stored and used', async () => {
      const person = story.person();
      const caller = await story.signInByPassword(person);
      const creation = await creationOptions(caller.client, { bearer: caller.accessToken });
      const authenticator = passkeys.authenticator();
      const credentialId = Buffer.alloc(1023, 7).toString('base64url');

      expect(await register(caller, authenticator.register(creation, { credentialId }))).toBeAnswered(201);

      expect((await passkeys.signIn({ ...person, authenticator })).answer.body).toMatchObject({ amr: ['pwd', 'hwk'] });
    });

    it('transports that are repeated or unknown do not matter', async () => {
      const caller = await newcomer();
      const transports = ['telepathy', 'smart-card', ...Array.from({ length: 14 }, () => 'internal')];
      const credential = await registration(caller, { response: { transports } });

      expect(await register(caller, credential)).toBeAnswered(201);

      const sql = 'SELECT transports FROM passkey WHERE credential_id = ?';
      expect(await story.database.query(sql, [credential.id])).toEqual([{ transports: 'internal smart-card' }]);
    });

    it.each([
      ['65 characters', '🔑'.repeat(65)],
      ['a line break', 'my\nkey'],
      ['spaces only', '  '],
    ])('a name with %s is rejected, and its challenge remains', async (_, name) => {
      const caller = await newcomer();
      const credential = await registration(caller);

      await passkeys.expectRefused(() => register(caller, credential, { name }), INVALID);

      expect(await register(caller, credential, { name: '🔑'.repeat(64) })).toBeAnswered(201);
    });

    it('an account has 20 passkeys at most, also if two registrations began before', async () => {
      const holder = await passkeys.holder();
      const [caller, elsewhere] = [await passkeys.signIn(holder), await passkeys.signIn(holder)];
      for (let number = 2; number < MAX_PASSKEYS; number += 1) {
        expect(await register(caller, await registration(caller))).toBeAnswered(201);
      }
      const [last, excess] = [await registration(caller), await registration(elsewhere)];

      expect(await register(caller, last)).toBeAnswered(201);
      await passkeys.expectRefused(() => register(elsewhere, excess), CONFLICT);

      const { client, accessToken: bearer } = caller;
      expect(await client.post('/2fa/passkeys/registration/options', {}, { bearer })).toBeRefused(
        409,
        'MFA_STATE_CONFLICT',
      );
      expect((await passkeys.signIn(holder)).answer.body).toMatchObject({ mfa_method: 'passkey' });
    });
  });
});

needs('openssl')('attestation', () => {
  const OTHER_MODEL = '2fc0579f-8113-47ea-b116-bb5a8db9202a';
  const [authority, stranger] = [new AttestationAuthority(), new AttestationAuthority()];
  const der = new X509Certificate(authority.pem).raw.toString('base64');
  const description = `${'Key of the Tests 🔑 '.repeat(3)}with a name that is longer than users may choose`;
  const describedAs = { description, attestationRootCertificates: [der] };
  const metadata = metadataFile([MODEL, OTHER_MODEL].map((aaguid) => ({ aaguid, ...describedAs })));

  onAnyEngine('allowed-aaguids with attestation=direct and metadata', (engine) => {
    const story = storyOn(engine, {
      people: 10,
      args: [
        '--app.security.mfa.passkey.attestation=direct',
        `--app.security.mfa.passkey.allowed-aaguids=${MODEL}`,
        `--app.security.mfa.passkey.metadata-file=${metadata}`,
      ],
    });
    const passkeys = new PasskeyStory(story);

    beforeAll(() => {
      // The certificates are valid from now on, and the clock of the story may be seconds behind.
      story.clock.advance(60);
    });

    /** The registration of a new user with an authenticator of this kind. */
    async function registration(
      options: Partial<AuthenticatorOptions>,
      overrides: RegistrationOverrides = {},
    ): Promise<{ caller: SignedIn; credential: RegistrationJson }> {
      const caller = await story.signInByPassword(story.person());
      const creation = await creationOptions(caller.client, { bearer: caller.accessToken });
      expect(creation.attestation).toBe('direct');
      return { caller, credential: passkeys.authenticator(options).register(creation, overrides) };
    }

    it('an authenticator of an allowed model is registered under the name of the model, up to 64 characters', async () => {
      const options = { attestation: 'packed-certificate', aaguid: MODEL, authority } as const;
      const { caller, credential } = await registration(options);

      const answer = await register(caller, credential);

      expect(answer).toBeAnswered(201);
      expect(answer.body).toMatchObject({ name: Array.from(description).slice(0, 64).join('').trim() });
    });

    const certificate = { attestation: 'packed-certificate', aaguid: MODEL, authority } as const;
    it.each<[string, Partial<AuthenticatorOptions>, RegistrationOverrides]>([
      ['of another model', { ...certificate, aaguid: OTHER_MODEL }, {}],
      ['whose certificate is of another model', certificate, { certifiedAaguid: OTHER_MODEL }],
      ['with the certificate of another manufacturer', { ...certificate, authority: stranger }, {}],
      [
        'with the root of the manufacturer as PEM after a certificate of its own',
        { ...certificate, authority: stranger },
        {
          statement: {
            x5c: [Buffer.concat([stranger.signerOf(MODEL).certificate, Buffer.from(`\n${authority.pem}`)])],
          },
        },
      ],
      ['with a changed signature', certificate, { signature: () => Buffer.from('3006020101020101', 'hex') }],
      ['with a self attestation', { attestation: 'packed-self', aaguid: MODEL }, {}],
      ['without attestation', { aaguid: MODEL }, {}],
    ])('an authenticator %s is rejected', async (_, options, overrides) => {
      const { caller, credential } = await registration(options, overrides);

      await passkeys.expectRefused(() => register(caller, credential), INVALID);
      expect((await caller.client.get('/2fa', { bearer: caller.accessToken })).body['authenticators']).toEqual([]);
    });
  });
});

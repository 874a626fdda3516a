import { expect, it } from 'vitest';
import { AuthenticatorApp } from '../login/authenticator-app.js';
import { type Answer, type HttpClient, textOf } from '../http/http-client.js';
import { type LoginStory, PASSWORD, secondStep } from '../login/login-story.js';
import { assert, creationOptions, PasskeyStory, requestOptions } from './passkey-story.js';
import { atOnce, outcomes, successes } from '../login/races.js';
import { roundsInTier } from '../runner/tier.js';

const ROUNDS = roundsInTier(2, { inFull: 5 });
/** Accounts that the races need. */
export const PASSKEY_RACE_PEOPLE = 11 * ROUNDS;
/** Time limit for all rounds of one race on a busy machine, in milliseconds. */
const PATIENTLY = { timeout: 120_000 };
/** One site for all services, which would otherwise have one each, by their ports. */
const SITE = { rpId: 'login.test', origin: 'https://login.test' };
/** Arguments of the services. */
export const PASSKEY_RACE_ARGS = [`--app.security.public-url=${SITE.origin}`];
/** Length of the first lock, which lost assertions may have caused. */
const LOCK_SECONDS = 300;
const EVIL = { clientData: { origin: 'https://evil.example' } };

/** Races of passkeys, on one or several services that share a database. */
export function passkeyRaces(story: LoginStory, rounds = ROUNDS): void {
  const passkeys = new PasskeyStory(story, SITE);
  const client = (index: number): HttpClient => story.client(index % story.services.length);

  it('T6: an assertion sent 50 times at once on one mfa_token succeeds once', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const holder = await passkeys.holder();
      const bearer = await story.mfaToken(holder);
      const assertion = await passkeys.assertion(client(round), { bearer }, holder.authenticator);

      const answers = await atOnce(50, (index) => assert(client(index), { bearer }, assertion));

      expect(successes(answers), JSON.stringify(outcomes(answers))).toHaveLength(1);
      expect(await story.countOf(holder, 'MFA_OK')).toBe(1);
      story.clock.advance(LOCK_SECONDS);
      expect((await passkeys.signIn(holder)).answer.body).toMatchObject({ mfa_method: 'passkey' });
    }
  });

  it('T6: 50 assertions of one challenge in a complete session succeed once', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const holder = await passkeys.holder();
      const { client: own, accessToken: bearer } = await passkeys.signIn(holder);
      const request = await requestOptions(own, { bearer });
      // Each one has a higher counter, so that only the challenge decides.
      const assertions = Array.from({ length: 50 }, () => holder.authenticator.assert(request));

      const answers = await Promise.all(assertions.map((each, index) => assert(client(index), { bearer }, each)));

      expect(successes(answers), JSON.stringify(outcomes(answers))).toHaveLength(1);
      expect(await story.countOf(holder, 'STEP_UP_OK')).toBe(1);
    }
  });

  it(
    'T6, T14: one of a code and a passkey on one mfa_token succeeds, and the other stays valid',
    PATIENTLY,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const holder = await passkeys.withApp(await passkeys.holder());
        const code = story.nextCode(holder);
        const bearer = await story.mfaToken(holder);
        const assertion = await passkeys.assertion(client(round), { bearer }, holder.authenticator);

        const [byCode, byPasskey] = await Promise.all([
          secondStep(client(round), bearer, code),
          assert(client(round + 1), { bearer }, assertion),
        ]);

        expect(outcomes([byCode, byPasskey])).toEqual({ 200: 1, MFA_TOKEN_INVALID: 1 });
        expect(await story.countOf(holder, 'MFA_FAILED')).toBe(0);
        if (byCode.status !== 200) expectSuccess(await secondStep(client(round), await story.mfaToken(holder), code));
        await passkeys.signIn(holder);
      }
    },
  );

  it(
    'T7: exactly five of 100 wrong assertions on 20 mfa_tokens are checked, then the user is locked',
    PATIENTLY,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const holder = await passkeys.holder();
        const logins = await atOnce(20, (index) => story.login(holder, client(index)));
        const bearers = logins.map((answer) => textOf(answer, 'mfa_token'));
        const wrong = await Promise.all(
          bearers.map((bearer, index) => passkeys.assertion(client(index), { bearer }, holder.authenticator, EVIL)),
        );

        const answers = await atOnce(100, (index) => {
          const [bearer = '', assertion] = [bearers[index % 20], wrong[index % 20]];
          return client(index).post('/2fa/passkeys/assertion', { credential: assertion }, { bearer });
        });

        expect(outcomes(answers)).toEqual({ MFA_CODE_INVALID: 5, MFA_LOCKED: 95 });
        expect(await story.countOf(holder, 'MFA_FAILED')).toBe(5);
        expect(await story.countOf(holder, 'MFA_LOCKED')).toBe(1);
        const bearer = await story.mfaToken(holder);
        const options = await client(round).post('/2fa/passkeys/assertion/options', {}, { bearer });
        expect(options).toBeRefused(429, 'MFA_LOCKED');
      }
    },
  );

  it('two removals at once of the last two authenticators leave the one that policy demands', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const holder = await passkeys.withApp(await passkeys.holder());
      await story.database.query('UPDATE account SET mfa_required = 1 WHERE login_id = ?', [holder.id]);
      const { accessToken: bearer } = holder;
      const ids = (await passkeys.authenticatorsOf(holder.client, { bearer })).map(({ id }) => id);
      expect(ids).toHaveLength(2);

      const answers = await atOnce(2, (index) =>
        client(index).delete(`/2fa/authenticators/${String(ids[index])}`, { bearer }),
      );

      expect(outcomes(answers)).toEqual({ 204: 1, MFA_STATE_CONFLICT: 1 });
      expect(await passkeys.authenticatorsOf(holder.client, { bearer })).toHaveLength(1);
      expect((await story.login(holder)).body).toMatchObject({ mfa_required: true });
    }
  });

  it('ten removals of one authenticator at once remove it once, and no other', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const holder = await passkeys.withApp(await passkeys.holder());
      const { accessToken: bearer, passkeyId } = holder;

      const answers = await atOnce(10, (index) => client(index).delete(`/2fa/authenticators/${passkeyId}`, { bearer }));

      expect(outcomes(answers)).toEqual({ 204: 1, NOT_FOUND: 9 });
      expect(await story.countOf(holder, 'PASSKEY_REMOVED')).toBe(1);
      expect((await passkeys.authenticatorsOf(holder.client, { bearer })).map(({ type }) => type)).toEqual(['totp']);
    }
  });

  it('two registrations of one credential at once store it once', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const people = await Promise.all([0, 1].map(() => story.signInByPassword(story.person())));
      const credentialId = Buffer.alloc(16, `credential ${round} of ${story.services.length}`).toString('base64url');
      const credentials = await Promise.all(
        people.map(async ({ client: own, accessToken: bearer }) =>
          passkeys.authenticator().register(await creationOptions(own, { bearer }), { credentialId }),
        ),
      );

      const answers = await atOnce(2, (index) =>
        client(index).post(
          '/2fa/passkeys',
          { credential: credentials[index] },
          { bearer: people[index]?.accessToken ?? '' },
        ),
      );

      expect(outcomes(answers)).toEqual({ 201: 1, MFA_STATE_CONFLICT: 1 });
      const loser = people[answers[0]?.status === 201 ? 1 : 0];
      const state = await loser?.client.get('/2fa', { bearer: loser.accessToken });
      expect(state?.body).toMatchObject({ state: 'none', authenticators: [] });
    }
  });

  it('one of a first passkey and a first authenticator app at once is added', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = story.person();
      const { client: own, accessToken: bearer } = await story.signInByPassword(person);
      const app = AuthenticatorApp.scan(textOf(await own.post('/2fa/setup', {}, { bearer }), 'otpauth_uri'));
      const credential = passkeys.authenticator().register(await creationOptions(own, { bearer }));

      const answers = await Promise.all([
        client(round).post('/2fa/confirm', { code: story.codeOf(app) }, { bearer }),
        client(round + 1).post('/2fa/passkeys', { credential }, { bearer }),
      ]);

      expect(successes(answers), JSON.stringify(outcomes(answers))).toHaveLength(1);
      const counts = 'SELECT totp_count + passkey_count AS number FROM account WHERE login_id = ?';
      expect(await story.database.query(counts, [person.id])).toEqual([{ number: 1 }]);
    }
  });

  it('a first passkey and a password change without a second factor exclude each other', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { client: own, accessToken: bearer } = await story.signInByPassword(story.person());
      const credential = passkeys.authenticator().register(await creationOptions(own, { bearer }));
      const change = { current: PASSWORD, new: 'eight loud lanterns & 2 harbours' };

      const answers = await Promise.all([
        client(round).post('/me/password', change, { bearer }),
        client(round + 1).post('/2fa/passkeys', { credential }, { bearer }),
      ]);

      expect(successes(answers), JSON.stringify(outcomes(answers))).toHaveLength(1);
    }
  });

  it('the assertion of a passkey that is just removed opens no session that stays', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const holder = await passkeys.withApp(await passkeys.holder());
      const bearer = await story.mfaToken(holder);
      const assertion = await passkeys.assertion(client(round), { bearer }, holder.authenticator);
      const own = { bearer: holder.accessToken };

      const [removal, login] = await Promise.all([
        client(round).delete(`/2fa/authenticators/${holder.passkeyId}`, own),
        assert(client(round + 1), { bearer }, assertion),
      ]);

      expect(removal).toBeAnswered(204);
      expect(login.status, login.text).toBeLessThan(500);
      const opened = textOf(login, 'access_token');
      expect(await client(round).get('/me', { bearer: opened })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await client(round).get('/me', own)).toBeAnswered(200);
    }
  });
}

function expectSuccess(answer: Answer): void {
  expect(answer).toBeAnswered(200);
}

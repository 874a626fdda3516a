import { describe, expect, it } from 'vitest';
import { HOSTILE_ASSERTIONS, UNCHECKED_ASSERTIONS } from '../../support/passkey/hostile-passkey-assertions.js';
import { HARMLESS_MESSAGES } from '../../support/passkey/hostile-passkey-messages.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { type Person, secondStep, storyOn } from '../../support/login/login-story.js';
import type { AuthenticatorOptions } from '../../support/passkey/passkey-authenticator.js';
import {
  assert,
  type Caller,
  creationOptions,
  type PasskeyHolder,
  PasskeyStory,
  type Refusal,
  requestOptions,
} from '../../support/passkey/passkey-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

/** Assertions that the schema of the body rejects, so that no attempt is charged. */
const MALFORMED = new Set([
  'empty client data',
  'no client data',
  'empty authenticator data',
  'an empty id',
  'no id',
  'another type of credential',
  'no response',
  'an empty signature',
  'a signature with characters outside base64url',
  'authenticator data with characters outside base64url',
  'client data in base64 with padding',
  'a signature with a line break',
  'no signature',
  'no authenticator data',
  'a user handle that is a number',
]);
/** Assertions that are larger than a body may be. */
const OVERSIZED = new Set(['authenticator data with 64 KiB after it', 'a signature of 64 KiB']);
/** Events of the other attempts, unless the assertion itself is wrong. */
const EVENTS: Readonly<Record<string, readonly [kind: string, reason: string]>> = {
  'another challenge': ['MFA_FAILED', 'challenge'],
  'an empty challenge': ['MFA_FAILED', 'challenge'],
  'an id that is not the raw id': ['MFA_FAILED', 'unknown_passkey'],
  'the id of another passkey': ['MFA_FAILED', 'unknown_passkey'],
  'a counter that does not move': ['PASSKEY_COUNTER', 'passkey_counter'],
};

interface Login {
  readonly client: HttpClient;
  readonly caller: Caller;
}

const REJECTED = { status: 401, code: 'MFA_CODE_INVALID' } as const;
const WRONG_CHALLENGE: Refusal = { ...REJECTED, events: [['MFA_FAILED', 'challenge']] };
const WRONG_PASSKEY: Refusal = { ...REJECTED, events: [['MFA_FAILED', 'wrong_passkey']] };
const CHALLENGE_SECONDS = 300;

function refusalOf(title: string): Refusal {
  if (MALFORMED.has(title)) return { status: 400, code: 'VALIDATION_FAILED', events: [] };
  if (OVERSIZED.has(title)) return { status: 413, code: 'PAYLOAD_TOO_LARGE', events: [] };
  const event = EVENTS[title];
  return event ? { ...REJECTED, events: [event] } : WRONG_PASSKEY;
}

/** A user whose passkey has a counter above zero. */
async function newHolder(passkeys: PasskeyStory, options?: Partial<AuthenticatorOptions>): Promise<PasskeyHolder> {
  const holder = await passkeys.holder(options);
  await passkeys.signIn(holder);
  return holder;
}

onAnyEngine('assertions', (engine) => {
  const story = storyOn(engine, { people: 60 });
  const passkeys = new PasskeyStory(story);

  /** A new login of the user, before its second step. */
  async function half(holder: Person): Promise<Login> {
    const client = story.client();
    return { client, caller: { bearer: await story.mfaToken(holder, client) } };
  }

  async function expectWorks({ client, caller }: Login, { authenticator }: PasskeyHolder): Promise<void> {
    const genuine = await passkeys.assertion(client, caller, authenticator);
    expect(await assert(client, caller, genuine)).toBeAnswered(200);
  }

  async function wrongAssertion({ client, caller }: Login, { authenticator }: PasskeyHolder): Promise<Answer> {
    const wrong = { clientData: { origin: 'https://evil.example' } };
    return assert(client, caller, await passkeys.assertion(client, caller, authenticator, wrong));
  }

  describe('hostile assertions', () => {
    /** The user of the test before, if that passed. */
    let intact: PasskeyHolder | undefined;

    it.each([...HOSTILE_ASSERTIONS, ...UNCHECKED_ASSERTIONS])(
      'an assertion with $title is rejected and changes nothing',
      async ({ title, overrides }) => {
        const holder = intact ?? (await newHolder(passkeys));
        intact = undefined;
        const login = await half(holder);
        const { client, caller } = login;
        const hostile = await passkeys.assertion(client, caller, holder.authenticator, overrides(passkeys.site));

        await passkeys.expectRefused(() => assert(client, caller, hostile), refusalOf(title));

        await expectWorks(login, holder);
        intact = holder;
      },
    );

    it.each(HARMLESS_MESSAGES)('an assertion with $title is accepted', async ({ overrides }) => {
      const holder = intact ?? (await newHolder(passkeys));
      const { client, caller } = await half(holder);
      const unusual = await passkeys.assertion(client, caller, holder.authenticator, overrides(passkeys.site));

      expect(await assert(client, caller, unusual)).toBeAnswered(200);
    });

    it.each([
      ['the user handle', { response: { userHandle: '' } }],
      ['the attachment of the authenticator', { members: { authenticatorAttachment: '' } }],
    ])('A2: an assertion in which %s is empty is read like one without it', async (_, overrides) => {
      const holder = intact ?? (await newHolder(passkeys));
      const { client, caller } = await half(holder);

      const unusual = await passkeys.assertion(client, caller, holder.authenticator, overrides);

      expect(await assert(client, caller, unusual)).toBeAnswered(200);
    });
  });

  describe('passkeys of others', () => {
    it.each([
      ['unknown_passkey', 'its own id', false],
      ['wrong_passkey', 'the id of a passkey of the user', true],
    ])('T20: the passkey of another user is rejected as %s under %s', async (reason, _, isDisguised) => {
      const [holder, other] = [await newHolder(passkeys), await newHolder(passkeys)];
      const login = await half(holder);
      const { client, caller } = login;
      const [own, foreign] = [holder, other].map(({ authenticator }) => authenticator.credentials[0]);
      const overrides = {
        ...(foreign && { credential: foreign }),
        ...(isDisguised && own && { credentialId: own.id }),
      };
      const hostile = await passkeys.assertion(client, caller, other.authenticator, {
        ...overrides,
        response: { userHandle: own?.userHandle },
      });

      const refusal = { ...REJECTED, events: [['MFA_FAILED', reason]] } as const;
      await passkeys.expectRefused(() => assert(client, caller, hostile), refusal);

      await expectWorks(login, holder);
    });

    it('the response of a user to the challenge of another user is rejected', async () => {
      const [holder, other] = [await newHolder(passkeys), await newHolder(passkeys)];
      const login = await half(holder);
      const { challenge } = await requestOptions(login.client, login.caller);
      const { client, caller } = await half(other);
      const request = await requestOptions(client, caller);

      const hostile = other.authenticator.assert({ ...request, challenge });
      await passkeys.expectRefused(() => assert(client, caller, hostile), WRONG_CHALLENGE);

      await expectWorks(login, holder);
    });
  });

  describe('challenges', () => {
    it('a user without a passkey gets no challenge for an assertion', async () => {
      const person = await story.enrolled();
      const client = story.client();
      const bearer = await story.mfaToken(person, client);

      for (const caller of [{ bearer }, { bearer: person.accessToken }]) {
        const refusal: Refusal = { status: 409, code: 'MFA_STATE_CONFLICT', events: [] };
        await passkeys.expectRefused(() => client.post('/2fa/passkeys/assertion/options', {}, caller), refusal);
      }

      expect(await secondStep(client, bearer, story.nextCode(person))).toBeAnswered(200);
    });

    it('an mfa_token gets no challenge after its use, or after the lock of its account', async () => {
      const holder = await newHolder(passkeys);
      const [used, locked] = [await half(holder), await half(holder)];
      await expectWorks(used, holder);
      const { client, caller } = locked;

      const path = '/2fa/passkeys/assertion/options';
      expect(await used.client.post(path, {}, used.caller)).toBeRefused(401, 'MFA_TOKEN_INVALID');
      for (let attempt = 0; attempt < 5; attempt += 1) await wrongAssertion(locked, holder);
      expect(await client.post(path, {}, caller)).toBeRefused(429, 'MFA_LOCKED');
    });

    it('a challenge is used up by the assertion that it belongs to', async () => {
      const holder = await newHolder(passkeys);
      const { client, accessToken: bearer } = await passkeys.signIn(holder);
      const request = await requestOptions(client, { bearer });
      expect(await assert(client, { bearer }, holder.authenticator.assert(request))).toBeAnswered(200);

      const again = holder.authenticator.assert(request);
      await passkeys.expectRefused(() => assert(client, { bearer }, again), WRONG_CHALLENGE);
    });

    it('a challenge is used up by a wrong assertion', async () => {
      const holder = await newHolder(passkeys);
      const login = await half(holder);
      const { client, caller } = login;
      const request = await requestOptions(client, caller);
      const wrong = holder.authenticator.assert(request, { clientData: { origin: 'https://evil.example' } });
      expect(await assert(client, caller, wrong)).toBeRefused(401, 'MFA_CODE_INVALID');

      const right = holder.authenticator.assert(request);
      await passkeys.expectRefused(() => assert(client, caller, right), WRONG_CHALLENGE);

      await expectWorks(login, holder);
    });

    it('a replayed assertion is rejected in another login', async () => {
      const holder = await newHolder(passkeys);
      const first = await half(holder);
      const assertion = await passkeys.assertion(first.client, first.caller, holder.authenticator);
      expect(await assert(first.client, first.caller, assertion)).toBeAnswered(200);
      const { client, caller } = await half(holder);

      await passkeys.expectRefused(() => assert(client, caller, assertion), WRONG_CHALLENGE);
      expect(await assert(first.client, first.caller, assertion)).toBeRefused(401, 'MFA_TOKEN_INVALID');
    });

    it('a challenge is only for the mfa_token or session that asked for it', async () => {
      const holder = await newHolder(passkeys);
      const [one, two] = [await half(holder), await half(holder)];
      const { client, accessToken } = await passkeys.signIn(holder);
      const full = { client, caller: { bearer: accessToken } };
      const { client: elsewhere, accessToken: otherToken } = await passkeys.signIn(holder);
      const other = { client: elsewhere, caller: { bearer: otherToken } };

      for (const [asks, sends] of [
        [one, two],
        [two, full],
        [full, other],
        [other, full],
      ] as const) {
        const assertion = await passkeys.assertion(asks.client, asks.caller, holder.authenticator);
        await passkeys.expectRefused(() => assert(sends.client, sends.caller, assertion), WRONG_CHALLENGE);
        // No other login can use it up.
        expect(await assert(asks.client, asks.caller, assertion)).toBeAnswered(200);
      }
    });

    it('the challenge of a registration is not for an assertion', async () => {
      const holder = await newHolder(passkeys);
      const { client, accessToken: bearer } = await passkeys.signIn(holder);
      const { challenge } = await creationOptions(client, { bearer });
      const request = await requestOptions(client, { bearer });

      const hostile = holder.authenticator.assert({ ...request, challenge });

      await passkeys.expectRefused(() => assert(client, { bearer }, hostile), WRONG_CHALLENGE);
    });

    it('new options replace the earlier challenge of the same login', async () => {
      const holder = await newHolder(passkeys);
      const login = await half(holder);
      const { client, caller } = login;
      const earlier = await passkeys.assertion(client, caller, holder.authenticator);
      await requestOptions(client, caller);

      await passkeys.expectRefused(() => assert(client, caller, earlier), WRONG_CHALLENGE);

      await expectWorks(login, holder);
    });

    it('a challenge expires after five minutes', async () => {
      const holder = await newHolder(passkeys);
      const { client, accessToken } = await passkeys.signIn(holder);
      const [caller, { clock }] = [{ bearer: accessToken }, story];

      const late = await passkeys.assertion(client, caller, holder.authenticator);
      clock.advance(CHALLENGE_SECONDS);
      await passkeys.expectRefused(() => assert(client, caller, late), WRONG_CHALLENGE);

      const inTime = await passkeys.assertion(client, caller, holder.authenticator);
      clock.advance(CHALLENGE_SECONDS - 1);
      expect(await assert(client, caller, inTime)).toBeAnswered(200);
    });
  });

  describe('one budget of attempts', () => {
    it('T7, T8: five wrong assertions over several logins lock the account, also for its backup codes', async () => {
      const holder = await newHolder(passkeys);
      const logins = [await half(holder), await half(holder), await half(holder)];
      for (let attempt = 0; attempt < 5; attempt += 1) {
        expect(await wrongAssertion(logins[attempt % 3] ?? (await half(holder)), holder)).toBeRefused(
          401,
          'MFA_CODE_INVALID',
        );
      }

      expect(await story.countOf(holder, 'MFA_FAILED')).toBe(5);
      expect(await story.countOf(holder, 'MFA_LOCKED')).toBe(1);
      const { client, caller } = await half(holder);
      const { bearer = '' } = caller;
      expect(await secondStep(client, bearer, String(holder.backupCodes[0]))).toBeRefused(429, 'MFA_LOCKED');
    });

    it('T10: a locked account rejects right and wrong assertions alike, without an event', async () => {
      const holder = await newHolder(passkeys);
      const before = await half(holder);
      const kept = await passkeys.assertion(before.client, before.caller, holder.authenticator);
      const { client, caller } = await half(holder);
      const right = await passkeys.assertion(client, caller, holder.authenticator);
      const other = await half(holder);
      for (let attempt = 0; attempt < 5; attempt += 1) await wrongAssertion(other, holder);

      const locked: Refusal = { status: 429, code: 'MFA_LOCKED', events: [] };
      await passkeys.expectRefused(() => assert(client, caller, right), locked);
      await passkeys.expectRefused(() => assert(client, caller, { ...right, id: 'AAAA' }), locked);
      await passkeys.expectRefused(() => assert(before.client, before.caller, kept), locked);

      story.clock.advance(CHALLENGE_SECONDS);
      await expectWorks(await half(holder), holder);
    });

    it('T9: wrong assertions, codes and backup codes raise one counter, which an assertion resets', async () => {
      const holder = await newHolder(passkeys);
      const person = await passkeys.withApp(holder);
      const login = await half(holder);
      const { client, caller } = login;
      const { bearer = '' } = caller;
      const wrong = [
        () => secondStep(client, bearer, story.wrongCode(person)),
        () => wrongAssertion(login, holder),
        () => secondStep(client, bearer, 'ZZZZ-ZZZZ'),
        () => wrongAssertion(login, holder),
      ];
      for (const send of wrong) expect(await send()).toBeRefused(401, 'MFA_CODE_INVALID');
      await expectWorks(login, holder);

      const next = await half(holder);
      for (let attempt = 0; attempt < 4; attempt += 1) {
        expect(await wrongAssertion(next, holder)).toBeRefused(401, 'MFA_CODE_INVALID');
      }
      await expectWorks(next, holder);
      expect(await story.countOf(holder, 'MFA_LOCKED')).toBe(0);
    });
  });

  describe('counters', () => {
    it('a counter that falls is rejected with the event PASSKEY_COUNTER, and costs an attempt', async () => {
      const holder = await newHolder(passkeys);
      for (let login = 0; login < 3; login += 1) await passkeys.signIn(holder);
      const { client, caller } = await half(holder);

      for (const counter of [3, 1, 0]) {
        const copied = await passkeys.assertion(client, caller, holder.authenticator, { counter });
        const refusal = { ...REJECTED, events: [['PASSKEY_COUNTER', 'passkey_counter']] } as const;
        await passkeys.expectRefused(() => assert(client, caller, copied), refusal);
      }

      const { database } = story;
      const sql = 'SELECT failures FROM account WHERE login_id = ?';
      expect(await database.query(sql, [holder.id])).toEqual([{ failures: 3 }]);
    });

    it('whether a synced passkey is backed up may change, and is stored', async () => {
      const holder = await newHolder(passkeys, { isSynced: true });
      const { client, caller } = await half(holder);
      const local = await passkeys.assertion(client, caller, holder.authenticator, { flags: { be: true, bs: false } });

      expect((await assert(client, caller, local)).body).toMatchObject({ amr: ['pwd', 'swk'] });

      const sql = 'SELECT backup_eligible, backed_up FROM passkey WHERE id = ?';
      expect(await story.database.query(sql, [holder.passkeyId])).toEqual([{ backup_eligible: 1, backed_up: 0 }]);
    });

    it('a synced passkey without a counter is accepted again and again', async () => {
      const holder = await newHolder(passkeys, { isSynced: true });

      await passkeys.signIn(holder);

      expect(await story.countOf(holder, 'MFA_OK')).toBe(2);
      expect(await story.countOf(holder, 'PASSKEY_COUNTER')).toBe(0);
    });
  });
});

onAnyEngine('app.security.mfa.passkey.reject-counter=false', (engine) => {
  const story = storyOn(engine, { people: 1, args: ['--app.security.mfa.passkey.reject-counter=false'] });
  const passkeys = new PasskeyStory(story);

  it('a counter that falls is accepted with the event PASSKEY_COUNTER, and the higher one is kept', async () => {
    const holder = await newHolder(passkeys);
    for (let login = 0; login < 3; login += 1) await passkeys.signIn(holder);
    const client = story.client();
    const caller = { bearer: await story.mfaToken(holder, client) };
    const copied = await passkeys.assertion(client, caller, holder.authenticator, { counter: 2 });
    const before = await passkeys.snapshot();

    expect(await assert(client, caller, copied)).toBeAnswered(200);

    const events = await passkeys.eventsSince(before);
    expect(events).toContainEqual(['PASSKEY_COUNTER', null]);
    expect(events.map(([kind]) => kind).toSorted()).toEqual(['MFA_OK', 'PASSKEY_COUNTER']);
    expect(await story.database.query('SELECT sign_count FROM passkey')).toEqual([{ sign_count: 4 }]);
  });
});

onAnyEngine('app.security.mfa.passkey.user-verification=required', (engine) => {
  const story = storyOn(engine, { people: 2, args: ['--app.security.mfa.passkey.user-verification=required'] });
  const passkeys = new PasskeyStory(story);

  it('an assertion without user verification is rejected', async () => {
    const holder = await newHolder(passkeys);
    const client = story.client();
    const caller = { bearer: await story.mfaToken(holder, client) };
    const request = await requestOptions(client, caller);
    expect(request.userVerification).toBe('required');

    const unverified = holder.authenticator.assert(request, { flags: { uv: false } });

    await passkeys.expectRefused(() => assert(client, caller, unverified), WRONG_PASSKEY);
    const verified = await passkeys.assertion(client, caller, holder.authenticator);
    expect(await assert(client, caller, verified)).toBeAnswered(200);
  });

  it('a registration without user verification is rejected', async () => {
    const { client, accessToken: bearer } = await story.signInByPassword(story.person());
    const creation = await creationOptions(client, { bearer });
    expect(creation.authenticatorSelection).toMatchObject({ userVerification: 'required' });

    const credential = passkeys.authenticator().register(creation, { flags: { uv: false } });

    const refusal: Refusal = { status: 400, code: 'VALIDATION_FAILED', events: [] };
    await passkeys.expectRefused(() => client.post('/2fa/passkeys', { credential }, { bearer }), refusal);
  });
});

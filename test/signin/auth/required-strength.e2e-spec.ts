import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, type HttpClient, textOf, textsOf } from '../../support/http/http-client.js';
import {
  type Enrolled,
  type LoginStory,
  PASSWORD,
  type Person,
  refresh,
  secondStep,
  storyOn,
} from '../../support/login/login-story.js';
import type { SoftwareAuthenticator } from '../../support/passkey/passkey-authenticator.js';
import {
  assert,
  type Caller,
  creationOptions,
  type PasskeyHolder,
  PasskeyStory,
} from '../../support/passkey/passkey-story.js';
import { atOnce, outcomes } from '../../support/login/races.js';
import { MFA_CLASS, PASSWORD_CLASS, ROLES, staffStoryOn } from '../../support/saml/staff-story.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';

const STRENGTH = '--app.security.mfa.required-strength';
const PHISHING_RESISTANT = `${STRENGTH}=phishing-resistant`;
const OPTIONS = '/2fa/passkeys/registration/options';
const FRESH_SECONDS = 300;
/** The response of the password step to a user who needs a passkey and has none. */
const MUST_ENROL = { mfa_required: true, enrolment_required: true, methods: [], enrolment_methods: ['passkey'] };

/** Registers a passkey, and proves it with the same login. */
async function enrolPasskey(
  passkeys: PasskeyStory,
  client: HttpClient,
  caller: Caller,
  options: object = {},
): Promise<{ registered: Answer; completed: Answer; authenticator: SoftwareAuthenticator }> {
  const authenticator = passkeys.authenticator();
  const registered = await passkeys.register(client, caller, authenticator, { options });
  const completed = await assert(client, caller, await passkeys.assertion(client, caller, authenticator));
  return { registered, completed, authenticator };
}

async function giveRole(story: LoginStory, { id }: Person, role = 'ROLE_CLERK'): Promise<void> {
  await story.database.query('UPDATE account SET roles = ? WHERE login_id = ?', [role, id]);
}

onAnyEngine('required-strength=phishing-resistant for a role', (engine) => {
  const story = storyOn(engine, {
    people: 50,
    args: [PHISHING_RESISTANT, `${STRENGTH}-roles=ROLE_CLERK`, '--app.security.mfa.trusted-device.enabled=true'],
  });
  const passkeys = new PasskeyStory(story);

  /** A user without a second factor who needs a passkey. */
  async function clerk(): Promise<Person> {
    const person = story.person();
    await giveRole(story, person);
    return person;
  }

  /** A user who had an authenticator app when the role came. */
  async function clerkWithApp(): Promise<Enrolled> {
    const person = await story.enrolled();
    await giveRole(story, person);
    return person;
  }

  /** The details of the events about issued options for a passkey. */
  async function passkeySetups(person: Person): Promise<readonly (string | null)[]> {
    const events = await story.events(person);
    return events.filter(({ reason }) => reason === 'passkey').map(({ detail }) => detail);
  }

  /** A user who needs a passkey and has an app beside it; signed in by the passkey. */
  async function clerkWithBoth(): Promise<PasskeyHolder & Pick<Enrolled, 'app'>> {
    const holder = await passkeys.withApp(await passkeys.holder());
    await giveRole(story, holder);
    return { ...holder, ...(await passkeys.signIn(holder)) };
  }

  describe('a user without a second factor', () => {
    it('a user who needs a passkey enrols one, and completes the login by an assertion with the same mfa_token', async () => {
      const person = await clerk();
      const client = story.client();
      const login = await story.login(person, client);
      const bearer = textOf(login, 'mfa_token');

      const { registered, completed } = await enrolPasskey(passkeys, client, { bearer });

      expect(login.body).toMatchObject(MUST_ENROL);
      expect(textsOf(registered, 'backup_codes')).toHaveLength(10);
      expect(completed).toBeAnswered(200);
      expect(completed.body).toMatchObject({ amr: ['pwd', 'hwk'], mfa_method: 'passkey' });
      expect((await story.login(person)).body).toMatchObject({ mfa_required: true, methods: ['passkey'] });
    });

    it('the registration of a required passkey gives no access, nor do its backup codes', async () => {
      const person = await clerk();
      const client = story.client();
      const bearer = await story.mfaToken(person, client);
      const registered = await passkeys.register(client, { bearer });
      const [code = ''] = textsOf(registered, 'backup_codes');

      expect(await client.get('/2fa', { bearer })).toBeRefused(403, 'MFA_REQUIRED');
      expect(await secondStep(client, bearer, code)).toBeRefused(409, 'MFA_STATE_CONFLICT');
      expect(await client.post('/2fa/verify', { code }, { bearer })).toBeRefused(409, 'MFA_STATE_CONFLICT');
      expect(await client.post(OPTIONS, {}, { bearer })).toBeRefused(403, 'MFA_REQUIRED');
    });

    it('a user who needs a passkey cannot enrol an authenticator app instead', async () => {
      const client = story.client();
      const bearer = await story.mfaToken(await clerk(), client);

      expect(await client.post('/2fa/setup', {}, { bearer })).toBeRefused(409, 'MFA_STATE_CONFLICT');
    });

    it('a user who needs a passkey enrols one in a portal session, too', async () => {
      const { id, password: pw } = await clerk();
      const client = story.client();

      const login = await client.post('/session', { id, pw });
      expect(login.body).toMatchObject({ authorities: ['ROLE_PRE_MFA'], ...MUST_ENROL });
      expect(await client.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
      const { completed } = await enrolPasskey(passkeys, client, {});

      expect(completed).toBeAnswered(200);
      expect(completed.body).not.toHaveProperty('access_token');
      expect((await client.get('/me')).body).toMatchObject({ amr: ['pwd', 'hwk'], acr: 'urn:login:acr:mfa' });
    });
  });

  describe('a user with an authenticator app only', () => {
    it('a user with an app proves it for the options, registers a passkey, and completes the login by that', async () => {
      const person = await clerkWithApp();
      const client = story.client();
      const login = await story.login(person, client);
      const bearer = textOf(login, 'mfa_token');
      const code = story.nextCode(person);

      const { registered, completed } = await enrolPasskey(passkeys, client, { bearer }, { code });

      expect(login.body).toMatchObject(MUST_ENROL);
      expect(registered.body).not.toHaveProperty('backup_codes');
      expect(completed.body).toMatchObject({ amr: ['pwd', 'hwk'] });
      expect(await story.countOf(person, 'MFA_OK')).toBe(1);
    });

    it('a backup code gives the options of a required passkey, too', async () => {
      const person = await clerkWithApp();
      const client = story.client();
      const bearer = await story.mfaToken(person, client);

      const options = { code: person.backupCodes[0] };
      const { completed } = await enrolPasskey(passkeys, client, { bearer }, options);

      expect(completed).toBeAnswered(200);
    });

    it.each(['totp', 'backup_code'])('L3: the event of the options records a proof by %s', async (proved) => {
      const person = await clerkWithApp();
      const client = story.client();
      const bearer = await story.mfaToken(person, client);
      const code = proved === 'totp' ? story.nextCode(person) : person.backupCodes[0];

      await creationOptions(client, { bearer }, { code });

      expect(await passkeySetups(person)).toEqual([JSON.stringify({ proved })]);
      expect(await story.countOf(person, 'MFA_OK')).toBe(0);
    });

    it('L3: the event of the options records no proof for a signed-in user, who submits none', async () => {
      const person = await clerkWithApp();

      await creationOptions(person.client, { bearer: person.accessToken });

      expect(await passkeySetups(person)).toEqual([null]);
    });

    it('T17: a password alone gives no options of a further passkey', async () => {
      const person = await clerkWithApp();
      const client = story.client();
      const bearer = await story.mfaToken(person, client);

      const refusal = { status: 400, code: 'VALIDATION_FAILED', events: [] } as const;
      await passkeys.expectRefused(() => client.post(OPTIONS, {}, { bearer }), refusal);
      expect(await client.post(OPTIONS, { pw: PASSWORD }, { bearer })).toBeRefused(400, 'VALIDATION_FAILED');
    });

    it('T7: wrong codes for the options of a passkey lock the account', async () => {
      const person = await clerkWithApp();
      const client = story.client();
      const bearer = await story.mfaToken(person, client);
      for (let variant = 0; variant < 5; variant += 1) {
        const code = story.wrongCode(person, variant);
        expect(await client.post(OPTIONS, { code }, { bearer })).toBeRefused(401, 'MFA_CODE_INVALID');
      }

      const code = story.nextCode(person);
      expect(await client.post(OPTIONS, { code }, { bearer })).toBeRefused(429, 'MFA_LOCKED');
      expect(await story.countOf(person, 'MFA_FAILED')).toBe(5);
    });

    it('a code for the options of a passkey works once', async () => {
      const person = await clerkWithApp();
      const client = story.client();
      const bearer = await story.mfaToken(person, client);
      const code = story.nextCode(person);
      expect(await client.post(OPTIONS, { code }, { bearer })).toBeAnswered(201);

      expect(await client.post(OPTIONS, { code }, { bearer })).toBeRefused(401, 'MFA_CODE_INVALID');

      expect(await story.countOf(person, 'MFA_REPLAY')).toBe(1);
    });

    it.each(['code', 'backup code'])(
      'a %s completes no login of a user who needs a passkey, and costs no attempt',
      async (kind) => {
        const person = await clerkWithApp();
        const client = story.client();
        const bearer = await story.mfaToken(person, client);
        const code = kind === 'code' ? story.nextCode(person) : String(person.backupCodes[0]);

        const refusal = { status: 409, code: 'MFA_STATE_CONFLICT', events: [] } as const;
        await passkeys.expectRefused(() => secondStep(client, bearer, code), refusal);
        await passkeys.expectRefused(() => client.post('/2fa/verify', { code }, { bearer }), refusal);

        const sql = 'SELECT failures FROM account WHERE login_id = ?';
        expect(await story.database.query(sql, [person.id])).toEqual([{ failures: 0 }]);
      },
    );

    it('T7: a code of a locked user who needs a passkey gets the lock, and costs no attempt', async () => {
      const person = await clerkWithApp();
      const client = story.client();
      const former = await story.mfaToken(person, client);
      for (let variant = 0; variant < 5; variant += 1) {
        await client.post(OPTIONS, { code: story.wrongCode(person, variant) }, { bearer: former });
      }
      const bearer = await story.mfaToken(person, client);
      const browser = story.client();
      expect(await browser.post('/session', { id: person.id, pw: PASSWORD })).toBeAnswered(200);
      const code = story.nextCode(person);

      const refusal = { status: 429, code: 'MFA_LOCKED', events: [] } as const;
      await passkeys.expectRefused(() => secondStep(client, bearer, code), refusal);
      await passkeys.expectRefused(() => secondStep(client, former, code), refusal);
      await passkeys.expectRefused(() => client.post('/2fa/verify', { code }, { bearer }), refusal);
      await passkeys.expectRefused(() => browser.post('/2fa/verify', { code }), refusal);

      const sql = 'SELECT failures FROM account WHERE login_id = ?';
      expect(await story.database.query(sql, [person.id])).toEqual([{ failures: 5 }]);
      expect((await story.command('users', 'unlock', person.id)).exitCode).toBe(0);
      expect(await secondStep(client, former, code)).toBeRefused(401, 'MFA_TOKEN_INVALID');
      expect(await secondStep(client, bearer, code)).toBeRefused(409, 'MFA_STATE_CONFLICT');
    });

    it('a session that was complete before policy demands a passkey adds one without a further code', async () => {
      const { client, accessToken: bearer } = await clerkWithApp();
      expect((await client.get('/2fa', { bearer })).body).toMatchObject({
        required_by_policy: true,
        required_strength: 'phishing-resistant',
        enrolment_methods: ['passkey', 'totp'],
      });

      expect(await client.post(OPTIONS, {}, { bearer })).toBeAnswered(201);
    });
  });

  describe('a user with a passkey and an app', () => {
    it('a user who needs a passkey signs in by it only', async () => {
      const holder = await clerkWithBoth();
      const client = story.client();
      const login = await story.login(holder, client);
      expect(login.body).toMatchObject({ mfa_required: true, methods: ['passkey'] });
      expect(login.body).not.toHaveProperty('enrolment_required');
      const code = story.nextCode(holder);
      expect(await secondStep(client, textOf(login, 'mfa_token'), code)).toBeRefused(409, 'MFA_STATE_CONFLICT');
    });

    it('a code changes no credential of a user who needs a passkey and has one, however recent it is', async () => {
      // The session proved a code before policy demands a passkey.
      const holder = await passkeys.withApp(await passkeys.holder());
      await giveRole(story, holder);
      const { client, passkeyId, authenticator, accessToken: bearer } = holder;
      const before = await passkeys.authenticatorsOf(client, { bearer });
      story.clock.advance(30);
      const code = story.nextCode(holder);
      const own = `/2fa/authenticators/${passkeyId}`;

      const answers = [
        await client.post(OPTIONS, {}, { bearer }),
        await client.post('/2fa/setup', { add: true }, { bearer }),
        await client.delete(own, { bearer }),
        await client.send('PATCH', own, { json: { name: 'Red key' }, bearer }),
        await client.post('/2fa/backup-codes', {}, { bearer }),
        await client.post(
          '/me/password',
          { current: PASSWORD, new: 'nine wet lanterns & 3 harbours', code },
          { bearer },
        ),
      ];

      for (const answer of answers) {
        expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
        expect(answer.body).toMatchObject({ required: 'passkey' });
        expect(answer.headers.get('www-authenticate')).toContain(
          'A passkey is required, proven at most 300 seconds ago',
        );
      }
      expect(await passkeys.authenticatorsOf(client, { bearer })).toEqual(before);
      const proved = await assert(client, { bearer }, await passkeys.assertion(client, { bearer }, authenticator));
      const strong = { bearer: textOf(proved, 'access_token') };
      expect(await client.post('/2fa/backup-codes', {}, strong)).toBeAnswered(201);
    });

    it('a change that a code has begun adds nothing once the account has the passkey that it needs', async () => {
      const person = await clerkWithApp();
      const { client: thief } = person;
      const stolen = { bearer: person.accessToken };
      const options = await creationOptions(thief, stolen);
      const setup = await thief.post('/2fa/setup', { add: true }, stolen);
      const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
      const client = story.client();
      const bearer = await story.mfaToken(person, client);
      const { completed } = await enrolPasskey(passkeys, client, { bearer }, { code: story.nextCode(person) });
      expect(completed).toBeAnswered(200);
      story.clock.advance(30);

      const answers = [
        await thief.post('/2fa/passkeys', { credential: passkeys.authenticator().register(options) }, stolen),
        await thief.post('/2fa/confirm', { code: story.codeOf(app) }, stolen),
      ];

      for (const answer of answers) {
        expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
        expect(answer.body).toMatchObject({ required: 'passkey' });
      }
      const own = { bearer: textOf(completed, 'access_token') };
      const listed = await passkeys.authenticatorsOf(client, own);
      expect(listed.map(({ type }) => type)).toEqual(['totp', 'passkey']);
    });

    it('the user and a session that was proven by a code cannot both add the required passkey', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { client: thief, accessToken, ...person } = await clerkWithApp();
        const stolen = { bearer: accessToken };
        const client = story.client();
        const own = { bearer: await story.mfaToken(person, client) };
        const credentials = [
          passkeys.authenticator().register(await creationOptions(thief, stolen)),
          passkeys.authenticator().register(await creationOptions(client, own, { code: story.nextCode(person) })),
        ];

        const answers = await Promise.all([
          client.post('/2fa/passkeys', { credential: credentials[1] }, own),
          thief.post('/2fa/passkeys', { credential: credentials[0] }, stolen),
        ]);

        expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
        const sql = 'SELECT passkey_count FROM account WHERE login_id = ?';
        expect(await story.database.query(sql, [person.id])).toEqual([{ passkey_count: 1 }]);
      }
    });

    it('a lock ends after its duration although the clock was set back, and codes are not accepted', async () => {
      const holder = await clerkWithBoth();
      const client = story.client();
      const token = await story.mfaToken(holder, client);
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const genuine = await passkeys.assertion(client, { bearer: token }, holder.authenticator);
        const wrong = { ...genuine, response: { ...genuine.response, signature: 'AAAA' } };
        expect(await assert(client, { bearer: token }, wrong)).toBeRefused(401, 'MFA_CODE_INVALID');
      }

      story.clock.advance(-7200);
      const begin = async (): Promise<Answer> =>
        client.post('/2fa/passkeys/assertion/options', {}, { bearer: await story.mfaToken(holder, client) });
      const early = await begin();
      story.clock.advance(301);
      const late = await begin();
      story.clock.advance(7200);

      expect(early).toBeRefused(429, 'MFA_LOCKED');
      expect(late).toBeAnswered(201);
    });

    it('T6: a code with a used mfa_token gets MFA_TOKEN_INVALID where only a passkey completes the login, too', async () => {
      const holder = await clerkWithBoth();
      const client = story.client();
      const bearer = await story.mfaToken(holder, client);
      const assertion = await passkeys.assertion(client, { bearer }, holder.authenticator);
      expect(await assert(client, { bearer }, assertion)).toBeAnswered(200);
      const code = story.nextCode(holder);

      expect(await secondStep(client, bearer, code)).toBeRefused(401, 'MFA_TOKEN_INVALID');
      expect(await client.post('/2fa/verify', { code }, { bearer })).toBeRefused(401, 'MFA_TOKEN_INVALID');
    });

    it('the last required passkey cannot be removed; an app and a passkey beside another one can', async () => {
      const holder = await clerkWithBoth();
      const { client, accessToken: bearer, passkeyId } = holder;
      const remove = (id: string): Promise<Answer> => client.delete(`/2fa/authenticators/${id}`, { bearer });
      expect(await remove(passkeyId)).toBeRefused(409, 'MFA_STATE_CONFLICT');
      const app = (await passkeys.authenticatorsOf(client, { bearer })).find(({ type }) => type === 'totp');

      expect(await remove(app?.id ?? '')).toBeAnswered(204);
      expect(await remove(passkeyId)).toBeRefused(409, 'MFA_STATE_CONFLICT');
      await passkeys.register(client, { bearer });
      expect(await remove(passkeyId)).toBeAnswered(204);
    });

    it('two removals at once leave one of two required passkeys', async () => {
      const holder = await clerkWithBoth();
      const { client, accessToken: bearer, passkeyId } = holder;
      const other = textOf(await passkeys.register(client, { bearer }), 'id');
      const ids = [passkeyId, other];

      const answers = await atOnce(2, (index) =>
        client.delete(`/2fa/authenticators/${String(ids[index])}`, { bearer }),
      );

      expect(outcomes(answers)).toEqual({ 204: 1, MFA_STATE_CONFLICT: 1 });
    });

    it('a user who needs a passkey cannot disable the second factor', async () => {
      const holder = await clerkWithBoth();
      const { client, accessToken: bearer } = holder;

      const answer = await client.post('/2fa/disable', { code: story.nextCode(holder) }, { bearer });

      expect(answer).toBeRefused(409, 'MFA_STATE_CONFLICT');
    });

    it('S10: a trusted device does not replace a required passkey', async () => {
      const holder = await passkeys.holder();
      const client = story.client();
      const bearer = await story.mfaToken(holder, client);
      const assertion = await passkeys.assertion(client, { bearer }, holder.authenticator);
      expect(await assert(client, { bearer }, assertion, { trust_device: true })).toBeAnswered(200);
      expect(client.cookie('trusted_device')).toBeDefined();

      await giveRole(story, holder);

      expect((await story.login(holder, client)).body).toMatchObject({ mfa_required: true, methods: ['passkey'] });
    });

    it('after a reset by an administrator, a required passkey is enrolled again', async () => {
      const holder = await clerkWithBoth();
      expect((await story.command('users', 'reset-mfa', holder.id)).exitCode).toBe(0);
      const client = story.client();
      const login = await story.login(holder, client);

      expect(login.body).toMatchObject(MUST_ENROL);
      const { completed } = await enrolPasskey(passkeys, client, { bearer: textOf(login, 'mfa_token') });
      expect(completed).toBeAnswered(200);
    });
  });

  it('required-strength does not concern a user without the role', async () => {
    const person = await story.enrolled();

    const { client, accessToken: bearer, answer } = await story.signIn(person);

    expect(answer.body).toMatchObject({ amr: ['pwd', 'otp'] });
    expect((await client.get('/2fa', { bearer })).body).toMatchObject({
      required_by_policy: false,
      required_strength: 'any',
    });
  });

  it('a passkey session that is not fresh proves the second factor again before it adds one', async () => {
    const { client, accessToken: bearer } = await clerkWithBoth();
    story.clock.advance(FRESH_SECONDS + 1);

    expect(await client.post(OPTIONS, {}, { bearer })).toBeRefused(401, 'STEP_UP_REQUIRED');
  });
});

onAnyEngine('required-strength=phishing-resistant from a date', (engine) => {
  const DAY = 86_400;
  const from = new Date((Math.floor(Date.now() / 1000) + DAY) * 1000);
  const story = storyOn(engine, {
    people: 4,
    args: [PHISHING_RESISTANT, `${STRENGTH}-from=${from.toISOString()}`],
  });
  const passkeys = new PasskeyStory(story);

  it('codes complete logins until the date, which GET /2fa shows; then only passkeys do', async () => {
    const person = await story.enrolled();
    const holder = await passkeys.withApp(await passkeys.holder());
    const { client, accessToken: bearer } = await story.signIn(person);
    const before = await client.get('/2fa', { bearer });
    expect(before.body).toMatchObject({ required_by_policy: false, required_strength: 'any' });
    expect(before.body).toHaveProperty('required_from');
    expect((await story.login(holder)).body['methods']).toEqual(['passkey', 'totp', 'backup_code']);

    story.clock.advance(from.getTime() / 1000 - story.clock.seconds - 60);
    expect((await story.signIn(person)).answer.body).toMatchObject({ amr: ['pwd', 'otp'] });
    const early = story.client();
    const kept = await story.mfaToken(person, early);
    story.clock.advance(60);

    expect(await secondStep(early, kept, story.codeOf(person.app))).toBeRefused(409, 'MFA_STATE_CONFLICT');
    expect((await story.login(person)).body).toMatchObject(MUST_ENROL);
    expect((await story.login(holder)).body['methods']).toEqual(['passkey']);
    expect((await passkeys.signIn(holder)).answer.body).toMatchObject({ amr: ['pwd', 'hwk'] });
    expect((await story.login(story.person())).body).toMatchObject(MUST_ENROL);
  });
});

onSqlite('a staff login whose account needs a passkey', (engine) => {
  const roles = { 'roles.attribute': ROLES, 'roles.map[Admins]': 'ROLE_ADMIN' };
  const staff = staffStoryOn(
    engine,
    {
      deny: { ...roles, 'on-missing-mfa': 'deny' },
      local: { ...roles, 'on-missing-mfa': 'local-totp' },
      accept: roles,
    },
    { args: [PHISHING_RESISTANT, `${STRENGTH}-roles=ROLE_ADMIN`] },
  );
  const passkeys = new PasskeyStory(staff.story);
  const admin = { attributes: { [ROLES]: ['Admins'] } };

  it.each(['deny', 'local', 'accept'])(
    'the second factor of the identity provider %s is not enough: a passkey is enrolled, and then asked for',
    async (idp) => {
      const person = { nameId: `admin-${idp}`, authnContextClassRef: MFA_CLASS, ...admin };
      const first = await staff.signIn(person, { idp, query: '?prompt=login' });
      expect(first.answer.headers.get('location')).toBe('/2fa/portal/setup?return_to=%2F');
      expect(await first.client.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
      expect(await first.client.post('/2fa/setup')).toBeRefused(409, 'MFA_STATE_CONFLICT');
      const { registered, completed, authenticator } = await enrolPasskey(passkeys, first.client, {});
      expect(completed).toBeAnswered(200);

      const second = await staff.signIn(person, { idp });
      expect(second.answer.headers.get('location')).toBe('/2fa/portal/verify?return_to=%2F');
      const [code] = textsOf(registered, 'backup_codes');
      expect(await second.client.post('/2fa/verify', { code })).toBeRefused(409, 'MFA_STATE_CONFLICT');
      const assertion = await passkeys.assertion(second.client, {}, authenticator);
      expect(await assert(second.client, {}, assertion)).toBeAnswered(200);

      expect(decodeJwt(await staff.accessToken(second.client))).toMatchObject({
        amr: ['pwd', 'hwk'],
        acr: 'urn:login:acr:mfa',
        idp,
        mfa_method: 'passkey',
      });
    },
  );

  it.each([PASSWORD_CLASS, MFA_CLASS])(
    'a role that comes with a staff login begins with the passkey that it needs: a session of %s from before ends',
    async (authnContextClassRef) => {
      const nameId = `promoted-${authnContextClassRef === MFA_CLASS ? 'strong' : 'weak'}`;
      const person = { nameId, authnContextClassRef };
      const former = await staff.signIn(person, { idp: 'accept' });
      expect(await former.client.get('/me')).toBeAnswered(200);
      const bearer = await staff.accessToken(former.client);

      const { client } = await staff.signIn({ ...person, ...admin }, { idp: 'accept', query: '?prompt=login' });

      expect(await client.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
      expect(await former.client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await former.client.get('/admin/users', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await refresh(former.client)).toBeRefused(401, 'REFRESH_INVALID');
      // The login that brought the role continues with the new security stamp.
      const { completed } = await enrolPasskey(passkeys, client, {});
      expect(completed).toBeAnswered(200);
      expect((await client.get('/me')).body).toMatchObject({ roles: ['ROLE_ADMIN'], amr: ['pwd', 'hwk'] });
    },
  );

  it('a staff login in progress ends when another one brings a role, and cannot be completed by a code', async () => {
    const person = { nameId: 'promoted-halfway', authnContextClassRef: PASSWORD_CLASS };
    const enrolling = await staff.signIn(person, { idp: 'local', query: '?prompt=login' });
    const setup = await enrolling.client.post('/2fa/setup');
    expect(setup).toBeAnswered(201);
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));

    await staff.signIn({ ...person, ...admin }, { idp: 'local' });

    const code = staff.story.codeOf(app);
    expect(await enrolling.client.post('/2fa/confirm', { code })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await enrolling.client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
  });

  it('on-missing-mfa=deny still rejects a login without a second factor', async () => {
    const person = { nameId: 'admin-weak', authnContextClassRef: PASSWORD_CLASS, ...admin };

    const { answer } = await staff.signIn(person, { idp: 'deny' });

    expect(answer).toBeRefused(403, 'SAML_MFA_MISSING');
  });

  it('a staff login without the role needs no passkey', async () => {
    const { answer } = await staff.signIn({ nameId: 'clerk', authnContextClassRef: MFA_CLASS }, { idp: 'deny' });

    expect(answer.headers.get('location')).toBe('/');
  });

  it('a staff login that may be hours old enrols no passkey', async () => {
    const person = { nameId: 'admin-stale', authnContextClassRef: MFA_CLASS, ...admin };

    const { client } = await staff.signIn(person, { idp: 'accept' });

    expect(await client.post(OPTIONS)).toBeRefused(401, 'STEP_UP_REQUIRED');
  });
});

onSqlite('services without passkeys', (engine) => {
  describe.each([
    ['a public URL with an IP address', '--app.security.public-url=https://192.0.2.7'],
    ['passkey.enabled=false', '--app.security.mfa.passkey.enabled=false'],
  ])('with %s', (_, argument) => {
    const story = storyOn(engine, { people: 3, args: [argument] });

    it('a service without passkeys neither offers nor accepts them', async () => {
      const person = story.person();
      const { client, accessToken: bearer } = await story.signInByPassword(person);
      await story.database.query('UPDATE account SET mfa_required = 1 WHERE login_id = ?', [person.id]);

      expect((await client.get('/2fa', { bearer })).body).toMatchObject({ enrolment_methods: ['totp'] });
      expect(await client.post(OPTIONS, {}, { bearer })).toBeRefused(409, 'MFA_STATE_CONFLICT');
      expect(await client.post('/2fa/passkeys/assertion/options', {}, { bearer })).toBeRefused(
        409,
        'MFA_STATE_CONFLICT',
      );
      expect((await story.login(person)).body).toMatchObject({ enrolment_methods: ['totp'] });
    });
  });

  describe('after passkeys were disabled', () => {
    const story = storyOn(engine, { people: 2 });
    const passkeys = new PasskeyStory(story);

    it('after passkeys are disabled, users sign in with what they have besides, and cannot remove the last of that', async () => {
      const holder = await passkeys.withApp(await passkeys.holder());
      const bearer = await story.mfaToken(holder);
      const assertion = await passkeys.assertion(story.client(), { bearer }, holder.authenticator);
      await story.service.release();
      await story.restart(['--app.security.mfa.passkey.enabled=false']);
      const client = story.client();

      expect(await assert(client, { bearer }, assertion)).toBeRefused(409, 'MFA_STATE_CONFLICT');
      const login = await story.login(holder, client);
      expect(login.body['methods']).toEqual(['totp', 'backup_code']);
      const completed = await secondStep(client, textOf(login, 'mfa_token'), story.nextCode(holder));
      expect(completed).toBeAnswered(200);

      const own = { bearer: textOf(completed, 'access_token') };
      const listed = await passkeys.authenticatorsOf(client, own);
      expect(listed.map(({ type }) => type)).toEqual(['passkey', 'totp']);
      const [passkey, app] = listed.map(({ id }) => `/2fa/authenticators/${id}`);
      expect(await client.delete(app ?? '', own)).toBeRefused(409, 'MFA_STATE_CONFLICT');
      expect(await client.delete(passkey ?? '', own)).toBeAnswered(204);
    });
  });
});

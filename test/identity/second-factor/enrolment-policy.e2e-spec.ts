import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, textOf } from '../../support/http/http-client.js';
import { type LoginStory, PASSWORD, type Person, secondStep, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';

/** Response of the password step to a user who must enrol first (http-api section 2). */
const MUST_ENROL = {
  mfa_required: true,
  mfa_token: expect.any(String) as string,
  expires_in: 180,
  enrolment_required: true,
  methods: [],
  enrolment_methods: ['passkey', 'totp'],
};

function passwordStep(story: LoginStory, { id, password }: Person): Promise<Answer> {
  return story.client().post('/login', { id, pw: password });
}

/** Completes a required enrolment; returns the authenticator app and the response of confirm. */
async function enrol(story: LoginStory, mfaToken: string): Promise<{ app: AuthenticatorApp; confirmed: Answer }> {
  const client = story.client();
  const setup = await client.post('/2fa/setup', {}, { bearer: mfaToken });
  expect(setup).toBeAnswered(201);
  const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
  const confirmed = await client.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer: mfaToken });
  expect(confirmed).toBeAnswered(200);
  return { app, confirmed };
}

onAnyEngine('second factor required by the account', (engine) => {
  const story = storyOn(engine, { people: 8 });

  async function demanded(): Promise<Person> {
    const person = story.person();
    await story.database.query('UPDATE account SET mfa_required = 1 WHERE login_id = ?', [person.id]);
    return person;
  }

  it('the password step of an account that requires a second factor permits enrolment only', async () => {
    const person = await demanded();

    const answer = await passwordStep(story, person);

    expect(answer).toBeAnswered(200);
    expect(answer.body).toEqual(MUST_ENROL);
    expect(answer.cookies).toEqual([]);
    const bearer = textOf(answer, 'mfa_token');
    const client = story.client();
    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await client.get('/2fa', { bearer })).toBeRefused(403, 'MFA_REQUIRED');
    expect(await secondStep(client, bearer, '000000')).toBeRefused(409, 'MFA_STATE_CONFLICT');
  });

  it('confirm of a required enrolment completes the login, and later logins require the second factor', async () => {
    const person = await demanded();

    const { app, confirmed } = await enrol(story, await story.mfaToken(person));

    expect(confirmed.body).toMatchObject({ state: 'active', amr: ['pwd', 'otp'] });
    const bearer = textOf(confirmed, 'access_token');
    expect(decodeJwt(bearer)).toMatchObject({ sub: await story.subjectOf(person), amr: ['pwd', 'otp'] });
    expect((await story.client().get('/2fa', { bearer })).body).toMatchObject({ required_by_policy: true });
    const next = await passwordStep(story, person);
    expect(next.body).not.toHaveProperty('enrolment_required');
    expect(next.body).toMatchObject({ mfa_required: true, methods: ['totp', 'backup_code'] });
    story.clock.nextStep();
    const second = await secondStep(story.client(), textOf(next, 'mfa_token'), story.codeOf(app));
    expect(second).toBeAnswered(200);
  });

  it('POST /session of an account that requires a second factor permits enrolment only, until confirm', async () => {
    const person = await demanded();
    const browser = story.client();

    const answer = await browser.post('/session', { id: person.id, pw: PASSWORD });

    expect(answer).toBeAnswered(200);
    expect(answer.body).toEqual({
      mfa_required: true,
      authorities: ['ROLE_PRE_MFA'],
      expires_in: 600,
      enrolment_required: true,
      methods: [],
      enrolment_methods: ['passkey', 'totp'],
    });
    expect(await browser.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
    const setup = await browser.post('/2fa/setup');
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    expect(await browser.post('/2fa/confirm', { code: story.codeOf(app) })).toBeAnswered(200);
    expect(await browser.get('/me')).toBeAnswered(200);
  });

  it('an account that no longer requires a second factor signs in by password', async () => {
    const person = await demanded();
    expect((await passwordStep(story, person)).body).toEqual(MUST_ENROL);

    await story.database.query('UPDATE account SET mfa_required = 0 WHERE login_id = ?', [person.id]);

    expect((await passwordStep(story, person)).body).toMatchObject({ mfa_required: false, amr: ['pwd'] });
  });

  it('A1: users require-mfa requires a second factor of an account, and --off removes the requirement', async () => {
    const person = story.person();

    const required = await story.command('users', 'require-mfa', person.id);
    const afterwards = await passwordStep(story, person);
    const off = await story.command('users', 'require-mfa', person.id, '--off');

    expect([required.exitCode, off.exitCode]).toEqual([0, 0]);
    expect(afterwards.body).toEqual(MUST_ENROL);
    expect((await passwordStep(story, person)).body).toMatchObject({ mfa_required: false });
    expect((await story.command('users', 'require-mfa', 'nobody')).exitCode).toBe(4);
  });

  it('an account that requires a second factor does not affect another account', async () => {
    await demanded();

    expect((await passwordStep(story, story.person())).body).toMatchObject({ mfa_required: false, amr: ['pwd'] });
  });
});

onSqlite('app.security.mfa.required-roles', (engine) => {
  const people = {
    admin: 'ROLE_ADMIN',
    manager: 'ROLE_MANAGEMENT',
    desk: 'ROLE_HELPDESK',
    auditor: 'ROLE_AUDITOR',
    'auditor-too': '"ROLE_CLERK,ROLE_AUDITOR"',
    'auditor-like': 'ROLE_AUDITOR_HELPER',
  };

  async function mustEnrol(story: LoginStory): Promise<readonly string[]> {
    const forced: string[] = [];
    for (const id of [...Object.keys(people), story.person().id]) {
      const answer = await passwordStep(story, { id, password: PASSWORD });
      expect(answer, id).toBeAnswered(200);
      if (answer.body['mfa_required'] === true) {
        expect(answer.body, id).toEqual(MUST_ENROL);
        forced.push(id);
      }
    }
    return forced;
  }

  describe('default of app.security.mfa.required-roles', () => {
    const story = storyOn(engine, { people: 1, others: people });

    it('the default roles that require a second factor are ROLE_ADMIN, ROLE_MANAGEMENT and ROLE_HELPDESK', async () => {
      expect(await mustEnrol(story)).toEqual(['admin', 'manager', 'desk']);
    });
  });

  describe('app.security.mfa.required-roles=ROLE_USER', () => {
    const story = storyOn(engine, { people: 1, others: people, args: ['--app.security.mfa.required-roles=ROLE_USER'] });

    it('A1: required-roles=ROLE_USER requires a second factor of every account, with or without stored roles', async () => {
      expect(await mustEnrol(story)).toEqual([...Object.keys(people), 'person-1']);
    });
  });

  describe('app.security.mfa.required-roles=ROLE_AUDITOR', () => {
    const story = storyOn(engine, {
      people: 1,
      others: people,
      args: ['--app.security.mfa.required-roles=ROLE_AUDITOR'],
    });

    it('required-roles=ROLE_AUDITOR replaces the default roles', async () => {
      expect(await mustEnrol(story)).toEqual(['auditor', 'auditor-too']);
    });

    it('a user with a role in required-roles cannot disable the second factor', async () => {
      const { app, confirmed } = await enrol(story, await story.mfaToken({ id: 'auditor', password: PASSWORD }));
      const bearer = textOf(confirmed, 'access_token');
      story.clock.nextStep();

      const answer = await story.client().post('/2fa/disable', { code: story.codeOf(app) }, { bearer });

      expect(answer).toBeRefused(409, 'MFA_STATE_CONFLICT');
      expect(decodeJwt(bearer)['roles']).toEqual(['ROLE_AUDITOR']);
    });

    it('a user with ROLE_ADMIN outside required-roles can disable a second factor', async () => {
      const admin = { id: 'admin', password: PASSWORD };
      const { client, accessToken: bearer, app } = await story.enrolled(admin);
      expect((await client.get('/2fa', { bearer })).body).toMatchObject({ required_by_policy: false });
      story.clock.nextStep();

      const answer = await client.post('/2fa/disable', { code: story.codeOf(app) }, { bearer });

      expect(answer).toBeAnswered(204);
      expect((await passwordStep(story, admin)).body).toMatchObject({ mfa_required: false });
    });
  });
});

onAnyEngine('app.security.mfa.policy', (engine) => {
  const DAYS = 7;
  const from = new Date((Math.floor(Date.now() / 1000) + DAYS * 86_400) * 1000).toISOString();
  const story = storyOn(engine, {
    people: 4,
    args: ['--app.security.mfa.policy=required', `--app.security.mfa.policy-from=${from}`],
  });

  it('A1: policy=required demands a second factor of every account from its date on, which GET /2fa shows before', async () => {
    const [person, early] = [story.person(), story.person()];
    const { client, accessToken: bearer } = await story.signInByPassword(person);
    const before = await client.get('/2fa', { bearer });
    expect(before.body).toMatchObject({ state: 'none', required_by_policy: false });
    // The packaged format of instants (app.json.*).
    expect(before.body['required_from']).toBe(from.slice(0, 19).replace('T', ' '));
    const enrolled = await story.enrolled(early);

    story.clock.advance(DAYS * 86_400 + 60);

    expect((await passwordStep(story, person)).body).toEqual(MUST_ENROL);
    const { app, confirmed } = await enrol(story, await story.mfaToken(person));
    const after = await story.client().get('/2fa', { bearer: textOf(confirmed, 'access_token') });
    expect(after.body).toMatchObject({ state: 'active', required_by_policy: true });
    expect(after.body).not.toHaveProperty('required_from');
    expect(app.secret).not.toBe('');
    const { client: signedIn, accessToken } = await story.signIn(enrolled);
    story.clock.nextStep();
    expect(
      await signedIn.post('/2fa/disable', { code: story.codeOf(enrolled.app) }, { bearer: accessToken }),
    ).toBeRefused(409, 'MFA_STATE_CONFLICT');
  });
});

onSqlite('app.security.mfa.policy=optional', (engine) => {
  const story = storyOn(engine, {
    people: 2,
    others: { 'administrator-1': 'ROLE_ADMIN' },
    args: ['--app.security.mfa.policy=optional'],
  });

  it('A1: policy=optional lets an administrator sign in by password, and a reset still demands a second factor', async () => {
    const administrator = { id: 'administrator-1', password: PASSWORD };
    expect((await passwordStep(story, administrator)).body).toMatchObject({ mfa_required: false });
    const person = await story.enrolled();
    expect((await story.command('users', 'reset-mfa', person.id)).exitCode).toBe(0);

    expect((await passwordStep(story, person)).body).toEqual(MUST_ENROL);
  });
});

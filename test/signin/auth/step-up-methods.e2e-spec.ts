import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { messagesOf } from '../../../src/signin/messages/messages.js';
import { AdminBrowser } from '../../support/pages/admin-pages.js';
import { ADMIN, Administrator, OTHERS } from '../../support/login/administrator.js';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { type Enrolled, refresh, type SignedIn, storyOn } from '../../support/login/login-story.js';
import { follow, formOf, submit, visit } from '../../support/pages/pages.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const MAX_AGE = 300;
const VERIFY = '/2fa/portal/verify?return_to=%2Fme';
const METHODS = ['hwk', 'swk'] as const;

onAnyEngine('step-up names the second factor that is missing', (engine) => {
  const story = storyOn(engine, { others: OTHERS, people: 24 });
  let boss: Enrolled;

  beforeAll(async () => {
    boss = (await Administrator.of(story, ADMIN)).person;
  });

  /** Makes every session of the account one that a passkey of this kind has just completed. */
  async function provedByPasskey(person: Enrolled, method: (typeof METHODS)[number]): Promise<void> {
    const set = `UPDATE session SET amr = 'pwd ${method}', mfa_at = ?, mfa_method = 'passkey' WHERE user_id = ?`;
    await story.database.query(set, [story.clock.seconds, await story.subjectOf(person)]);
  }

  /** Signs in with a code, and then replaces the proof of the session. */
  async function signIn(person: Enrolled, method: (typeof METHODS)[number]): Promise<SignedIn> {
    const { client, answer } = await story.signIn(person);
    await provedByPasskey(person, method);
    return { client, answer, accessToken: textOf(await refresh(client), 'access_token') };
  }

  async function browser(person: Enrolled, method: (typeof METHODS)[number] = 'hwk'): Promise<AdminBrowser> {
    const opened = await AdminBrowser.of(story, person);
    await provedByPasskey(person, method);
    return opened;
  }

  /** Where a browser arrives that follows the redirects of a form. */
  async function ends(client: HttpClient, sent: Answer): Promise<string> {
    let [location, answer] = ['', sent];
    while (answer.status === 303) {
      location = answer.headers.get('location') ?? '';
      answer = await follow(client, answer);
    }
    return location;
  }

  function challengeOf({ headers }: Answer): string {
    return headers.get('www-authenticate') ?? '';
  }

  describe.each(METHODS)('a login with a passkey (%s)', (method) => {
    it(`the claims and GET /me state ${method} and the acr of a second factor, never otp`, async () => {
      const { client, accessToken: bearer } = await signIn(await story.enrolled(), method);
      const facts = { amr: ['pwd', method], acr: 'urn:login:acr:mfa' };

      expect(decodeJwt(bearer)).toMatchObject({ ...facts, mfa_method: 'passkey' });
      expect((await client.get('/me', { bearer })).body).toMatchObject(facts);
    });

    it(`a route that requires a code rejects ${method}, and names the code`, async () => {
      const { client, accessToken: bearer } = await signIn(await story.enrolled(), method);

      const answer = await client.get('/me/settlement', { bearer });

      expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(answer.body['required']).toBe('otp');
      expect(challengeOf(answer)).toBe(
        'Bearer error="insufficient_user_authentication", error_description="A one-time code (otp) is required", ' +
          'acr_values="urn:login:acr:mfa"',
      );
    });

    it(`administration accepts ${method} for five minutes, and then asks for any second factor`, async () => {
      const { client, accessToken: bearer } = await signIn(boss, method);
      expect(await client.get('/admin/users', { bearer })).toBeAnswered(200);

      story.clock.advance(MAX_AGE + 1);
      const answer = await client.get('/admin/users', { bearer: textOf(await refresh(client), 'access_token') });

      expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(answer.body['required']).toBe('mfa');
      expect(challengeOf(answer)).toContain(
        'error_description="A second factor is required, proven at most 300 seconds ago"',
      );
      expect(challengeOf(answer)).toContain('max_age="300"');
    });

    it(`a fresh ${method} permits a change of own credentials, and a stale one is asked for again`, async () => {
      const { client, accessToken: bearer } = await signIn(await story.enrolled(), method);
      expect(await client.post('/2fa/backup-codes', {}, { bearer })).toBeAnswered(201);

      story.clock.advance(MAX_AGE + 1);
      const stale = textOf(await refresh(client), 'access_token');
      const answer = await client.post('/2fa/backup-codes', {}, { bearer: stale });

      expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(answer.body['required']).toBe('mfa');
    });
  });

  it('a code after a passkey replaces the methods of the session, and opens the route that requires a code', async () => {
    const person = await story.enrolled();
    const { client, accessToken } = await signIn(person, 'hwk');

    const raised = await client.post('/2fa/verify', { code: story.nextCode(person) }, { bearer: accessToken });

    expect(raised.body).toMatchObject({ amr: ['pwd', 'otp'], mfa_method: 'totp' });
    const bearer = textOf(raised, 'access_token');
    expect(await client.get('/me/settlement', { bearer })).toBeAnswered(200);
  });

  it('a password change without a recent proof asks for any second factor', async () => {
    const { client } = await signIn(await story.enrolled(), 'swk');
    story.clock.advance(MAX_AGE + 1);

    const bearer = textOf(await refresh(client), 'access_token');
    const answer = await client.post('/me/password', { current: 'x', new: 'y' }, { bearer });

    expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(answer.body['required']).toBe('mfa');
  });

  describe('pages', () => {
    it('the pages of the administration accept a passkey, and the home page names it', async () => {
      const admin = await browser(boss);

      expect(await admin.visit('/portal/admin')).toBeAnswered(200);
      expect((await admin.visit('/')).text).toContain('With your password and a passkey');
    });

    it('a fresh passkey leads past the page for the second factor, unless a code is required', async () => {
      const { client } = await browser(await story.enrolled());

      const past = await visit(client, VERIFY);
      const asked = await visit(client, `${VERIFY}&required=otp`);

      expect(past).toBeAnswered(303);
      expect(past.headers.get('location')).toBe('/me');
      expect(asked).toBeAnswered(200);
      expect(formOf(client, asked).fields).toMatchObject({ required: 'otp' });
      expect(asked.text).toContain('required=otp&amp;method=backup_code');
    });

    it('a code on the page that requires one leads to the target, also when the form is sent twice', async () => {
      const person = await story.enrolled();
      const { client } = await browser(person);
      const asked = await visit(client, `${VERIFY}&required=otp`);

      const wrong = await submit(client, asked, { code: story.wrongCode(person) });
      expect(formOf(client, wrong).fields).toMatchObject({ required: 'otp' });
      const code = story.nextCode(person);
      const [first, second] = [await submit(client, asked, { code }), await submit(client, asked, { code })];

      expect(first.headers.get('location')).toBe('/me');
      expect(second.headers.get('location')).toBe('/me');
      expect(await client.get('/me/settlement')).toBeAnswered(200);
    });

    it('A7: a form with a code that is sent twice at once leads to the target both times', async () => {
      const person = await story.enrolled();
      const client = story.client();
      await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });
      const proofs = async (): Promise<readonly number[]> =>
        Promise.all(['MFA_OK', 'STEP_UP_OK'].map((kind) => story.countOf(person, kind)));
      const [logins = 0, stepUps = 0] = await proofs();
      for (const target of ['/portal/security', '/portal/security/activity']) {
        const form = await visit(client, `/2fa/portal/verify?return_to=${encodeURIComponent(target)}`);
        const code = story.nextCode(person);

        const answers = await Promise.all([submit(client, form, { code }), submit(client, form, { code })]);

        expect(answers.map(({ status }) => status)).toEqual([303, 303]);
        for (const answer of answers) expect(await ends(client, answer)).toBe(target);
        expect((await client.get('/me')).body).toMatchObject({ amr: ['pwd', 'otp'] });
        story.clock.advance(MAX_AGE + 1);
      }
      expect(await proofs()).toEqual([logins + 1, stepUps + 1]);
    });

    it('A7: a form with a code of a session that has ended leads to the sign-in page, which says so', async () => {
      const person = await story.enrolled();
      const client = story.client();
      await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });
      const form = await visit(client, '/2fa/portal/verify?return_to=%2Fportal%2Fsecurity');
      await client.delete('/session');
      client.plant('SESSION', 'A'.repeat(43), '/');

      const sent = await submit(client, form, { code: story.nextCode(person) });

      expect(sent.headers.get('location')).toBe('/portal/login?ended=true&return_to=%2Fportal%2Fsecurity');
      expect((await follow(client, sent)).text).toContain(messagesOf('en').errors.INVALID_TOKEN);
    });

    it('an unknown value of required is treated as any second factor', async () => {
      const { client } = await browser(await story.enrolled());

      expect(await visit(client, `${VERIFY}&required=hwk`)).toBeAnswered(303);
    });
  });
});

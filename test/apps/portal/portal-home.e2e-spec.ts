import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { type Answer, type HttpClient, setCookie } from '../../support/http/http-client.js';
import { type Person } from '../../support/login/login-story.js';
import { BROWSER, follow, formOf, PAGE_POLICY, submit, unescaped, visit } from '../../support/pages/pages.js';
import { readLogoutRequest } from '../../support/saml/saml-messages.js';
import { MFA_CLASS, PASSWORD_CLASS, staffStoryOn } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const LOGIN = '/portal/login';
const LOGOUT = '/portal/logout';
const SLO_URL = 'https://idp.test/slo';
const HOSTILE = `Head & "office" <script>alert(1)</script>`;

const own = makeCertificate({ key: 'rsa' });
const KEYS = [
  `--app.ssl.bundle.pem.sp.keystore.certificate=file:${own.certificate}`,
  `--app.ssl.bundle.pem.sp.keystore.private-key=file:${own.key}`,
];

onSqlite('the home page', (engine) => {
  const staff = staffStoryOn(
    engine,
    {
      corp: { bundle: 'sp', 'display-name': HOSTILE },
      bare: { 'slo-url': '' },
      local: { 'on-missing-mfa': 'local-totp' },
    },
    { people: 12, args: KEYS },
  );
  const { story } = staff;

  async function signIn({ id, password: pw }: Person): Promise<{ client: HttpClient; answer: Answer }> {
    const client = story.client();
    return { client, answer: await submit(client, await visit(client, LOGIN), { id, pw }) };
  }

  /** The facts that the home page lists, by their labels. */
  function factsOf({ text }: Answer): Readonly<Record<string, string>> {
    const rows = text.matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd>/g);
    return Object.fromEntries(
      Array.from(rows, ([, label = '', value = '']) => [label, unescaped(value.replaceAll(/<[^>]*>/g, ''))]),
    );
  }

  async function isLive(client: HttpClient): Promise<boolean> {
    return (await client.get('/me')).status === 200;
  }

  describe('S5: the signed-in user on the home page', () => {
    it('a visitor without a session is redirected to the sign-in page', async () => {
      const answer = await visit(story.client(), '/');

      expect(answer).toBeAnswered(303);
      expect(answer.headers.get('location')).toBe(LOGIN);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.text).toBe('');
    });

    it('U8: after a sign-in by backup code, the home page states the codes left and offers to replace the phone', async () => {
      const person = await story.enrolled();
      const { client } = await signIn(person);
      const [code = ''] = person.backupCodes;
      await client.post('/2fa/verify', { code });

      const home = await visit(client, '/');
      const replace = await visit(client, '/portal/security/replace');

      expect(home.text).toContain('You signed in with a backup code.');
      expect(home.text).toContain('9 of 10 backup codes left.');
      expect(home.text).toContain('<a href="/portal/security/replace">Replace your lost phone');
      expect(home.text).toContain('<a href="/portal/security">Remove a lost passkey or app');
      // The backup code has just proven the second factor.
      expect(replace.text).not.toContain('name="code"');
      await client.post('/2fa/verify', { code: story.nextCode(person) });
      expect((await visit(client, '/')).text).not.toContain('You signed in with a backup code.');
    });

    it('a user signed in by password sees the username and the method', async () => {
      const person = story.person();
      const { client, answer } = await signIn(person);

      const page = await follow(client, answer);

      expect(page.headers.get('content-security-policy')).toBe(PAGE_POLICY);
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.text).toContain(`<h1>Hello, ${person.id}</h1>`);
      expect(factsOf(page)).toMatchObject({ 'Signed in as': person.id, How: 'With your password' });
      expect(page.text).toContain('Two-step sign-in is off.');
    });

    it('a user signed in with both factors sees the username and both methods', async () => {
      const person = await story.enrolled();
      const { client, answer } = await signIn(person);
      await submit(client, await follow(client, answer), { code: story.nextCode(person) });

      const page = await visit(client, '/');

      expect(factsOf(page)).toMatchObject({
        'Signed in as': person.id,
        How: 'With your password and a code of your authenticator app',
      });
      expect(page.text).toContain('Two-step sign-in is on.');
    });

    it('a user of an identity provider sees its name as escaped text', async () => {
      const { client } = await staff.signIn({ nameId: 'ada', authnContextClassRef: MFA_CLASS });

      const page = await visit(client, '/');

      expect(factsOf(page)).toMatchObject({
        'Signed in as': 'corp:ada',
        How: `Through ${HOSTILE}, with a second factor`,
      });
      expect(page.text).not.toContain('<script>');
    });

    it('a half-authenticated user sees a link to the second factor', async () => {
      const person = await story.enrolled();
      const { client } = await signIn(person);

      const { text } = await visit(client, '/');

      expect(text).toContain('href="/2fa/portal/verify?return_to=%2F">Continue</a>');
      expect(text).toContain(`You have started to sign in as ${person.id}.`);
    });

    it('a user who must enrol sees a link to setup', async () => {
      const { client } = await staff.signIn({ nameId: 'bob', authnContextClassRef: PASSWORD_CLASS }, { idp: 'local' });

      expect((await visit(client, '/')).text).toContain('href="/2fa/portal/setup?return_to=%2F">Continue</a>');
    });
  });

  describe('S5: sign-out on the home page', () => {
    it('sign-out ends the session and removes its cookies', async () => {
      const person = story.person();
      const { client } = await signIn(person);
      const copy = client.copy();
      const page = await visit(client, '/');

      const done = await submit(client, page, {});

      expect(done).toBeAnswered(303);
      expect(done.headers.get('location')).toBe(LOGIN);
      expect(setCookie(done, 'SESSION')?.value).toBe('');
      expect(setCookie(done, 'refresh_token')?.value).toBe('');
      expect(await isLive(copy)).toBe(false);
      expect(await follow(client, done)).toBeAnswered(200);
      expect((await visit(client, '/')).headers.get('location')).toBe(LOGIN);
      expect(await story.countOf(person, 'SESSION_REVOKED')).toBe(1);
    });

    it('a second sign-out redirects without an error', async () => {
      const { client } = await signIn(story.person());
      const page = await visit(client, '/');
      await submit(client, page, {});

      expect((await submit(client, page, {})).headers.get('location')).toBe(LOGIN);
    });

    it('sign-out ends a half-authenticated session', async () => {
      const person = await story.enrolled();
      const { client } = await signIn(person);
      const verify = await visit(client, '/2fa/portal/verify');

      await submit(client, await visit(client, '/'), {});

      const late = await submit(client, verify, { code: story.nextCode(person) });
      expect(late).toBeAnswered(303);
      expect(late.headers.get('location')).toContain(`${LOGIN}?ended=true`);
    });

    it('sign-out ends the local session first and reaches the identity provider through a page, not a redirect', async () => {
      const { client } = await staff.signIn({ nameId: 'carol', sessionIndex: 'one' });
      const copy = client.copy();

      const done = await submit(client, await visit(client, '/'), {});

      expect(done).toBeAnswered(200);
      expect(done.headers.get('location')).toBeNull();
      expect(done.headers.get('content-security-policy')).toBe(PAGE_POLICY);
      expect(setCookie(done, 'SESSION')?.value).toBe('');
      expect(await isLive(copy)).toBe(false);
      const link = unescaped(/<a class="button primary" href="([^"]+)">Continue<\/a>/.exec(done.text)?.[1] ?? '');
      const moved = unescaped(/<meta http-equiv="refresh" content="0; url=([^"]+)">/.exec(done.text)?.[1] ?? '');
      expect(moved).toBe(link);
      expect(link.startsWith(`${SLO_URL}?SAMLRequest=`)).toBe(true);
      expect(readLogoutRequest(link, own.pem)).toMatchObject({
        isVerified: true,
        nameId: 'carol',
        destination: SLO_URL,
      });
    });

    it.each(['bare', 'local'])(
      'sign-out is local when the identity provider %s cannot receive a logout request',
      async (idp) => {
        const { client } = await staff.signIn({ nameId: 'erin' }, { idp });

        const done = await submit(client, await visit(client, '/'), {});

        expect(done.headers.get('location')).toBe(LOGIN);
        expect(await isLive(client)).toBe(false);
      },
    );

    it('a sign-out form of another session, without its token or from another site is rejected', async () => {
      const { client } = await signIn(story.person());
      const { client: other } = await signIn(story.person());
      const { fields } = formOf(other, await visit(other, '/'));

      for (const form of [fields, {}, { csrf: '' }]) {
        const answer = await client.send('POST', LOGOUT, { form, headers: BROWSER });
        expect(answer).toBeAnswered(form === fields || 'csrf' in form ? 403 : 400);
      }
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      expect(await submit(client, await visit(client, '/'), {}, foreign)).toBeAnswered(403);

      expect(await isLive(client)).toBe(true);
    });

    it('a cross-site sign-out form without cookies is rejected and removes no cookies', async () => {
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

      const answer = await story
        .client()
        .send('POST', LOGOUT, { form: { csrf: 'x' }, headers: { ...BROWSER, ...foreign } });

      expect(answer).toBeAnswered(403);
      expect(answer.cookies).toEqual([]);
    });
  });
});

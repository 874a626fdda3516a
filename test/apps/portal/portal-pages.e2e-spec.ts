import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, type HttpClient, setCookie } from '../../support/http/http-client.js';
import { LEAK } from '../../support/programs/leak.js';
import { type Enrolled, PASSWORD, type Person, storyOn } from '../../support/login/login-story.js';
import { BROWSER, follow, formOf, PAGE_POLICY as POLICY, submit, visit } from '../../support/pages/pages.js';
import { onSqlite } from '../../support/database/story-database.js';

const CONTEXT = '/auth';
const LOGIN = '/portal/login';
const END_SESSION = '/portal/security/end-session';
const VERIFY = '/2fa/portal/verify';
const SETUP = '/2fa/portal/setup';
const CONFIRM = '/2fa/portal/confirm';
/** The button of the setup page that begins with an app. */
const APP = 'Use an authenticator app';
/** Content type of pages with the packaged configuration. */
const HTML = 'text/html;charset=UTF-8';
const BOSSES = ['', '-too', '-three', '-four', '-five', '-six', '-seven', '-eight', '-nine'].map((end) => `boss${end}`);
const HOSTILE = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;

onSqlite('portal pages', (engine) => {
  const story = storyOn(engine, {
    people: 90,
    services: 2,
    others: Object.fromEntries(BOSSES.map((id) => [id, 'ROLE_ADMIN'])),
    args: [`--server.servlet.context-path=${CONTEXT}`],
  });

  /** Submits the password on the sign-in page. */
  async function signIn(
    { id, password: pw }: Person,
    { client = story.client(), query = '' }: { client?: HttpClient; query?: string } = {},
  ): Promise<{ client: HttpClient; answer: Answer }> {
    return { client, answer: await submit(client, await visit(client, LOGIN + query), { id, pw }) };
  }

  /** Signs in by password up to the second-factor page. */
  async function atVerify(person: Enrolled, query = ''): Promise<{ client: HttpClient; page: Answer }> {
    const { client, answer } = await signIn(person, { query });
    return { client, page: await follow(client, answer) };
  }

  describe('the sign-in page', () => {
    it('the sign-in page is accessible, has no inline script or style, and loads only files of the service', async () => {
      const page = await visit(story.client(), LOGIN);

      expect(page).toBeAnswered(200);
      expect(page.headers.get('content-type')).toBe(HTML);
      expect(page.headers.get('content-security-policy')).toBe(POLICY);
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.text).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(page.text).not.toMatch(/<style|style=|\son\w+=|https?:/);
      const scripts = page.text.match(/<script[^]*?<\/script>/g) ?? [];
      expect(scripts).toEqual([expect.stringMatching(/^<script src="\/auth\/assets\/[\w-]+\.js" defer><\/script>$/)]);
      for (const [, path = ''] of page.text.matchAll(/ (?:src|href)="([^"]*)"/g)) expect(path).toMatch(/^\/auth\//);
      for (const [, id = ''] of page.text.matchAll(/<input id="(\w+)"/g)) {
        expect(page.text).toContain(`<label for="${id}">`);
      }
      expect(page.text).toContain('autocomplete="username"');
      expect(page.text).toContain('type="password" autocomplete="current-password"');
      expect(setCookie(page, 'sign_in_form')?.attributes).toEqual({
        httponly: true,
        secure: true,
        samesite: 'Lax',
        path: `${CONTEXT}/portal`,
      });
    });

    it('signs in a user without a second factor and redirects to the home page', async () => {
      const { client, answer } = await signIn(story.person());

      expect(answer).toBeAnswered(303);
      expect(answer.headers.get('location')).toBe(`${CONTEXT}/`);
      expect(answer.text).toBe('');
      expect(setCookie(answer, 'SESSION')?.value).toMatch(/^[\w-]{43}$/);
      expect((await client.get('/session')).body).toMatchObject({ amr: ['pwd'], authorities: ['ROLE_USER'] });
      expect(await follow(client, answer)).toBeAnswered(200);
    });

    it('continues to the second factor and then redirects to return_to', async () => {
      const person = await story.enrolled();
      const { client, answer } = await signIn(person, { query: '?return_to=%2Fauth%2Fme%3Fa%3Db%26c' });
      expect(answer.headers.get('location')).toBe(`${CONTEXT}${VERIFY}?return_to=%2Fauth%2Fme%3Fa%3Db%26c`);
      const half = client.cookie('SESSION') ?? '';
      expect(await client.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
      const page = await follow(client, answer);
      expect(page).toBeAnswered(200);
      expect(page.headers.get('content-security-policy')).toBe(POLICY);

      const done = await submit(client, page, { code: story.nextCode(person) });

      expect(done).toBeAnswered(303);
      expect(done.headers.get('location')).toBe(`${CONTEXT}/me?a=b&c`);
      expect(client.cookie('SESSION')).not.toBe(half);
      expect((await client.get('/session')).body).toMatchObject({ amr: ['pwd', 'otp'] });
      const old = story.client();
      old.plant('SESSION', half);
      expect(await old.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('a backup code completes the sign-in', async () => {
      const { client, accessToken: bearer, ...person } = await story.enrolled();
      const [code = ''] = (await client.post('/2fa/backup-codes', {}, { bearer })).body['backup_codes'] as string[];
      const at = await atVerify({ ...person, client, accessToken: bearer });

      const done = await submit(at.client, at.page, { code: code.toLowerCase() });

      expect(done.headers.get('location')).toBe(`${CONTEXT}/`);
      expect((await at.client.get('/session')).body).toMatchObject({ amr: ['pwd', 'otp'] });
    });

    it('a wrong password shows the form again with the login id but not the password', async () => {
      const { id } = story.person();

      const { client, answer } = await signIn({ id, password: 'not the one' });

      expect(answer).toBeAnswered(401);
      expect(answer.headers.get('content-type')).toBe(HTML);
      expect(answer.headers.get('content-security-policy')).toBe(POLICY);
      expect(answer.text).toContain('role="alert"');
      expect(answer.text).toContain('Wrong username or password.');
      expect(answer.text).toContain('For support: INVALID_CREDENTIALS, request ');
      expect(answer.text).toContain(
        `INVALID_CREDENTIALS, request ${answer.headers.get('x-request-id') ?? '-'}</small>`,
      );
      expect(answer.text).not.toContain('not the one');
      expect(formOf(client, answer).fields).toMatchObject({ id, pw: '' });
      expect(client.cookie('SESSION')).toBeUndefined();
      expect(await submit(client, answer, { pw: PASSWORD })).toBeAnswered(303);
    });

    it.each([false, true])(
      'a malformed login id shows the form again (browser is signed in: %s)',
      async (isSignedIn) => {
        const client = story.client();
        const page = await visit(client, LOGIN);
        const { id, password: pw } = story.person();
        if (isSignedIn) await submit(client, page, { id, pw });
        expect(client.cookie('SESSION') !== undefined).toBe(isSignedIn);

        const answer = await submit(client, page, { id: 'an\u202ena', pw });

        expect(answer).toBeAnswered(400);
        expect(answer.text).toContain('Some of the input is not valid. Check it and try again.');
        // Errors that users can correct show no code for support.
        expect(answer.text).not.toContain('For support');
        expect(formOf(client, answer).fields).toMatchObject({ id: 'an\u202ena', pw: '' });
        expect(await submit(client, answer, { id, pw })).toBeAnswered(303);
      },
    );

    it('a wrong password and an unknown login id get the same page', async () => {
      const told = async (id: string): Promise<string> => {
        const { answer } = await signIn({ id, password: 'not the one' });
        const requestId = answer.headers.get('x-request-id') ?? '-';
        const { csrf = '-' } = formOf(story.client(), answer).fields;
        const text = answer.text
          .replaceAll(/&amp;answer=[\w-]+/g, '')
          .replace(requestId, '')
          .replace(csrf, '');
        return `${answer.status} ${text.replace(`"${id}"`, '')}`;
      };

      expect(await told(story.person().id)).toBe(await told('nobody-at-all'));
    });

    it('S5: a signed-in browser is redirected when it opens the page or submits the same form again', async () => {
      const client = story.client();
      const person = story.person();
      const { id, password: pw } = person;
      const form = await visit(client, `${LOGIN}?return_to=/auth/me`);
      await submit(client, form, { id, pw });
      const session = client.cookie('SESSION');

      const opened = await visit(client, LOGIN);
      const openedForPath = await visit(client, `${LOGIN}?return_to=/auth/me`);
      const sentAgain = await submit(client, form, { id: id.toUpperCase(), pw: 'not looked at' });

      expect([opened, openedForPath, sentAgain].map(({ status }) => status)).toEqual([303, 303, 303]);
      expect(opened.headers.get('location')).toBe(`${CONTEXT}/`);
      expect(openedForPath.headers.get('location')).toBe('/auth/me');
      expect(sentAgain.headers.get('location')).toBe('/auth/me');
      expect(client.cookie('SESSION')).toBe(session);
      expect(await story.countOf(person, 'LOGIN_PASSWORD_OK')).toBe(1);
      expect(await story.countOf(person, 'LOGIN_PASSWORD_FAILED')).toBe(0);
    });

    it('S5: another user can sign in with a form that was opened before, and gets a new session', async () => {
      const client = story.client();
      const form = await visit(client, LOGIN);
      const [first, second] = [story.person(), story.person()];
      await submit(client, form, { id: first.id, pw: PASSWORD });
      const before = client.cookie('SESSION');

      expect(await submit(client, form, { id: second.id, pw: PASSWORD })).toBeAnswered(303);

      expect(client.cookie('SESSION')).not.toBe(before);
      expect((await client.get('/me')).body).toMatchObject({ id: second.id });
    });

    it('S5: again=true shows the sign-in page to a signed-in browser', async () => {
      const { client } = await signIn(story.person());
      const before = client.cookie('SESSION');
      const { id, password: pw } = story.person();

      const page = await visit(client, `${LOGIN}?again=true`);
      const wrong = await submit(client, page, { id, pw: 'not the one' });
      const done = await submit(client, wrong, { id, pw });

      expect([page, wrong, done].map(({ status }) => status)).toEqual([200, 401, 303]);
      expect(client.cookie('SESSION')).not.toBe(before);
    });

    it('S5: the sign-in page appears when the session has ended or is half-authenticated', async () => {
      const { client: ended } = await signIn(story.person());
      await ended.send('DELETE', '/session');
      const { client: half } = await signIn(await story.enrolled());
      const { client: idle } = await signIn(story.person());
      story.clock.advance(31 * 60);

      for (const client of [ended, half, idle]) expect(await visit(client, LOGIN)).toBeAnswered(200);
    });

    it('opening the sign-in page again keeps the forms of other tabs valid', async () => {
      const client = story.client();
      const { id, password: pw } = story.person();
      const first = await visit(client, LOGIN);
      const second = await visit(client, LOGIN);

      expect(second.cookies).toEqual([]);
      expect(formOf(client, second).fields['csrf']).not.toBe(formOf(client, first).fields['csrf']);
      expect(await submit(client, first, { id, pw })).toBeAnswered(303);
    });

    it('a form of one replica can be submitted to another', async () => {
      const { id, password: pw } = story.person();
      const first = story.client();
      const page = await visit(first, LOGIN);
      const second = story.client(1);
      second.plant('sign_in_form', first.cookie('sign_in_form') ?? '', `${CONTEXT}/portal`);

      expect(await submit(second, page, { id, pw })).toBeAnswered(303);
    });
  });

  describe('the second-factor page', () => {
    it('a wrong one-time code shows the form again', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person, '?return_to=/auth/me');

      const wrong = await submit(client, page, { code: story.wrongCode(person) });

      expect(wrong).toBeAnswered(401);
      expect(wrong.text).toContain('For support: MFA_CODE_INVALID, request ');
      expect(wrong.cookies.map(({ name }) => name)).toEqual(['form_answer']);
      const right = await submit(client, wrong, { code: story.nextCode(person) });
      expect(right.headers.get('location')).toBe('/auth/me');
    });

    it('a malformed code is rejected but not counted', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);

      for (let time = 0; time < 6; time += 1) {
        const answer = await submit(client, page, { code: 'my code' });
        expect(answer).toBeAnswered(400);
        expect(answer.text).toContain('The code has six digits.');
        // Errors that users can correct show no code for support.
        expect(answer.text).not.toContain('For support');
      }

      expect(await submit(client, page, { code: story.nextCode(person) })).toBeAnswered(303);
    });

    it('the wrong code that locks, a right code and the page itself show how long the lock lasts', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person, '?return_to=/auth/me');
      for (let variant = 0; variant < 4; variant += 1) {
        const wrong = await submit(client, page, { code: story.wrongCode(person, variant) });
        expect(wrong.text).toContain('<h1>Enter your code</h1>');
      }

      const locking = await submit(client, page, { code: story.wrongCode(person, 4) });
      const locked = await submit(client, page, { code: story.nextCode(person) });
      const opened = await visit(client, VERIFY);

      expect([locking, locked, opened].map(({ status }) => status)).toEqual([401, 429, 200]);
      expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(200);
      for (const { text } of [locking, locked, opened]) {
        expect(text).toContain('<h1>Sign-in is locked</h1>');
        expect(text).toMatch(/<p>You can try again in [45] minutes\.<\/p>/);
        expect(text).not.toContain('name="code"');
      }
      expect(locking.text).toContain(`href="${CONTEXT}${LOGIN}?return_to=%2Fauth%2Fme">Try again</a>`);
    });

    it('a user who is locked during a step-up returns to the code page, and stays signed in', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);
      await submit(client, page, { code: story.nextCode(person) });
      story.clock.advance(600);
      const stepUp = await visit(client, `${VERIFY}?return_to=/auth/me`);
      for (let variant = 0; variant < 5; variant += 1) {
        await submit(client, stepUp, { code: story.wrongCode(person, variant) });
      }

      const { text } = await visit(client, `${VERIFY}?return_to=/auth/me`);

      expect(text).toContain(`href="${CONTEXT}${VERIFY}?return_to=%2Fauth%2Fme">Try again</a>`);
      expect(await client.get('/me')).toBeAnswered(200);
    });

    it('a one-time code steps up a complete session', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);
      await submit(client, page, { code: story.nextCode(person) });
      const before = client.cookie('SESSION');
      const { mfa_at: first } = (await client.get('/me')).body;
      story.clock.advance(600);

      const again = await visit(client, `${VERIFY}?return_to=/auth/me/settlement`);
      const done = await submit(client, again, { code: story.nextCode(person) });

      expect(done.headers.get('location')).toBe('/auth/me/settlement');
      expect(client.cookie('SESSION')).not.toBe(before);
      expect((await client.get('/me')).body['mfa_at']).not.toBe(first);
    });

    it('S5: a fully signed-in browser is redirected when it reopens the page or submits the same form again', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person, '?return_to=/auth/me');
      const code = story.nextCode(person);
      await submit(client, page, { code });

      const opened = await visit(client, `${VERIFY}?return_to=/auth/me`);
      const sentAgain = await submit(client, page, { code });

      expect([opened, sentAgain].map(({ status }) => status)).toEqual([303, 303]);
      expect(opened.headers.get('location')).toBe('/auth/me');
      expect(sentAgain.headers.get('location')).toBe('/auth/me');
      expect(await story.countOf(person, 'MFA_REPLAY')).toBe(0);
    });

    it('S5: a repeated step-up form is redirected, but its used code is rejected in a later form', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);
      await submit(client, page, { code: story.nextCode(person) });
      story.clock.advance(600);
      const stepUp = await visit(client, VERIFY);
      const code = story.nextCode(person);
      await submit(client, stepUp, { code });

      const sentAgain = await submit(client, stepUp, { code });
      story.clock.advance(600);
      const later = await submit(client, await visit(client, VERIFY), { code });

      expect(sentAgain).toBeAnswered(303);
      expect(later).toBeAnswered(401);
      expect(later.text).toContain('For support: MFA_CODE_INVALID, request ');
    });

    it('the second-factor pages ask unauthenticated visitors to sign in', async () => {
      for (const path of [VERIFY, SETUP, CONFIRM]) {
        const page = await visit(story.client(), path);

        expect(page).toBeAnswered(401);
        expect(page.headers.get('www-authenticate')).toBe('Bearer');
        expect(page.text).toContain('For support: INVALID_TOKEN, request ');
        const back = encodeURIComponent(CONTEXT + path);
        expect(page.text).toContain(`href="${CONTEXT}${LOGIN}?return_to=${back}">Sign in</a>`);
      }
    });

    it('a code is rejected after the half-authenticated session has expired', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);
      story.clock.advance(180);

      const late = await submit(client, page, { code: story.codeOf(person.app) });

      expect(late).toBeAnswered(303);
      expect(late.headers.get('location')).toContain(`${LOGIN}?ended=true&return_to=`);
      expect((await client.get('/me')).status).toBe(401);
    });
  });

  describe('the setup pages of the second factor', () => {
    /** Signs in a user whose policy requires enrolment, up to the setup page. */
    async function atSetup(id: string): Promise<{ client: HttpClient; page: Answer }> {
      const { client, answer } = await signIn({ id, password: PASSWORD }, { query: '?return_to=/auth/me' });
      expect(answer.headers.get('location')).toBe(`${CONTEXT}${SETUP}?return_to=%2Fauth%2Fme`);
      return { client, page: await follow(client, answer) };
    }

    function appOf({ text }: Answer): AuthenticatorApp {
      return AuthenticatorApp.typeIn(/ id="secret" data-text="([A-Z2-7]{32})"/.exec(text)?.[1] ?? '');
    }

    function codesOf({ text }: Answer): readonly string[] {
      return Array.from(text.matchAll(/<li>([0-9A-Z]{4}-[0-9A-Z]{4})<\/li>/g), ([, code = '']) => code);
    }

    /** Begins the setup, up to the page with the secret. */
    async function begin(client: HttpClient, page: Answer): Promise<Answer> {
      return follow(client, await submit(client, page, {}, {}, APP));
    }

    /** Confirms with the app. */
    async function confirm(client: HttpClient, page: Answer, app: AuthenticatorApp): Promise<Answer> {
      return follow(client, await submit(client, page, { code: story.codeOf(app) }));
    }

    it('setup creates a secret only on submit, shows it with a QR code, and shows backup codes after the confirmation', async () => {
      const { client, page } = await atSetup('boss');
      expect(page).toBeAnswered(200);
      expect(page.text).not.toContain('secret"');
      expect(await story.countOf({ id: 'boss' }, 'MFA_SETUP')).toBe(0);

      const begun = await submit(client, page, {}, {}, APP);
      const shown = await follow(client, begun);
      const done = await confirm(client, shown, appOf(shown));

      expect(begun).toBeAnswered(303);
      expect(begun.headers.get('location')).toBe(`${CONTEXT}${SETUP}?return_to=%2Fauth%2Fme`);
      expect(shown.headers.get('content-security-policy')).toBe(POLICY);
      expect(shown.headers.get('cache-control')).toBe('no-store');
      expect(shown.text).toMatch(/<img class="qr" src="data:image\/svg\+xml;base64,[\w+/=]+" alt="[^"]+"/);
      expect(shown.text).toMatch(/<a class="button" href="otpauth:\/\/totp\//);
      expect(codesOf(shown)).toEqual([]);
      expect(done).toBeAnswered(200);
      expect(done.headers.get('cache-control')).toBe('no-store');
      expect(codesOf(done)).toHaveLength(10);
      expect(done.text).toContain('name="return_to" value="/auth/me"');
      expect(done.text).toContain('I saved them</button>');
      expect(done.text).not.toContain(appOf(shown).secret);
      expect((await client.get('/session')).body).toMatchObject({ amr: ['pwd', 'otp'] });
    });

    it('the backup codes of the confirmation page work, once', async () => {
      const { client, page } = await atSetup('boss-three');
      const shown = await begin(client, page);
      const [code = ''] = codesOf(await confirm(client, shown, appOf(shown)));
      const later = async (): Promise<Answer> => {
        const { client: other, answer } = await signIn({ id: 'boss-three', password: PASSWORD });
        return submit(other, await follow(other, answer), { code });
      };

      expect(await later()).toBeAnswered(303);
      expect(await later()).toBeAnswered(401);
    });

    it('A9: reopening the setup page shows the same secret', async () => {
      const { client, page } = await atSetup('boss-too');
      const shown = await begin(client, page);
      story.clock.advance(300);

      const again = await visit(client, `${SETUP}?return_to=/auth/me`);

      expect(again).toBeAnswered(200);
      expect(appOf(again).secret).toBe(appOf(shown).secret);
      expect(/<img class="qr" src="[^"]+"/.exec(again.text)?.[0]).toBe(
        /<img class="qr" src="[^"]+"/.exec(shown.text)?.[0],
      );
      expect(await story.countOf({ id: 'boss-too' }, 'MFA_SETUP')).toBe(1);
      expect((await confirm(client, again, appOf(shown))).text).toContain('I saved them</button>');
    });

    it('A9: submitting the setup form again keeps the secret', async () => {
      const { client, page } = await atSetup('boss-eight');
      const shown = await begin(client, page);
      story.clock.advance(1);

      const again = await begin(client, page);

      expect(appOf(again).secret).toBe(appOf(shown).secret);
      expect(await confirm(client, shown, appOf(shown))).toBeAnswered(200);
    });

    it('A9: the secret appears again with a wrong code and after it', async () => {
      const { client, page } = await atSetup('boss-four');
      const shown = await begin(client, page);

      const wrong = await submit(client, shown, { code: appOf(shown).wrongCodeAt(story.clock.seconds) });
      const visited = await visit(client, `${SETUP}?return_to=/auth/me`);

      expect(wrong).toBeAnswered(401);
      expect(wrong.text).toContain('For support: MFA_CODE_INVALID, request ');
      for (const again of [wrong, visited]) expect(appOf(again).secret).toBe(appOf(shown).secret);
      expect(await confirm(client, wrong, appOf(shown))).toBeAnswered(200);
    });

    it('A9: two concurrent setup forms lead to the same secret', async () => {
      const { client, page } = await atSetup('boss-five');

      const pages = await Promise.all([begin(client, page), begin(client, page)]);

      const [first, second] = pages.map((each) => appOf(each).secret);
      expect(first).toMatch(/^[A-Z2-7]{32}$/);
      expect(first).toBe(second);
    });

    it('A9: an unfinished enrolment continues on the sign-in page, and ends after ten minutes', async () => {
      const { client, page } = await atSetup('boss-nine');
      const shown = await begin(client, page);
      story.clock.advance(590);

      const signInPage = await visit(client, `${LOGIN}?return_to=/auth/me`);
      const link = /href="\/auth(\/2fa\/portal\/setup[^"]*)"/.exec(signInPage.text)?.[1] ?? '';
      const continued = await visit(client, link);
      story.clock.advance(10);

      expect(appOf(continued).secret).toBe(appOf(shown).secret);
      expect(link).toBe(`${SETUP}?return_to=%2Fauth%2Fme`);
      expect(await visit(client, SETUP)).toBeAnswered(401);
      expect((await visit(client, LOGIN)).text).not.toContain(SETUP);
    });

    it('A9: a full session sees the secret only while its sign-in is recent, but can still confirm it later', async () => {
      const { client } = await signIn(story.person());
      const shown = await begin(client, await visit(client, SETUP));
      expect(appOf(await visit(client, SETUP)).secret).toBe(appOf(shown).secret);
      story.clock.advance(301);

      const late = await visit(client, SETUP);

      expect(late).toBeAnswered(200);
      expect(late.text).not.toContain(appOf(shown).secret);
      expect(late.text).not.toMatch(/class="qr"|otpauth:/);
      expect(await confirm(client, late, appOf(shown))).toBeAnswered(200);
    });

    it('A9: the secret is hidden after a lock, after sign-out and after its expiry', async () => {
      const { client, page } = await atSetup('boss-six');
      const shown = await begin(client, page);
      const copy = client.copy();
      let locking = shown;
      for (let variant = 0; variant < 5; variant += 1) {
        locking = await submit(client, shown, { code: appOf(shown).wrongCodeAt(story.clock.seconds, variant) });
      }
      const locked = await visit(client, SETUP);
      await client.send('DELETE', '/session');
      const ended = await visit(copy, SETUP);
      const { client: full } = await signIn(story.person());
      const own = await begin(full, await visit(full, SETUP));
      story.clock.advance(600);
      const expired = await visit(full, SETUP);

      expect(locked).toBeAnswered(200);
      expect(locking.text).toContain('<h1>Sign-in is locked</h1>');
      expect(ended).toBeAnswered(401);
      expect(expired).toBeAnswered(200);
      for (const { text } of [locking, locked, ended]) expect(text).not.toContain(appOf(shown).secret);
      expect(expired.text).not.toContain(appOf(own).secret);
      expect(expired.text).toContain(`>${APP}</button>`);
    });

    it('A9: the secret is hidden from another sign-in of the same user', async () => {
      const person = story.person();
      const { client } = await signIn(person);
      const shown = await begin(client, await visit(client, SETUP));
      const { client: other } = await signIn(person);

      for (const path of [SETUP, CONFIRM]) {
        const { status, text, headers } = await visit(other, path);
        expect(status === 200 || headers.get('location') === `${CONTEXT}${SETUP}?return_to=%2Fauth%2F`).toBe(true);
        expect(text).not.toContain(appOf(shown).secret);
        expect(text).not.toMatch(/class="qr"|otpauth:/);
      }
    });

    it('A9: the address of the confirmation form redirects to the setup page, with and without a pending secret', async () => {
      const { client, page } = await atSetup('boss-seven');
      const before = await visit(client, `${CONFIRM}?return_to=/auth/me`);
      await begin(client, page);
      const after = await visit(client, `${CONFIRM}?return_to=/auth/me`);

      for (const answer of [before, after]) {
        expect(answer).toBeAnswered(303);
        expect(answer.headers.get('location')).toBe(`${CONTEXT}${SETUP}?return_to=%2Fauth%2Fme`);
      }
    });

    it('the setup page reports a setup of another sign-in and can start again', async () => {
      const person = story.person();
      const first = await signIn(person);
      const old = appOf(await begin(first.client, await visit(first.client, SETUP)));
      const { client } = await signIn(person);

      const page = await visit(client, SETUP);
      const shown = await begin(client, page);
      const byOld = await submit(client, shown, { code: story.codeOf(old) });
      const byNew = await submit(client, shown, { code: story.codeOf(appOf(shown)) });

      expect(page.text).toContain('Another sign-in of yours has begun this setup.');
      expect(page.text).not.toContain(old.secret);
      expect(page.text).not.toContain(CONFIRM);
      expect(appOf(shown).secret).not.toBe(old.secret);
      expect([shown.status, byOld.status, byNew.status]).toEqual([200, 401, 303]);
    });

    it('a setup form that was opened before another sign-in began the setup replaces nothing', async () => {
      const person = story.person();
      const [{ client: first }, { client: second }] = [await signIn(person), await signIn(person)];
      const stale = await visit(second, SETUP);
      const shown = await begin(first, await visit(first, SETUP));

      const refused = await submit(second, stale, {}, {}, APP);

      expect(refused).toBeAnswered(409);
      expect(refused.text).toContain('Another sign-in of yours has begun this setup.');
      expect(await confirm(first, shown, appOf(shown))).toBeAnswered(200);
    });

    it('setup requires a recent sign-in', async () => {
      const { client } = await signIn(story.person());
      const page = await visit(client, SETUP);
      story.clock.advance(301);

      const answer = await submit(client, page, {}, {}, APP);

      expect(answer).toBeAnswered(401);
      expect(answer.headers.get('www-authenticate')).toContain('insufficient_user_authentication');
      expect(answer.text).toContain('For support: STEP_UP_REQUIRED, request ');
      expect(answer.text).toContain(
        `href="${CONTEXT}${LOGIN}?return_to=%2Fauth%2F2fa%2Fportal%2Fsetup%3Freturn_to%3D%252Fauth%252F&amp;again=true">Sign in again</a>`,
      );
    });

    it('setup is forbidden in the half-authenticated session of an enrolled user', async () => {
      const { client, page } = await atVerify(await story.enrolled());
      const { csrf = '' } = formOf(client, page).fields;

      const shown = await visit(client, SETUP);
      const answer = await client.send('POST', SETUP, { form: { csrf }, headers: BROWSER });

      expect(shown.headers.get('location')).toBe(`${CONTEXT}${VERIFY}?return_to=%2Fauth%2F`);
      expect(answer).toBeAnswered(403);
      expect(answer.text).toContain('For support: MFA_REQUIRED, request ');
    });
  });

  describe('S5: CSRF protection of forms', () => {
    it('the sign-in form is rejected without the CSRF token of a page in the same browser', async () => {
      const { id, password: pw } = story.person();
      const [client, other] = [story.client(), story.client()];
      const { csrf = '' } = formOf(client, await visit(client, LOGIN)).fields;
      const { csrf: foreign = '' } = formOf(other, await visit(other, LOGIN)).fields;
      const [nonce = '', signed = ''] = csrf.split('.');
      const tokens: readonly (string | undefined)[] = [
        ...[undefined, '', '.', foreign, nonce, `${nonce}.`, `.${signed}`, `${csrf}x`, csrf.toLowerCase()],
        ...[
          `${'A'.repeat(22)}.${signed}`,
          `${nonce}.${'A'.repeat(43)}`,
          `${nonce}.${signed.slice(1)}`,
          `${csrf}.${csrf}`,
        ],
      ];

      for (const token of tokens) {
        const form = { id, pw, ...(token !== undefined && { csrf: token }) };
        const answer = await client.send('POST', LOGIN, { form });
        expect(answer, token).toBeRefused(403, 'CROSS_SITE');
      }
      client.forget('sign_in_form');
      expect(await client.send('POST', LOGIN, { form: { id, pw, csrf } })).toBeRefused(403, 'CROSS_SITE');
      client.plant('sign_in_form', 'A'.repeat(43), `${CONTEXT}/portal`);
      expect(await client.send('POST', LOGIN, { form: { id, pw, csrf } })).toBeRefused(403, 'CROSS_SITE');
      expect(client.cookie('SESSION')).toBeUndefined();
    });

    it.each([
      [VERIFY, { code: '000000' }],
      [SETUP, {}],
      [CONFIRM, { code: '000000' }],
    ])('%s rejects the CSRF token of another session and changes nothing', async (path, typed) => {
      const person = story.person();
      const { client } = await signIn(person);
      const { client: other } = await signIn(story.person());
      const { csrf: foreign = '' } = formOf(other, await visit(other, SETUP), APP).fields;
      const { csrf: ofStranger = '' } = formOf(client, await visit(client, `${LOGIN}?again=true`)).fields;

      for (const csrf of [undefined, '', foreign, ofStranger]) {
        const form = { ...typed, ...(csrf !== undefined && { csrf }) };
        expect(await client.send('POST', path, { form })).toBeRefused(403, 'CROSS_SITE');
      }

      expect(await story.countOf(person, 'MFA_SETUP')).toBe(0);
      expect(await story.countOf(person, 'MFA_FAILED')).toBe(0);
    });

    it.each([
      [VERIFY, { code: '000000' }],
      [SETUP, {}],
      [CONFIRM, { code: '000000' }],
    ])('%s redirects a fully signed-in user only when the form belongs to that sign-in', async (path, typed) => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);
      const { csrf: ofHalf = '' } = formOf(client, page).fields;
      await submit(client, page, { code: story.nextCode(person) });
      const { client: other } = await signIn(story.person());
      const { csrf: foreign = '' } = formOf(other, await visit(other, SETUP), APP).fields;
      const send = (csrf: string): Promise<Answer> =>
        client.send('POST', path, { form: { ...typed, csrf }, headers: BROWSER });

      for (const csrf of ['', 'x', foreign, foreign.slice(1)]) {
        const refused = await send(csrf);
        expect(refused, csrf).toBeAnswered(403);
        expect(refused.text).toContain('For support: CROSS_SITE, request ');
      }
      expect((await send(ofHalf)).headers.get('location')).toBe(`${CONTEXT}/`);
      expect(await story.countOf(person, 'MFA_FAILED')).toBe(0);
    });

    it.each([
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site' }, 403],
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ 'sec-fetch-site': 'none' }, 303],
      [{ 'sec-fetch-site': 'same-origin' }, 303],
    ])('a sign-in form with its token and the headers %j gets status %i', async (headers, status) => {
      const client = story.client();
      const { id, password: pw } = story.person();
      const page = await visit(client, LOGIN);

      const answer = await submit(client, page, { id, pw }, headers);

      expect(answer).toBeAnswered(status);
      expect(client.cookie('SESSION') !== undefined).toBe(status === 303);
      expect(answer.text.includes('For support: CROSS_SITE, request ')).toBe(status === 403);
    });
  });

  describe('escaping of untrusted input', () => {
    it('the login id is escaped in the sign-in form', async () => {
      const { client, answer } = await signIn({ id: HOSTILE, password: 'x' });

      expect(answer.text).not.toMatch(/<script>|<img src=x/);
      expect(formOf(client, answer).fields['id']).toBe(HOSTILE);
    });

    it.each([LOGIN, VERIFY, SETUP])('return_to is escaped in %s', async (path) => {
      const client =
        path === LOGIN
          ? story.client()
          : path === SETUP
            ? (await signIn(story.person())).client
            : (await atVerify(await story.enrolled())).client;
      const hostile = ['/auth/"><script>alert(1)</script>', `/auth/'onfocus='alert(1)`, HOSTILE, 'javascript:alert(1)'];

      for (const returnTo of hostile) {
        const page = await visit(client, `${path}?return_to=${encodeURIComponent(returnTo)}`);
        expect(page).toBeAnswered(200);
        expect(page.text).not.toMatch(/<script>|<img src=x|javascript:|'onfocus/);
      }
    });

    it.each([
      'https://evil.example/auth/',
      '//evil.example/auth/',
      '/\\evil.example',
      '/auth/\t/evil.example',
      '/auth//evil.example',
      '/auth/%2f%2fevil.example',
      '/auth/%255cevil.example',
      '/auth/../evil',
      '/other',
      `/auth/${'x'.repeat(2000)}`,
    ])('X16: return_to %j leads to the home page, from the query and from the form', async (returnTo) => {
      const query = `?return_to=${encodeURIComponent(returnTo)}`;
      const { answer } = await signIn(story.person(), { query });
      const client = story.client();
      const { id, password: pw } = story.person();
      const page = await visit(client, LOGIN);

      const planted = await submit(client, page, { id, pw, return_to: returnTo });

      for (const { headers, status } of [answer, planted]) {
        expect(status).toBe(303);
        expect(headers.get('location')).toBe(`${CONTEXT}/`);
      }
    });

    it('X16: a repeated return_to is rejected with 400', async () => {
      const page = await visit(story.client(), `${LOGIN}?return_to=/auth/me&return_to=//evil.example`);

      expect(page).toBeAnswered(400);
      // A link to this page in another language keeps the query.
      expect(page.text.replaceAll(/href="\/auth\/portal\/login\?[^"]*"/g, '')).not.toContain('evil');
    });
  });

  describe('errors of portal pages', () => {
    /** The responses to a wrong password and to a visitor without a session. */
    async function errorResponses(accept: string | undefined): Promise<readonly Answer[]> {
      const client = story.client();
      const { path, fields } = formOf(client, await visit(client, LOGIN));
      const headers = accept === undefined ? {} : { accept };
      const form = { ...fields, id: 'nobody', pw: 'x' };
      return [await client.send('POST', path, { form, headers }), await client.send('POST', END_SESSION, { headers })];
    }

    it.each(['text/html', BROWSER.accept, 'text/*', 'text/html;q=0.5, application/json;q=0.4'])(
      'errors are HTML pages for Accept: %s',
      async (accept) => {
        for (const answer of await errorResponses(accept)) {
          expect(answer).toBeAnswered(401);
          expect(answer.headers.get('content-type')).toBe(HTML);
        }
      },
    );

    it.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/html;q=0.4, */*;q=0.5'])(
      'errors are JSON for Accept: %s',
      async (accept) => {
        const [wrong, stranger] = await errorResponses(accept);

        expect(wrong).toBeRefused(401, 'INVALID_CREDENTIALS');
        expect(stranger).toBeRefused(401, 'INVALID_TOKEN');
      },
    );

    it('errors of routes without pages are JSON even for a browser', async () => {
      const answer = await visit(story.client(), '/me');

      expect(answer).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('a page requested with Accept: application/json gets 406', async () => {
      const answer = await story.client().get(LOGIN, { headers: { accept: 'application/json' } });

      expect(answer).toBeRefused(406, 'NOT_ACCEPTABLE');
    });

    it('invalid forms, media types and sizes get HTML errors without internal details', async () => {
      const client = story.client();
      const { csrf = '' } = formOf(client, await visit(client, LOGIN)).fields;
      const send = (form: Readonly<Record<string, string>>): Promise<Answer> =>
        client.send('POST', LOGIN, { form, headers: BROWSER });

      const answers = [
        await send({ csrf, id: 'x' }),
        await send({ csrf, id: 'x', pw: 'x', more: 'x' }),
        await client.send('POST', LOGIN, { json: {}, headers: BROWSER }),
        await send({ csrf, id: 'x', pw: 'x'.repeat(3_000_000) }),
      ];

      expect(answers.map(({ status }) => status)).toEqual([400, 400, 415, 413]);
      for (const { headers, text } of answers) {
        expect(headers.get('content-type')).toBe(HTML);
        expect(text).toContain(`href="${CONTEXT}/">Go to the home page</a>`);
        expect(text).not.toMatch(LEAK);
      }
    });
  });
});

onSqlite('the throttled sign-in page', (engine) => {
  const story = storyOn(engine, { people: 2, throttled: true });

  it('a throttled sign-in shows the time to wait and the form again', async () => {
    const client = story.client();
    const { id } = story.person();
    const page = await visit(client, LOGIN);
    let answer = page;
    for (let time = 0; time < 20 && answer.status !== 429; time += 1) {
      answer = await submit(client, page, { id, pw: 'not the one' });
    }

    expect(answer).toBeAnswered(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.text).toMatch(/<p>Try again in \d+ (?:second|seconds|minutes)\.<\/p>/);
    expect(answer.text).toContain('For support: RATE_LIMITED, request ');
    expect(formOf(client, answer).fields).toMatchObject({ id, pw: '' });
  });
});

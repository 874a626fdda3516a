import { describe, expect, it } from 'vitest';
import { onAnyEngine } from '../../support/database/story-database.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { type Enrolled, PASSWORD, storyOn } from '../../support/login/login-story.js';
import { BROWSER, follow, formOf, submit, unescaped, visit } from '../../support/pages/pages.js';

const CONTEXT = '/auth';
const LOGIN = '/portal/login';
const VERIFY = '/2fa/portal/verify';
const SECURITY = '/portal/security';
const TARGET = `${CONTEXT}${SECURITY}?done=language`;
const RETURN_TO = `?return_to=${encodeURIComponent(TARGET)}`;

onAnyEngine('the flow of a sign-in', (engine) => {
  const story = storyOn(engine, {
    people: 40,
    others: { boss: 'ROLE_ADMIN' },
    args: [`--server.servlet.context-path=${CONTEXT}`],
  });

  /** The address without the context path that a page has put into the history. */
  function addressOf({ text }: Answer): string {
    return unescaped(/<meta name="page-address" content="([^"]*)">/.exec(text)?.[1] ?? '').replace(CONTEXT, '');
  }

  async function atVerify(person: Enrolled, query = ''): Promise<{ client: HttpClient; page: Answer }> {
    const client = story.client();
    const passed = await submit(client, await visit(client, LOGIN + query), { id: person.id, pw: person.password });
    return { client, page: await follow(client, passed) };
  }

  describe('answers to forms', () => {
    it('U1: a wrong password keeps its status, and a GET of its address shows the same page', async () => {
      const client = story.client();
      const wrong = await submit(client, await visit(client, LOGIN + RETURN_TO), {
        id: 'Nobody "1"',
        pw: 'not the one',
      });

      const again = await visit(client, addressOf(wrong));

      expect(wrong).toBeAnswered(401);
      expect(again).toBeAnswered(200);
      for (const { text } of [wrong, again]) {
        expect(text).toContain('Wrong username or password.');
        expect(text).toContain('value="Nobody &quot;1&quot;"');
        expect(text).not.toContain('not the one');
      }
      expect(formOf(client, again).fields['return_to']).toBe(TARGET);
      expect(addressOf(wrong)).not.toContain('Nobody');
    });

    it('U1: the error is shown at its own address only, for two minutes and until the next form', async () => {
      const person = story.person();
      const client = story.client();
      const wrong = await submit(client, await visit(client, LOGIN), { id: person.id, pw: 'not the one' });
      const address = addressOf(wrong);

      expect((await visit(client, LOGIN)).text).not.toContain('role="alert"');
      expect((await visit(client, address.replace(/answer=.*/, 'answer=other'))).text).not.toContain('role="alert"');
      expect((await visit(client, address)).text).toContain('role="alert"');
      story.clock.advance(121);
      expect((await visit(client, address)).text).not.toContain('role="alert"');
      const done = await submit(client, wrong, { id: person.id, pw: person.password });
      expect(done).toBeAnswered(303);
      expect(client.cookie('form_answer')).toBeUndefined();
    });

    it('U1: a forged or foreign cookie shows the plain form', async () => {
      const client = story.client();
      const wrong = await submit(client, await visit(client, LOGIN), { id: '<img src=x>', pw: 'not the one' });
      const sealed = client.cookie('form_answer') ?? '';

      for (const value of ['', 'x', '.', `x.${sealed}`, sealed.slice(0, -4), `${sealed}AAAA`, sealed.toLowerCase()]) {
        const other = story.client();
        other.plant('form_answer', value, `${CONTEXT}/`);
        const page = await visit(other, addressOf(wrong));
        expect(page).toBeAnswered(200);
        expect(page.text).not.toContain('role="alert"');
      }
      expect((await visit(client, addressOf(wrong))).text).toContain('value="&lt;img src=x&gt;"');
    });

    it('U1: callers that prefer JSON get no such cookie', async () => {
      const client = story.client();
      const { fields } = formOf(client, await visit(client, LOGIN));

      const wrong = await client.send('POST', LOGIN, { form: { ...fields, id: 'nobody', pw: 'not the one' } });

      expect(wrong).toBeRefused(401, 'INVALID_CREDENTIALS');
    });
  });

  describe('forms without their cookie', () => {
    it('U2: of two tabs that were opened at once, the first one gets its form again with all that was typed', async () => {
      const person = story.person();
      const [client, other] = [story.client(), story.client()];
      const first = await visit(client, LOGIN + RETURN_TO);
      await visit(other, LOGIN);
      client.plant('sign_in_form', other.cookie('sign_in_form') ?? '', `${CONTEXT}/portal`);

      const refused = await submit(client, first, { id: person.id, pw: person.password });

      expect(refused).toBeAnswered(403);
      expect(refused.text).toContain('This page had been replaced by another one');
      expect(refused.text).not.toContain(person.password);
      expect(formOf(client, refused).fields).toMatchObject({ id: person.id, return_to: TARGET });
      expect(client.cookie('SESSION')).toBeUndefined();
      const done = await submit(client, refused, { pw: person.password });
      expect(done.headers.get('location')).toBe(TARGET);
    });

    it('U2: a browser that blocks cookies is told so, and its form keeps return_to and the username', async () => {
      const client = story.client();
      const page = await visit(client, `${LOGIN}${RETURN_TO}&lang=ko`);
      client.forget('sign_in_form');
      client.forget('language');

      const refused = await submit(client, page, { id: '<b>anna', pw: PASSWORD }, { 'accept-language': 'ko' });

      expect(refused).toBeAnswered(403);
      expect(refused.text).toContain('쿠키를 허용한 뒤 다시 시도하십시오');
      expect(refused.text).toContain('value="&lt;b&gt;anna"');
      expect(formOf(client, refused).fields['return_to']).toBe(TARGET);
    });

    it('U2: a target on another site is not kept', async () => {
      const client = story.client();
      const { fields } = formOf(client, await visit(client, LOGIN));
      client.forget('sign_in_form');
      const form = { ...fields, id: 'anna', pw: PASSWORD, return_to: 'https://evil.example/' };

      const refused = await client.send('POST', LOGIN, { form, headers: BROWSER });

      expect(refused).toBeAnswered(403);
      expect(refused.text).not.toContain('evil.example');
    });
  });

  describe('the end of a half-authenticated session', () => {
    it('U2: a visitor of the second step whose session has expired returns there by the sign-in', async () => {
      const person = await story.enrolled();
      const { client } = await atVerify(person);
      story.clock.advance(181);

      const late = await visit(client, VERIFY + RETURN_TO);

      expect(late).toBeAnswered(401);
      expect(late.text).toContain(`href="${CONTEXT}${LOGIN}?return_to=${encodeURIComponent(TARGET)}"`);
    });

    it('U2: a form of the second step whose session has expired leads to the sign-in, which says so', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person, RETURN_TO);
      story.clock.advance(181);

      const signIn = await follow(client, await submit(client, page, { code: story.codeOf(person.app) }));

      expect(signIn.text).toContain('your sign-in has expired');
      expect(formOf(client, signIn).fields['return_to']).toBe(TARGET);
    });

    it('U2: a user who chooses another account keeps return_to', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person, RETURN_TO);

      const left = await submit(client, page, {}, {}, 'Use another account');

      expect(left.headers.get('location')).toBe(`${CONTEXT}${LOGIN}${RETURN_TO}`);
      expect(client.cookie('SESSION')).toBeUndefined();
    });
  });

  describe('half-authenticated visitors of pages', () => {
    it('U4: a page leads to the second step, which returns to it, and its status stays 403', async () => {
      const person = await story.enrolled();
      const { client } = await atVerify(person);

      const page = await visit(client, `${SECURITY}?done=language`);

      expect(page).toBeAnswered(403);
      const next = unescaped(/http-equiv="refresh" content="0; url=([^"]*)"/.exec(page.text)?.[1] ?? '');
      expect(next).toBe(`${CONTEXT}${VERIFY}${RETURN_TO}`);
      const verify = await visit(client, next.replace(CONTEXT, ''));
      const done = await submit(client, verify, { code: story.nextCode(person) });
      expect(done.headers.get('location')).toBe(TARGET);
    });

    it('U4: a user who must enrol first is led to the setup', async () => {
      const client = story.client();
      await submit(client, await visit(client, LOGIN), { id: 'boss', pw: PASSWORD });

      const page = await visit(client, '/portal/admin');

      const next = unescaped(/http-equiv="refresh" content="0; url=([^"]*)"/.exec(page.text)?.[1] ?? '');
      const sentOn = await visit(client, next.replace(CONTEXT, ''));
      expect(sentOn.headers.get('location')).toBe(
        `${CONTEXT}/2fa/portal/setup?return_to=${encodeURIComponent(`${CONTEXT}/portal/admin`)}`,
      );
    });

    it('U4: a form of such a page is rejected, and links to the second step', async () => {
      const person = await story.enrolled();
      const { client } = await atVerify(person);
      const form = { csrf: 'x', current: PASSWORD, new: 'another long password' };

      const refused = await client.send('POST', `${SECURITY}/password`, { form, headers: BROWSER });

      expect(refused).toBeAnswered(403);
      expect(refused.text).toContain(`href="${CONTEXT}${VERIFY}"`);
      expect(refused.text).not.toContain('http-equiv="refresh"');
    });

    it('U4: callers that prefer JSON get 403 MFA_REQUIRED', async () => {
      const { client } = await atVerify(await story.enrolled());

      expect(await client.get(SECURITY)).toBeRefused(403, 'MFA_REQUIRED');
    });
  });

  describe('codes as people type them', () => {
    it.each([
      ['a space', (code: string) => code.replace(/^.../, '$& ')],
      ['a no-break space', (code: string) => code.replace(/^.../, '$&\u00a0')],
      ['a dash', (code: string) => code.replace(/^.../, '$&-')],
      ['an en dash and a line break', (code: string) => `${code.replace(/^.../, '$&\u2013')}\n`],
      ['zero-width characters', (code: string) => code.split('').join('\u200b')],
      ['marks of direction', (code: string) => `\u202a${code}\u202c`],
      [
        'full-width digits',
        (code: string) => code.replaceAll(/./g, (d) => String.fromCharCode(d.charCodeAt(0) + 0xfee0)),
      ],
    ])('U5: a one-time code with %s is accepted', async (_, typed) => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);

      expect(await submit(client, page, { code: typed(story.nextCode(person)) })).toBeAnswered(303);
    });

    it('U5: a backup code with no-break spaces and a long dash is accepted', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);
      const code = (person.backupCodes[0] ?? '').toLowerCase().replace('-', '\u00a0\u2014\u200b');

      expect(await submit(client, page, { code, method: 'backup_code' })).toBeAnswered(303);
    });

    it.each([
      '12345',
      '1234567',
      '123.456',
      '+123456',
      '1e4567',
      '\u0661\u0662\u0663\u0664\u0665\u0666',
      'ⅠⅠⅠⅠⅠⅠ',
      '①②③④⑤⑥',
    ])('U5: %j is no code, and is not counted', async (typed) => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);

      for (let time = 0; time < 6; time += 1) {
        const answer = await submit(client, page, { code: typed });
        expect(answer).toBeAnswered(400);
        expect(answer.text).toContain('The code has six digits.');
        expect(answer.text).toMatch(
          /<input id="code"[^>]* aria-invalid="true" aria-describedby="problem[ "][^>]* autofocus/,
        );
        expect(answer.text).toMatch(/<div class="note bad" id="problem" role="alert">/);
      }
    });

    it('U5: the page says when one attempt is left, and the next failure locks', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);
      const told: boolean[] = [];
      for (let variant = 0; variant < 4; variant += 1) {
        const { text } = await submit(client, page, { code: story.wrongCode(person, variant) });
        told.push(text.includes('You have one attempt left.'));
      }

      expect(told).toEqual([false, false, false, true]);
      expect((await visit(client, VERIFY)).text).toContain('You have one attempt left.');
      const stranger = story.client();
      const wrong = await submit(stranger, await visit(stranger, LOGIN), { id: person.id, pw: 'not the one' });
      expect(wrong.text).not.toContain('one attempt');
      const locking = await submit(client, page, { code: story.wrongCode(person, 4) });
      expect(locking.text).toContain('There were too many failed attempts at the second step');
      expect(locking.text).not.toContain('one attempt');
    });

    it('U5: a correct code is accepted at the last attempt, and the warning is gone', async () => {
      const person = await story.enrolled();
      const { client, page } = await atVerify(person);
      for (let variant = 0; variant < 4; variant += 1) {
        await submit(client, page, { code: story.wrongCode(person, variant) });
      }

      expect(await submit(client, page, { code: story.nextCode(person) })).toBeAnswered(303);
      const again = await atVerify(person);
      expect(again.page.text).not.toContain('one attempt');
    });
  });
});

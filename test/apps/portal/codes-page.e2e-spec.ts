import { expect, it } from 'vitest';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { follow, formOf, submit, unescaped, visit } from '../../support/pages/pages.js';
import { onEachEngine } from '../../support/database/story-database.js';

const SETUP = '/2fa/portal/setup';
const CODES = '/2fa/portal/codes';
const SHOWN_SECONDS = 600;

onEachEngine('the page with new backup codes', (engine) => {
  const story = storyOn(engine, { people: 12 });

  function codesIn({ text }: Answer): readonly string[] {
    return Array.from(text.matchAll(/<li>([0-9A-Z]{4}-[0-9A-Z]{4})<\/li>/g), ([, code = '']) => code);
  }

  /** Sets up an app by the pages; returns the browser, and the response to the form with the code. */
  async function confirmed(person: Person): Promise<{ client: HttpClient; answer: Answer; app: AuthenticatorApp }> {
    const client = story.client();
    await client.post('/session', { id: person.id, pw: person.password });
    const choice = await visit(client, `${SETUP}?return_to=/me`);
    const secret = await follow(client, await submit(client, choice, {}, {}, 'Use an authenticator app'));
    const app = AuthenticatorApp.scan(unescaped(/href="(otpauth:[^"]*)"/.exec(secret.text)?.[1] ?? ''));
    return { client, app, answer: await submit(client, secret, { code: story.codeOf(app) }) };
  }

  it('U8: the setup ends by a redirect to the codes, which a reload shows again until they are confirmed', async () => {
    const person = story.person();
    const { client, answer } = await confirmed(person);
    expect(answer).toBeAnswered(303);
    const first = await follow(client, answer);
    const again = await visit(client, `${CODES}?return_to=/me`);
    expect(codesIn(first)).toHaveLength(10);
    expect(codesIn(again)).toEqual(codesIn(first));

    const done = await submit(client, again, {});

    expect(done.headers.get('location')).toBe('/me');
    const later = await visit(client, `${CODES}?return_to=/me`);
    expect(later).toBeAnswered(303);
    expect(later.headers.get('location')).toBe('/me');
    expect(await story.database.query('SELECT asked_by FROM shown_backup_codes')).toEqual([]);
    expect(await submit(client, again, {})).toBeAnswered(303);
  });

  it('U8: the page names the service, the user and the day for print', async () => {
    const person = story.person();
    const { client, answer } = await confirmed(person);

    const page = await follow(client, answer);

    const printed = /<p class="print-only">(.*?)<\/p>/.exec(page.text)?.[1] ?? '';
    expect(printed).toContain(`Backup codes of ${person.id} for Login service`);
    expect(printed).toMatch(/Created: <time datetime="\d{4}-\d{2}-\d{2}T/);
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  it('U8: another session of the user sees no codes, and another user neither', async () => {
    const person = story.person();
    const { app } = await confirmed(person);
    const other = story.client();
    await other.post('/session', { id: person.id, pw: person.password });
    expect(codesIn(await visit(other, CODES))).toEqual([]);
    await other.post('/2fa/verify', { code: story.nextCode({ app }) });
    const stranger = story.client();
    const { id, password: pw } = story.person();
    await stranger.post('/session', { id, pw });

    for (const client of [other, stranger]) {
      const answer = await visit(client, CODES);
      expect(answer).toBeAnswered(303);
      expect(codesIn(answer)).toEqual([]);
    }
    expect((await visit(story.client(), CODES)).status).toBe(401);
  });

  it('U8: the codes are not shown after ten minutes', async () => {
    const { client } = await confirmed(story.person());
    story.clock.advance(SHOWN_SECONDS);

    expect(await visit(client, CODES)).toBeAnswered(303);
  });

  it('U8: codes that others have replaced are not shown', async () => {
    const { client, answer } = await confirmed(story.person());
    const first = await follow(client, answer);
    expect(await client.post('/2fa/backup-codes')).toBeAnswered(201);

    expect(codesIn(first)).toHaveLength(10);
    expect(await visit(client, CODES)).toBeAnswered(303);
  });

  it('U8: the row of the codes is sealed, and no answer to another session or export contains a code', async () => {
    const person = story.person();
    const { client, answer } = await confirmed(person);
    const [code = ''] = codesIn(await follow(client, answer));
    const sql = 'SELECT * FROM shown_backup_codes WHERE user_id = ?';

    const rows = await story.database.query(sql, [await story.subjectOf(person)]);

    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(code);
    expect(JSON.stringify(rows)).not.toContain(code.replace('-', ''));
  });

  it('U8: a form without the token of the session confirms nothing', async () => {
    const { client, answer } = await confirmed(story.person());
    const { path, fields } = formOf(client, await follow(client, answer));

    const refused = await client.send('POST', path, { form: { ...fields, csrf: 'x' } });

    expect(refused.status).toBe(403);
    expect(codesIn(await visit(client, CODES))).toHaveLength(10);
  });
});

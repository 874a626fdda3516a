import { beforeAll, expect, it } from 'vitest';
import { onSqlite } from '../../support/database/story-database.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { fillQueue } from '../../support/login/full-queue.js';
import { PASSWORD, type Person, storyOn } from '../../support/login/login-story.js';
import { BROWSER, formOf, visit } from '../../support/pages/pages.js';

const SLOTS = 4;
/** More than the slots and the queue hold. */
const STRANGERS = 60;

onSqlite('sign-ins that are rejected in a burst', (engine) => {
  const story = storyOn(engine, {
    people: 4,
    args: [
      '--server.servlet.context-path=/auth',
      `--server.embedded.threads.max=${SLOTS}`,
      '--server.embedded.accept-count=0',
    ],
  });
  let person: Person;
  let browser: HttpClient;
  let fields: Readonly<Record<string, string>>;

  beforeAll(async () => {
    person = story.person();
    browser = story.client();
    fields = { ...formOf(browser, await visit(browser, '/portal/login')).fields, id: person.id, pw: PASSWORD };
  });

  /** The responses to requests that arrive while all slots are taken. */
  async function whileFull(...requests: readonly (() => Promise<Answer>)[]): Promise<readonly Answer[]> {
    const release = await fillQueue(story, SLOTS + 1);
    try {
      return await Promise.all(requests.map((request) => request()));
    } finally {
      await release();
    }
  }

  it('a browser is sent back to the same address, and gets the error page after eight times', async () => {
    const post = (query: string) => (): Promise<Answer> =>
      browser.send('POST', `/portal/login${query}`, { form: fields, headers: BROWSER });

    const [first, again, last] = await whileFull(post(''), post('?attempt=1'), post('?attempt=8'));

    expect([first?.status, first?.headers.get('location')]).toEqual([307, '?attempt=1']);
    expect([again?.status, again?.headers.get('location')]).toEqual([307, '?attempt=2']);
    expect([last?.status, last?.headers.get('location')]).toEqual([503, null]);
    expect(last?.headers.get('content-type')).toContain('text/html');
    expect(await post('?attempt=2')()).toBeAnswered(303);
  });

  it('U8: the page of an overloaded service is requested again by itself, and a form is not', async () => {
    const [page, form] = await whileFull(
      () => visit(browser, '/portal/login?attempt=8'),
      () => browser.send('POST', '/portal/login?attempt=8', { form: fields, headers: BROWSER }),
    );

    expect(page?.status).toBe(503);
    expect(page?.headers.get('refresh')).toBe(page?.headers.get('retry-after'));
    expect(page?.text).toContain('This page tries again by itself in 1 second.');
    expect(form?.status).toBe(503);
    expect(form?.headers.get('refresh')).toBeNull();
    expect(form?.text).toContain('Try again in 1 second.');
    expect((await visit(browser, '/portal/login?attempt=8')).headers.get('refresh')).toBeNull();
  });

  it('a program is never sent back, whatever it accepts', async () => {
    const credentials = { id: person.id, pw: PASSWORD };

    const answers = await whileFull(
      () => story.client().post('/login', credentials),
      () => story.client().post('/login', credentials, { headers: BROWSER }),
      () => browser.send('POST', '/portal/login', { form: fields, headers: { accept: 'application/json' } }),
    );

    for (const { status, headers, body, request } of answers) {
      expect(status, request).toBe(503);
      expect(headers.get('retry-after'), request).toBe('1');
      expect(body['code'], request).toBe('UNAVAILABLE');
    }
  });
});

onSqlite('a burst that fills the queue', (engine) => {
  const story = storyOn(engine, {
    people: 2,
    args: [`--server.embedded.threads.max=${SLOTS}`, '--server.embedded.accept-count=20'],
  });

  it('a user on a known device is served while others are rejected', async () => {
    const owner = story.person();
    const device = story.client();
    await story.signInByPassword(owner, device);
    const signIn = async (client: HttpClient): Promise<number> =>
      (await client.post('/login', { id: owner.id, pw: PASSWORD })).status;
    const release = await fillQueue(story, STRANGERS);

    const known = signIn(device);
    const unknown = await signIn(story.client());
    const others = await release();

    expect(unknown).toBe(503);
    expect(await known).toBe(200);
    expect(new Set(others)).toEqual(new Set([200, 503]));
  });
});

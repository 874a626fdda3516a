import { expect, it } from 'vitest';
import { type Answer, type HttpClient } from '../../support/http/http-client.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { BROWSER, formOf, submit, visit } from '../../support/pages/pages.js';
import { onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const LOGIN = '/portal/login';
const TOLD = 'This address needs https.';
const LINE = 'The sign-in page was opened over http';
const OVER_HTTP = { 'x-forwarded-host': 'login.example.com', 'x-forwarded-proto': 'http' };
const OVER_HTTPS = { ...OVER_HTTP, 'x-forwarded-proto': 'https' };

onSqlite('A6: the sign-in page', (engine) => {
  const story = storyOn(engine, { people: 6, args: ['--server.forward-headers-strategy=native'] });

  /** Submits the form like a browser that has dropped the Secure cookie. */
  function sendWithoutCookie(
    client: HttpClient,
    page: Answer,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const { fields } = formOf(client, page);
    client.forget('sign_in_form');
    const form = { ...fields, id: story.person().id, pw: PASSWORD };
    return client.send('POST', LOGIN, { form, headers: { ...BROWSER, ...headers } });
  }

  function lines(): readonly string[] {
    return story.service.log.filter((line) => line.startsWith(`WARN ${LINE}`));
  }

  it('over http, the page and the form response state that https is required, and the log repeats it at most hourly', async () => {
    const client = story.client();

    const page = await visit(client, LOGIN, OVER_HTTP);
    const refused = await sendWithoutCookie(client, page, OVER_HTTP);
    await visit(client, LOGIN, OVER_HTTP);

    expect(page).toBeAnswered(200);
    expect(page.text).toContain(TOLD);
    expect(refused).toBeAnswered(403);
    expect(refused.text).toContain(TOLD);
    expect(refused.text).toContain('For support: CROSS_SITE, request ');
    await waitUntil('the line was written', () => lines().length > 0);
    expect(lines()).toEqual([expect.stringMatching(/ host=login\.example\.com$/)]);
    expect(story.service.stdout).not.toContain('not an error');
    story.clock.advance(3600);
    await visit(story.client(), LOGIN, OVER_HTTP);
    await waitUntil('another line was written', () => lines().length > 1);
  });

  it.each([
    ['https', OVER_HTTPS],
    ['localhost', { ...OVER_HTTP, 'x-forwarded-host': 'localhost:8080' }],
    ['a proxy that ends TLS without saying so', { ...OVER_HTTP, 'sec-fetch-site': 'same-origin' }],
  ])(
    'over %s, a form without its cookie says that the sign-in needs cookies, not that it was sent over http',
    async (_, headers) => {
      const client = story.client();
      const page = await visit(client, LOGIN, headers);

      const refused = await sendWithoutCookie(client, page, headers);

      expect(page.text).not.toContain(TOLD);
      expect(refused).toBeAnswered(403);
      expect(refused.text).not.toContain(TOLD);
      expect(refused.text).toContain('Your browser did not send our cookie');
    },
  );

  it('over http, the form of another browser is rejected without the https hint', async () => {
    const [client, other] = [story.client(), story.client()];
    await visit(client, LOGIN, OVER_HTTP);
    const foreign = await visit(other, LOGIN, OVER_HTTP);

    const refused = await submit(client, foreign, { id: 'x', pw: 'x' }, OVER_HTTP);

    expect(refused).toBeAnswered(403);
    expect(refused.text).not.toContain(TOLD);
  });
});

onSqlite('A6: the sign-in page without Secure cookies', (engine) => {
  const story = storyOn(engine, {
    people: 1,
    args: ['--server.forward-headers-strategy=native', '--app.security.cookie.secure=false'],
  });

  it('signs in over http when cookies are not Secure', async () => {
    const client = story.client();
    const page = await visit(client, LOGIN, OVER_HTTP);

    expect(page.text).not.toContain(TOLD);
    expect(await submit(client, page, { id: story.person().id, pw: PASSWORD }, OVER_HTTP)).toBeAnswered(303);
  });
});

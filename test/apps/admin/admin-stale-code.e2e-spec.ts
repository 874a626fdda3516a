import { beforeAll, expect, it } from 'vitest';
import { AdminBrowser } from '../../support/pages/admin-pages.js';
import { ADMIN, Administrator, HELP_DESK } from '../../support/login/administrator.js';
import { nameOf, pathOf } from '../../support/http/every-route.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { BROWSER } from '../../support/pages/pages.js';
import { routesOfService, type ServiceRoute } from '../../support/programs/route-list.js';
import { onSqlite } from '../../support/database/story-database.js';

/** One second more than the age of a one-time code that permits acts of administrators. */
const STALE_SECONDS = 301;
const STATED = { reason: 'the phone is lost', ticket: 'HD-4711' };
const FORM = { ...STATED, status: 'disabled', id: 'planted', access: 'temporary', email: '', roles: 'ROLE_ADMIN' };

/** Read from the router, so that a new route is tested without being listed here. */
const ROUTES = (await routesOfService()).filter(({ template }) => /^(?:\/portal)?\/admin(?:\/|$)/.test(template));
const isPage = ({ template }: ServiceRoute): boolean => template.startsWith('/portal/');
const API = ROUTES.filter((route) => !isPage(route)).map((route) => [nameOf(route), route] as const);
const PAGES = ROUTES.filter((route) => isPage(route) && route.method !== 'HEAD').map(
  (route) => [nameOf(route), route] as const,
);
const UNREAD = new Set(['GET', 'HEAD']);

interface StaleCaller {
  readonly bearer: string;
  readonly browser: AdminBrowser;
  /** The form token of the session of `browser`. */
  readonly csrf: string;
  /** The help desk lacks the authority at most routes, which comes first. */
  readonly mayLackAuthority: boolean;
}

onSqlite('administration with an old one-time code', (engine) => {
  const others = { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK' };
  const story = storyOn(engine, { people: 2, others });
  let subject: string;
  const callers: StaleCaller[] = [];

  beforeAll(async () => {
    subject = await story.subjectOf(await story.enrolled());
    for (const id of [ADMIN, HELP_DESK]) {
      const { person } = await Administrator.of(story, id);
      const { accessToken: bearer } = await story.signIn(person);
      const browser = await AdminBrowser.of(story, person);
      const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec((await browser.visit('/')).text) ?? [];
      callers.push({ bearer, browser, csrf, mayLackAuthority: id === HELP_DESK });
    }
    story.clock.advance(STALE_SECONDS);
  });

  /** Everything that an act could change. */
  async function stored(): Promise<unknown> {
    return Promise.all(
      // Each request renews the time of the last use of its session.
      ['* FROM account', '* FROM totp_secret', 'id FROM session', '* FROM signing_key', '* FROM mail_message'].map(
        (part) => story.database.query(`SELECT ${part}`),
      ),
    );
  }

  it('the router lists routes of the API and of the pages', () => {
    expect(API.length).toBeGreaterThan(20);
    expect(PAGES.length).toBeGreaterThan(14);
  });

  it.each(API)(
    'A10: %s rejects an access token with an old code with 401, and changes nothing',
    async (_name, route) => {
      const before = await stored();
      for (const { bearer, mayLackAuthority } of callers) {
        const body = UNREAD.has(route.method) || route.takesUpload ? {} : { json: STATED };
        const answer = await story.client().send(route.method, pathOf(route, subject), { ...body, bearer });
        if (mayLackAuthority && answer.status === 403) continue;

        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toContain('max_age="300"');
        expect(answer.body['code']).toBe(route.method === 'HEAD' ? undefined : 'STEP_UP_REQUIRED');
      }
      expect(await stored()).toEqual(before);
    },
  );

  it.each(PAGES)('A10: %s rejects a session with an old code, and changes nothing', async (_name, route) => {
    const before = await stored();
    for (const { browser, csrf, mayLackAuthority } of callers) {
      const answer = await send(browser.client, route, csrf);
      if (mayLackAuthority && answer.status === 403) continue;

      const [location] = (answer.headers.get('location') ?? '').split('?');
      expect([answer.status, location]).toEqual(UNREAD.has(route.method) ? [303, '/2fa/portal/verify'] : [401, '']);
    }
    expect(await stored()).toEqual(before);
  });

  it.each(PAGES)('%s rejects a half-authenticated session with 403, and changes nothing', async (_name, route) => {
    const client = story.client();
    const half = await client.post('/session', { id: ADMIN, pw: PASSWORD });
    expect(half.body).toMatchObject({ mfa_required: true });
    const before = await stored();

    const answer = await send(client, route, String(callers[0]?.csrf));

    expect(answer).toBeAnswered(403);
    expect(answer.text).toContain('MFA_REQUIRED');
    expect(await stored()).toEqual(before);
  });

  function send(client: HttpClient, route: ServiceRoute, csrf: string): Promise<Answer> {
    const form = UNREAD.has(route.method) || route.takesUpload ? {} : { form: { csrf, ...FORM } };
    return client.send(route.method, pathOf(route, subject), { ...form, headers: BROWSER });
  }
});

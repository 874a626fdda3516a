import { describe, expect, it } from 'vitest';
import { StoryLinks } from '../../support/login/account-links.js';
import { Administrator } from '../../support/login/administrator.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, type HttpClient, setCookie } from '../../support/http/http-client.js';
import { type Enrolled, PASSWORD, type Person } from '../../support/login/login-story.js';
import { OpenApi } from '../../support/http/open-api.js';
import { BROWSER, follow, formOf, submit, visit } from '../../support/pages/pages.js';
import { staffStoryOn } from '../../support/saml/staff-story.js';
import { MULTIPART, multipart } from '../../support/http/multipart.js';
import { onSqlite } from '../../support/database/story-database.js';

const LOGIN = '/portal/login';
const LOGOUT = '/portal/logout';
const FORGOT = '/portal/forgot';
const VERIFY = '/2fa/portal/verify';
const SETUP = '/2fa/portal/setup';
const CONFIRM = '/2fa/portal/confirm';
const CODES = '/2fa/portal/codes';
const SECURITY = '/portal/security';
const LINKS = { reset: 'password-reset', invitation: 'invitation', unlock: 'unlock', 'not-me': 'not-me' } as const;
const FRIEND = 'https://app.example';
const CHOSEN = 'nine wet lanterns & 3 harbours';
const HOSTILE = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;
/** SAML attributes. */
const [MAIL, GROUPS] = ['urn:test:mail', 'urn:test:groups'];
const FORM = 'application/x-www-form-urlencoded';

type Fields = Readonly<Record<string, string>>;

/** The forms of signed-in users, and what an attacker would fill in. */
const OWN_FORMS: Readonly<Record<string, Fields>> = {
  [`${SECURITY}/end-session`]: {},
  [`${SECURITY}/end-device`]: { id: 'x' },
  [`${SECURITY}/language`]: { language: 'ko' },
  [`${SECURITY}/password`]: { current: PASSWORD, new: CHOSEN },
  [`${SECURITY}/email`]: { email: 'planted@evil.example', pw: PASSWORD },
  [`${SECURITY}/verify-email`]: {},
  [`${SECURITY}/backup-codes`]: {},
  [`${SECURITY}/replace`]: {},
  [`${SECURITY}/turn-off`]: { code: '123456' },
  [`${SECURITY}/add-app`]: { name: 'planted' },
  [`${SECURITY}/add-passkey`]: { name: 'planted', credential: '{}' },
  [`${SECURITY}/authenticators/{id}/rename`]: { name: 'planted' },
  [`${SECURITY}/authenticators/{id}/remove`]: {},
  [VERIFY]: { code: '123456' },
  [SETUP]: {},
  [CONFIRM]: { code: '123456' },
  '/2fa/portal/passkey': { credential: '{}' },
  [CODES]: {},
  [LOGOUT]: {},
};

/** The forms of visitors without a session. */
const VISITOR_FORMS: Readonly<Record<string, Fields>> = {
  [LOGIN]: { id: 'person-1', pw: PASSWORD },
  '/portal/login/passkey': { credential: '{}' },
  [FORGOT]: { id: 'person-1' },
  '/portal/reset': { token: 'A'.repeat(43), new: CHOSEN },
  '/portal/invitation': { token: 'A'.repeat(43), new: CHOSEN },
  '/portal/unlock': { token: 'A'.repeat(43) },
  '/portal/not-me': { token: 'A'.repeat(43) },
  '/portal/email': { token: 'A'.repeat(43) },
};

const USER = '/portal/admin/users/{sub}';
/** The forms of administrators, and what an attacker would fill in. */
const ADMIN_FORMS: Readonly<Record<string, Fields>> = {
  '/portal/admin/new-user': { id: 'planted', roles: 'ROLE_ADMIN', access: 'temporary' },
  [`${USER}/unlock`]: {},
  [`${USER}/reset`]: { reason: 'x' },
  [`${USER}/access-code`]: { reason: 'x' },
  [`${USER}/change`]: { email: 'planted@evil.example' },
  [`${USER}/roles`]: { roles: 'ROLE_ADMIN', reason: 'x' },
  [`${USER}/password`]: {},
  [`${USER}/invite`]: {},
  [`${USER}/disable`]: { reason: 'x' },
  [`${USER}/enable`]: {},
  [`${USER}/end-session`]: {},
  [`${USER}/end-device`]: { id: 'x' },
  [`${USER}/remove-authenticator`]: { authenticator: 'x', reason: 'x' },
  [`${USER}/delete`]: { reason: 'x' },
};

/** An import that an attacker would send. */
const PLANTED = { content: `login_id,password,roles\nplanted,${CHOSEN},ROLE_ADMIN\n`, fileName: 'x.csv' };

/** Headers that browsers send with a form of another site; a sibling subdomain is same-site. */
const FOREIGN: readonly (readonly [string, Fields])[] = [
  ['a foreign Origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['the Origin null', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['the Origin of a sibling subdomain', { origin: 'https://evil.login.example', 'sec-fetch-site': 'same-site' }],
  ['Sec-Fetch-Site same-site alone', { 'sec-fetch-site': 'same-site' }],
];

/** Targets that lead a browser to evil.example if they are not rejected. */
const EVIL_TARGETS = [
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '\\\\evil.example',
  '/%2Fevil.example/..%2F',
  '/\t/evil.example',
  '\thttps://evil.example',
  'https:evil.example',
  'https:/evil.example',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  `${FRIEND}@evil.example/`,
  `${FRIEND}:x@evil.example/`,
  `${FRIEND}.evil.example/`,
  `${FRIEND}:8443/`,
  `${FRIEND}./`,
  `${FRIEND}\\@evil.example/`,
  `${FRIEND}%2eevil.example/`,
  FRIEND.replace('https', 'http'),
  'https:app.example/',
  '//app.example/',
  'https://аpp.example/',
  'https://user@app.example/',
];

const ALLOWED_TARGETS = [FRIEND, `${FRIEND}/`, `${FRIEND}/a?b=c#d`, `${FRIEND}?x`, '/me', '/portal/security?done=off'];

onSqlite('security of the portal', (engine) => {
  const staff = staffStoryOn(
    engine,
    { corp: { 'display-name': HOSTILE, 'email.attribute': MAIL, 'roles.attribute': GROUPS } },
    {
      people: 300,
      others: { boss: 'ROLE_ADMIN', chief: 'ROLE_ADMIN', head: 'ROLE_ADMIN', desk: 'ROLE_HELPDESK' },
      args: [
        // No relay answers there: the pages exist, and no mail arrives.
        ...['--app.mail.host=127.0.0.1', '--app.mail.port=1'],
        `--app.security.return-to.allowed-origins=${FRIEND}`,
        '--app.security.mfa.trusted-device.enabled=true',
        `--app.branding.name=O'Hara "&" sons`,
        `--app.branding.help-contact=Call "0&1" 'now'`,
        '--app.branding.help-url=/help?a=b&c=d',
      ],
    },
  );
  const { story } = staff;
  const links = new StoryLinks(story);

  /** The fields of the form of a page as a browser sends them; fields without a name are not sent. */
  function fieldsOf(client: HttpClient, page: Answer, button?: string): Fields {
    const fields = Object.entries(formOf(client, page, button).fields);
    return Object.fromEntries(fields.filter(([name]) => name !== '' && name !== 'trust_device'));
  }

  function post(client: HttpClient, path: string, form: Fields, headers: Fields = {}): Promise<Answer> {
    return client.send('POST', path, { form, headers: { ...BROWSER, ...headers } });
  }

  async function signIn({ id, password: pw }: Person, client = story.client(), query = ''): Promise<Answer> {
    return submit(client, await visit(client, LOGIN + query), { id, pw });
  }

  /** A browser that is signed in by password alone. */
  async function byPassword(person = story.person()): Promise<HttpClient> {
    const client = story.client();
    expect(await signIn(person, client)).toBeAnswered(303);
    return client;
  }

  /** A browser that is signed in with both factors. */
  async function withBoth(person: Enrolled): Promise<HttpClient> {
    const client = await byPassword(person);
    const page = await visit(client, VERIFY);
    const done = await post(client, VERIFY, { ...fieldsOf(client, page, 'Continue'), code: story.nextCode(person) });
    expect(done).toBeAnswered(303);
    return client;
  }

  /** The token of the forms of a signed-in browser. */
  async function csrfOf(client: HttpClient): Promise<string> {
    return fieldsOf(client, await visit(client, '/'), 'Sign out')['csrf'] ?? '';
  }

  let head: Enrolled | undefined;
  let desk: Enrolled | undefined;

  /** A browser of an administrator with a fresh second factor. */
  async function asAdministrator(): Promise<HttpClient> {
    return withBoth((head ??= (await Administrator.of(story, 'head')).person));
  }

  /** A browser of the help desk with a fresh second factor. */
  async function asHelpDesk(): Promise<HttpClient> {
    return withBoth((desk ??= (await Administrator.of(story, 'desk')).person));
  }

  async function isAlive(client: HttpClient, secret: string): Promise<boolean> {
    const other = story.client();
    other.plant('SESSION', secret);
    return (await other.get('/session')).status === 200;
  }

  function sessionOf(client: HttpClient): string {
    return client.cookie('SESSION') ?? '';
  }

  describe('forms', () => {
    it('S5: the tests below know every form of the service', async () => {
      const { document } = await OpenApi.of(story.service.url);
      const forms = Object.entries(document.paths).flatMap(([path, { post: operation }]) =>
        operation?.requestBody?.content[FORM] === undefined ? [] : [path],
      );

      // Responses of identity providers are bound to their browser by a cookie; resource servers authenticate themselves.
      expect(forms.filter((path) => !/^\/(?:saml|token)\//.test(path)).toSorted()).toEqual(
        [...Object.keys(OWN_FORMS), ...Object.keys(VISITOR_FORMS), ...Object.keys(ADMIN_FORMS)].toSorted(),
      );
    });

    it.each(Object.entries(OWN_FORMS))('S5: the form of %s needs its token and its own site', async (path, typed) => {
      const person = story.person();
      const client = await byPassword(person);
      const csrf = await csrfOf(client);
      const outdated = await csrfOf(await byPassword(person));
      const foreign = await csrfOf(await byPassword());
      const visitor = fieldsOf(story.client(), await visit(story.client(), LOGIN))['csrf'] ?? '';
      const before = (await story.events(person)).length;

      for (const wrong of ['', 'x', outdated, foreign, visitor, csrf.slice(0, -1), `${csrf}=`, `half.${csrf}`]) {
        const answer = await post(client, path, { ...typed, csrf: wrong });
        expect(answer, `token ${wrong}`).toBeAnswered(403);
        expect(answer.cookies, `token ${wrong}`).toEqual([]);
      }
      expect([400, 403]).toContain((await post(client, path, typed)).status);
      for (const [name, headers] of FOREIGN) {
        expect(await post(client, path, { ...typed, csrf }, headers), name).toBeAnswered(403);
      }
      expect(await story.events(person)).toHaveLength(before);
      expect(await client.get('/session')).toBeAnswered(200);
    });

    it.each([...Object.entries(ADMIN_FORMS), ['/portal/admin/import', {}] as const])(
      'S5: the form of %s needs its token and its own site, and an administrator who sends it',
      async (form, typed) => {
        const target = story.person();
        const path = form.replace('{sub}', await story.subjectOf(target));
        const admin = await asAdministrator();
        const [ordinary, stranger] = [await byPassword(), story.client()];
        const csrf = await csrfOf(admin);
        const send = (client: HttpClient, token: string, headers: Fields = {}): Promise<Answer> =>
          path.endsWith('/import')
            ? client.send('POST', `${path}?mode=all`, {
                raw: multipart({ field: 'csrf', text: token }, PLANTED),
                headers: { ...BROWSER, 'content-type': MULTIPART, ...headers },
              })
            : post(client, path, { ...typed, csrf: token }, headers);
        const before = (await story.events(target)).length;

        for (const wrong of ['', 'x', await csrfOf(ordinary), csrf.slice(0, -1)]) {
          expect(await send(admin, wrong), `token ${wrong}`).toBeAnswered(403);
        }
        for (const [name, headers] of FOREIGN) expect(await send(admin, csrf, headers), name).toBeAnswered(403);
        expect(await send(ordinary, await csrfOf(ordinary))).toBeAnswered(403);
        expect([401, 403]).toContain((await send(stranger, csrf)).status);

        expect(await story.events(target)).toHaveLength(before);
        const planted = await story.database.query("SELECT id FROM account WHERE login_id = 'planted'");
        expect(planted).toEqual([]);
      },
    );

    it.each([
      ['without a token', () => [PLANTED]],
      ['with the token behind the file', (csrf: string) => [PLANTED, { field: 'csrf', text: csrf }]],
      ['with the token as a file', (csrf: string) => [{ field: 'csrf', content: csrf }, PLANTED]],
      ['with two tokens', (csrf: string) => [{ field: 'csrf', text: csrf }, { field: 'csrf', text: csrf }, PLANTED]],
    ] as const)('S5: an import %s stores nothing, also with a token in its address', async (_, partsOf) => {
      const admin = await asAdministrator();
      const csrf = await csrfOf(admin);

      for (const query of ['', `&csrf=${encodeURIComponent(csrf)}`]) {
        const answer = await admin.send('POST', `/portal/admin/import?mode=all${query}`, {
          raw: multipart(...partsOf(csrf)),
          headers: { ...BROWSER, 'content-type': MULTIPART },
        });
        expect([400, 403], answer.text).toContain(answer.status);
      }
      expect(await story.database.query("SELECT id FROM account WHERE login_id = 'planted'")).toEqual([]);
    });

    it.each(Object.keys(ADMIN_FORMS))(
      'S5: the form of %s is not accepted as an upload, with or without its token',
      async (form) => {
        const target = story.person();
        const admin = await asAdministrator();
        const path = form.replace('{sub}', await story.subjectOf(target));
        const before = (await story.events(target)).length;

        for (const text of ['', await csrfOf(admin)]) {
          const answer = await admin.send('POST', path, {
            raw: multipart({ field: 'csrf', text }, { field: 'reason', text: 'x' }),
            headers: { ...BROWSER, 'content-type': MULTIPART },
          });
          expect(answer).toBeAnswered(415);
        }
        expect(await story.events(target)).toHaveLength(before);
      },
    );

    it.each(Object.entries(VISITOR_FORMS))(
      'S5: the form of %s is bound to its browser and its site',
      async (path, typed) => {
        const attacker = story.client();
        const csrf = fieldsOf(attacker, await visit(attacker, LOGIN))['csrf'] ?? '';
        const victim = story.client();
        const own = fieldsOf(victim, await visit(victim, LOGIN))['csrf'] ?? '';

        for (const wrong of ['', csrf, own.slice(0, -1)]) {
          expect(await post(victim, path, { ...typed, csrf: wrong }), `token ${wrong}`).toBeAnswered(403);
        }
        expect(await post(story.client(), path, { ...typed, csrf: own })).toBeAnswered(403);
        for (const [name, headers] of FOREIGN) {
          // A sibling subdomain can plant the cookie of the attacker with the token that belongs to it.
          const planted = story.client();
          planted.plant('sign_in_form', attacker.cookie('sign_in_form') ?? '');
          const answer = await post(planted, path, { ...typed, csrf }, headers);
          expect(answer, name).toBeAnswered(403);
          expect(setCookie(answer, 'SESSION'), name).toBeUndefined();
        }
      },
    );

    it('S5: no form is accepted by GET, in a query, as JSON or as plain text', async () => {
      const person = story.person();
      const client = await byPassword(person);
      const form = { csrf: await csrfOf(client), language: 'ko' };
      const path = `${SECURITY}/language`;

      const answers = [
        await client.get(`${path}?${new URLSearchParams(form).toString()}`, { headers: BROWSER }),
        await post(client, `${path}?${new URLSearchParams(form).toString()}`, {}),
        await client.send('POST', path, { json: form, headers: BROWSER }),
        await client.send('POST', path, {
          raw: new URLSearchParams(form).toString(),
          headers: { ...BROWSER, 'content-type': 'text/plain' },
        }),
      ];

      expect(answers.map(({ status }) => status)).toEqual([405, 403, 415, 415]);
    });

    it('H5: a form with too many members, a long one or a nested one is rejected', async () => {
      const client = story.client();
      const fields = fieldsOf(client, await visit(client, LOGIN));
      const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`m${index}`, '']));

      expect(await post(client, LOGIN, { ...fields, ...many })).toBeAnswered(400);
      expect(await post(client, LOGIN, { ...fields, id: 'x'.repeat(3_000_000) })).toBeAnswered(413);
      expect(await post(client, LOGIN, { ...fields, 'id[a]': 'x' })).toBeAnswered(400);
      expect(await post(client, LOGIN, { ...fields, __proto__x: '1', constructor: 'x' })).toBeAnswered(400);
    });
  });

  describe('pages that only show', () => {
    it('S9: opening the page of a link uses nothing up, whatever the query', async () => {
      const person = story.person();
      const token = await links.token(person, 'not-me');

      for (const query of ['', '&lang=ko', '&csrf=x&new=y']) {
        expect(await visit(story.client(), `/portal/not-me?token=${token}${query}`)).toBeAnswered(200);
      }
      expect(await story.countOf(person, 'NOT_ME_REPORTED')).toBe(0);
    });

    it.each(['/', SECURITY, `${SECURITY}/password`, `${SECURITY}/activity`, LOGIN, FORGOT, '/nowhere'])(
      'S5: ?lang= of %s changes the cookie of the language and nothing else',
      async (path) => {
        const person = story.person();
        const client = await byPassword(person);
        await story.database.query("UPDATE account SET language = 'en' WHERE login_id = ?", [person.id]);

        const page = await visit(client, `${path}?lang=ko`, { 'sec-fetch-site': 'cross-site' });

        expect(page.cookies.map(({ name }) => name).filter((name) => name !== 'sign_in_form')).toEqual(
          path === LOGIN ? [] : ['language'],
        );
        const rows = await story.database.query<{ language: string }>(
          'SELECT language FROM account WHERE login_id = ?',
          [person.id],
        );
        expect(rows[0]?.language).toBe('en');
      },
    );

    it.each(['xx', 'constructor', '__proto__', 'en"><script>', 'KO', 'ko;Domain=evil.example', '', 'ko%00'])(
      'L2: the language %s is ignored, as query and as cookie',
      async (language) => {
        const asked = await visit(story.client(), `${LOGIN}?lang=${encodeURIComponent(language)}`);
        const client = story.client();
        client.plant('language', encodeURIComponent(language));
        const kept = await visit(client, LOGIN);

        expect(asked.text).not.toContain('<html lang="ko">');
        expect(setCookie(asked, 'language')).toBeUndefined();
        expect(kept.text).toContain('<html lang="en">');
      },
    );

    it.each([
      Array.from({ length: 1500 }, (_, index) => `x${index};q=0.${index % 10}`)
        .join(',')
        .slice(0, 14_000),
      '-'.repeat(14_000),
      'a-'.repeat(7000),
      `${' '.repeat(14_000)}ko`,
    ])('H6: a long Accept-Language is answered like any other', async (languages) => {
      expect(await visit(story.client(), LOGIN, { 'accept-language': languages })).toBeAnswered(200);
    });

    it.each([
      '//evil.example/',
      '/\\evil.example/',
      '/%5Cevil.example',
      '/%2F%2Fevil.example',
      '/.//evil.example',
      '///evil.example/%2e%2e',
      '/x"><script>alert(1)</script>',
      `/x'onmouseover='alert(1)`,
      '/?lang=ko&a="><script>alert(1)</script>',
      '/javascript:alert(1)',
      '/;@evil.example',
      'http://evil.example/x',
      'https://evil.example//evil.example/',
    ])('X16: the error page of %s links to this service only and escapes the address', async (target) => {
      const { status, text } = await rawGet(story.service.url, target);

      expect([303, 400, 404]).toContain(status);
      expect(text).not.toMatch(/<script>alert|<img src=x/);
      for (const [, href = ''] of text.matchAll(/(?:href|action|src)="([^"]*)"/g)) {
        const url = new URL(href.replaceAll('&amp;', '&'), 'https://login.example/portal/x');
        expect(url.origin, href).toBe('https://login.example');
      }
    });
  });

  describe('return_to', () => {
    /** Every place that redirects or links to `return_to`, as what the browser opens next. */
    async function placesOf(target: string): Promise<Readonly<Record<string, string>>> {
      const query = `?return_to=${encodeURIComponent(target)}`;
      const of = (answer: Answer): string => answer.headers.get('location') ?? `no redirect: ${answer.status}`;
      const person = story.person();
      const client = story.client();
      const signedIn = await signIn(person, client, query);
      const again = await visit(client, `${LOGIN}${query}`);
      const started = await staff.client().get(`/saml/corp/login${query}`);
      const form = fieldsOf(client, await visit(client, `${SETUP}${query}`), 'Use an authenticator app');
      return {
        'sign-in': of(signedIn),
        'signed in already': of(again),
        'setup form': form['return_to'] ?? '-',
        'identity provider': new URL(of(started)).host,
      };
    }

    it('X16: an address outside of the service and of the allowed origins leads to the home page', async () => {
      const found: string[] = [];
      for (const target of EVIL_TARGETS) {
        const places = await placesOf(target);
        for (const [place, next] of Object.entries(places)) {
          if (!['/', 'idp.test'].includes(next)) found.push(`${target} at ${place}: ${next}`);
        }
      }
      expect(found).toEqual([]);
    });

    it('X16: own paths and addresses of an allowed origin are kept as they are', async () => {
      for (const target of ALLOWED_TARGETS) {
        expect(await placesOf(target), target).toEqual({
          'sign-in': target,
          'signed in already': target,
          'setup form': target,
          'identity provider': 'idp.test',
        });
      }
    });

    it('A4: an allowed origin in capital letters is read as a browser reads it', async () => {
      expect(await placesOf(`${FRIEND.toUpperCase()}/Menu`)).toMatchObject({
        'sign-in': `${FRIEND}/Menu`,
        'signed in already': `${FRIEND}/Menu`,
      });
    });

    it('X16: second step, step-up, setup, codes and lock lead to return_to only if it is allowed', async () => {
      for (const [target, expected] of [
        ['//evil.example', '/'],
        [`${FRIEND}@evil.example`, '/'],
        [`${FRIEND}/x`, `${FRIEND}/x`],
      ] as const) {
        const query = `?return_to=${encodeURIComponent(target)}`;
        const person = await story.enrolled();
        const client = await byPassword(person);
        const page = await visit(client, `${VERIFY}${query}`);
        expect(page.text).not.toContain(`href="${target}`);
        // The field of the form is input, too.
        const fields = { ...fieldsOf(client, page, 'Continue'), return_to: target };
        const verified = await post(client, VERIFY, { ...fields, code: story.nextCode(person) });
        expect(verified.headers.get('location')).toBe(expected);
        expect((await visit(client, `${VERIFY}${query}`)).headers.get('location')).toBe(expected);

        await story.lock(person);
        const locked = await visit(await byPassword(person), `${VERIFY}${query}`);
        expect(locked.text).toContain(`return_to=${encodeURIComponent(expected)}`);

        const fresh = await byPassword();
        const setup = await post(fresh, SETUP, {
          ...fieldsOf(fresh, await visit(fresh, SETUP), 'Use an authenticator app'),
          return_to: target,
        });
        expect(setup.headers.get('location')).toBe(`${SETUP}?return_to=${encodeURIComponent(expected)}`);
        const secret = await follow(fresh, setup);
        const confirm = { ...fieldsOf(fresh, secret, 'Confirm'), return_to: target };
        const confirmed = await post(fresh, CONFIRM, { ...confirm, code: story.codeOf(appOf(secret)) });
        expect(confirmed.headers.get('location')).toBe(`${CODES}?return_to=${encodeURIComponent(expected)}`);
        const codes = await visit(fresh, `${CODES}${query}`);
        const saved = await post(fresh, CODES, { ...fieldsOf(fresh, codes, 'I saved them'), return_to: target });
        expect(saved.headers.get('location')).toBe(expected);
        expect((await visit(fresh, `${CODES}${query}`)).headers.get('location')).toBe(expected);
      }
    });
  });

  function appOf({ text }: Answer): AuthenticatorApp {
    return AuthenticatorApp.typeIn(/data-text="([A-Z2-7]{32})"/.exec(text)?.[1] ?? '');
  }

  describe('sessions of the pages', () => {
    it('S7: each step of a sign-in replaces the cookie, and the one before is dead', async () => {
      const person = await story.enrolled();
      const client = story.client();
      client.plant('SESSION', 'A'.repeat(43));

      await signIn(person, client);
      const half = sessionOf(client);
      const page = await visit(client, VERIFY);
      await post(client, VERIFY, { ...fieldsOf(client, page, 'Continue'), code: story.nextCode(person) });
      const full = sessionOf(client);
      story.clock.advance(600);
      const stepUp = await visit(client, `${SECURITY}/backup-codes`);
      const issued = await post(client, `${SECURITY}/backup-codes`, {
        ...fieldsOf(client, stepUp, 'Create new codes'),
        code: story.nextCode(person),
      });
      expect(issued).toBeAnswered(303);
      const stepped = sessionOf(client);

      expect(new Set(['A'.repeat(43), half, full, stepped]).size).toBe(4);
      expect(await Promise.all([half, full].map((secret) => isAlive(client, secret)))).toEqual([false, false]);
      expect(await isAlive(client, stepped)).toBe(true);
    });

    it.each(['with both factors', 'by password'])(
      'S7: a new password replaces the cookie of its session (%s)',
      async (kind) => {
        const person = kind === 'by password' ? story.person() : await story.enrolled();
        const client = kind === 'by password' ? await byPassword(person) : await withBoth(person as Enrolled);
        const other = kind === 'by password' ? await byPassword(person) : await withBoth(person as Enrolled);
        const before = sessionOf(client);
        const page = await visit(client, `${SECURITY}/password`);

        const changed = await post(client, `${SECURITY}/password`, {
          ...fieldsOf(client, page, 'Change password'),
          current: PASSWORD,
          new: CHOSEN,
        });

        expect(changed).toBeAnswered(303);
        expect(await isAlive(client, sessionOf(other))).toBe(false);
        expect(await isAlive(client, before)).toBe(false);
        expect(await client.get('/session')).toBeAnswered(200);
      },
    );

    it('S7: turning the second factor off replaces the cookie of its session, and ends the others', async () => {
      const person = await story.enrolled();
      const [client, other] = [await withBoth(person), await withBoth(person)];
      const before = sessionOf(client);
      const page = await visit(client, `${SECURITY}/turn-off`);

      const off = await post(client, `${SECURITY}/turn-off`, {
        ...fieldsOf(client, page, 'Turn off'),
        code: story.nextCode(person),
      });

      expect(off).toBeAnswered(303);
      expect(await isAlive(client, sessionOf(other))).toBe(false);
      expect(await isAlive(client, before)).toBe(false);
      expect(await client.get('/session')).toBeAnswered(200);
    });
  });

  describe('turning the second factor off', () => {
    it('T1, T9: one code counts once, wrong codes are counted, and the lock takes the place of the form', async () => {
      const person = await story.enrolled();
      const client = await withBoth(person);
      const used = story.codeOf(person.app);
      const fields = fieldsOf(client, await visit(client, `${SECURITY}/turn-off`), 'Turn off');
      const turnOff = (code: string): Promise<Answer> => post(client, `${SECURITY}/turn-off`, { ...fields, code });

      expect(await turnOff('')).toBeAnswered(400);
      expect(await turnOff(used)).toBeAnswered(401);
      for (let variant = 0; variant < 4; variant += 1) await turnOff(story.wrongCode(person, variant));
      const locked = await turnOff(story.nextCode(person));

      expect(locked).toBeAnswered(429);
      expect(locked.text).toContain('data-wait=');
      expect(await story.countOf(person, 'MFA_DISABLED')).toBe(0);
    });

    it('T6: one of ten forms with one code at once turns the second factor off', async () => {
      const person = await story.enrolled();
      const client = await withBoth(person);
      const fields = fieldsOf(client, await visit(client, `${SECURITY}/turn-off`), 'Turn off');
      const code = story.nextCode(person);

      const answers = await Promise.all(
        Array.from({ length: 10 }, () => post(client.copy(), `${SECURITY}/turn-off`, { ...fields, code })),
      );

      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(await story.countOf(person, 'MFA_DISABLED')).toBe(1);
    });
  });

  describe('half-authenticated browsers', () => {
    it('T17: a half-authenticated browser opens pages of the second factor only', async () => {
      const client = await byPassword(await story.enrolled());
      const csrf = fieldsOf(client, await visit(client, VERIFY), 'Continue')['csrf'] ?? '';

      for (const path of [
        SECURITY,
        ...['password', 'backup-codes', 'activity', 'replace', 'turn-off', 'add-app', 'add-passkey'].map(
          (name) => `${SECURITY}/${name}`,
        ),
        ...['rename', 'remove'].map((act) => `${SECURITY}/authenticators/x/${act}`),
      ]) {
        expect(await visit(client, path), path).toBeAnswered(403);
      }
      for (const path of [
        '',
        '/users',
        '/events',
        '/import',
        '/new-user',
        '/users/x',
        '/users/x/delete',
        '/users/x/access',
      ]) {
        expect(await visit(client, `/portal/admin${path}`), path).toBeAnswered(403);
      }
      for (const [path, typed] of Object.entries({ ...OWN_FORMS, ...ADMIN_FORMS })) {
        if (!/^\/portal\/(?:security|admin)/.test(path)) continue;
        expect(await post(client, path, { ...typed, csrf }), path).toBeAnswered(403);
      }
      const setup = await post(client, SETUP, { csrf });
      expect(setup).toBeAnswered(403);
      expect(setup.text).not.toContain('otpauth:');
    });

    it('S8, T17: no use extends the session for an enrolment, and it opens nothing else', async () => {
      const person = { id: 'boss', password: PASSWORD };
      const client = await byPassword(person);
      const first = await visit(client, SETUP);
      const begin = fieldsOf(client, first, 'Use an authenticator app');

      for (let minute = 0; minute < 9; minute += 1) {
        const again = await post(client, SETUP, begin);
        expect(again).toBeAnswered(303);
        expect(setCookie(again, 'SESSION')).toBeUndefined();
        expect(await follow(client, again)).toBeAnswered(200);
        expect(await visit(client, SECURITY)).toBeAnswered(403);
        expect(await client.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
        expect(await client.get('/admin/users')).toBeRefused(403, 'MFA_REQUIRED');
        story.clock.advance(60);
      }
      story.clock.advance(61);

      expect(await visit(client, SETUP)).toBeAnswered(401);
      expect(await post(client, SETUP, begin)).toBeAnswered(401);
    });

    it('A9, T17: a pending secret is never shown to another login of the user', async () => {
      const person = { id: 'chief', password: PASSWORD };
      const [owner, thief] = [await byPassword(person), await byPassword(person)];
      const shown = await follow(
        owner,
        await post(owner, SETUP, fieldsOf(owner, await visit(owner, SETUP), 'Use an authenticator app')),
      );
      const { secret } = appOf(shown);

      const seen = await visit(thief, SETUP);
      const begun = await post(thief, SETUP, { csrf: fieldsOf(thief, seen, 'Use an authenticator app')['csrf'] ?? '' });
      const confirmed = await post(thief, CONFIRM, {
        csrf: fieldsOf(thief, seen, 'Use an authenticator app')['csrf'] ?? '',
        code: story.codeOf(appOf(shown)),
      });

      expect([seen, begun, confirmed].map(({ status }) => status)).toEqual([200, 409, 409]);
      for (const { text } of [seen, begun, confirmed]) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain('otpauth');
        expect(text).not.toContain('data:image');
      }
    });
  });

  describe('the help desk', () => {
    const STATED = { reason: 'lost phone', ticket: 'HD-1' };

    it('H10: no form of the pages lets the help desk change an administrator', async () => {
      const client = await asHelpDesk();
      const subject = await story.subjectOf({ id: 'head' });
      const csrf = await csrfOf(client);

      for (const [form, typed] of Object.entries(ADMIN_FORMS)) {
        const answer = await post(client, form.replace('{sub}', subject), { ...typed, ...statedFor(form), csrf });
        expect(answer, form).toBeAnswered(403);
      }
      expect(await visit(await asAdministrator(), '/portal/admin')).toBeAnswered(200);
      const shown = await visit(client, `/portal/admin/users/${subject}`);
      expect(shown).toBeAnswered(200);
      expect(shown.text).not.toMatch(
        /127\.0\.0\.1|<form[^>]*\/(?:unlock|reset|remove-authenticator|change|roles|disable|delete)"/,
      );
    });

    it('H10: for other users the help desk has the forms to unlock, to reset, to remove an authenticator and to issue an access code only, with reason and ticket', async () => {
      const person = await story.enrolled();
      const subject = await story.subjectOf(person);
      const client = await asHelpDesk();
      const csrf = await csrfOf(client);
      const send = (form: string, typed: Fields): Promise<Answer> =>
        post(client, form.replace('{sub}', subject), { ...typed, csrf });

      for (const [form, typed] of Object.entries(ADMIN_FORMS).filter(
        ([path]) => !/unlock|reset|remove-|access-code/.test(path),
      )) {
        expect(await send(form, { ...typed, ...statedFor(form) }), form).toBeAnswered(403);
      }
      const [{ id: authenticator } = { id: '' }] = await story.database.query<{ id: string }>(
        'SELECT id FROM totp_secret WHERE user_id = ?',
        [subject],
      );
      for (const form of [`${USER}/unlock`, `${USER}/reset`, `${USER}/access-code`, `${USER}/remove-authenticator`]) {
        const named: Fields = form.endsWith('/remove-authenticator') ? { authenticator } : {};
        expect(await send(form, { ...named, reason: 'lost phone' }), form).toBeAnswered(400);
        expect(await send(form, { ...named, ticket: 'HD-1' }), form).toBeAnswered(400);
      }
      for (const path of ['/portal/admin/events', '/portal/admin/import', '/portal/admin/new-user']) {
        expect(await visit(client, path), path).toBeAnswered(403);
      }
      expect(await send(`${USER}/reset`, STATED)).toBeAnswered(303);
      expect(await story.countOf(person, 'MFA_RESET_BY_ADMIN')).toBe(1);
    });

    function statedFor(form: string): Fields {
      return form.endsWith('/new-user') ? {} : STATED;
    }
  });

  describe('what pages contain', () => {
    it('H3, L4: login id, user agent, brand and name of an identity provider are texts on every page', async () => {
      const person = await story.enrolled();
      await story.database.query('UPDATE account SET login_id = ? WHERE login_id = ?', [
        HOSTILE.toLowerCase(),
        person.id,
      ]);
      const hostile = { ...person, id: HOSTILE.toLowerCase() };
      const client = story.client();
      client.headers['user-agent'] = HOSTILE;
      await signIn(hostile, client);
      const verify = await visit(client, VERIFY);
      const unfinished = await visit(client, '/');
      await post(client, VERIFY, {
        ...fieldsOf(client, verify, 'Continue'),
        trust_device: 'true',
        code: story.nextCode(person),
      });
      const renewed = await post(
        client,
        `${SECURITY}/backup-codes`,
        fieldsOf(client, await visit(client, `${SECURITY}/backup-codes`), 'Create new codes'),
      );
      const codes = await follow(client, renewed);
      const pages = [verify, unfinished, codes, await visit(story.client(), LOGIN)];
      for (const path of [
        '/',
        SECURITY,
        ...['password', 'backup-codes', 'activity', 'replace', 'turn-off'].map((name) => `${SECURITY}/${name}`),
      ]) {
        pages.push(await visit(client, path));
      }
      const admin = await asAdministrator();
      const subject = await story.subjectOf(hostile);
      const back = encodeURIComponent(HOSTILE);
      for (const path of [
        `/users?query=${back}`,
        `/users/${subject}`,
        ...['access', 'activity', 'unlock', 'roles', 'delete'].map((part) => `/users/${subject}/${part}`),
        '/events',
        `/events?user=${back}&from=${back}`,
      ]) {
        const page = await visit(admin, `/portal/admin${path}`);
        expect(page).toBeAnswered(200);
        pages.push(page);
      }
      for (const kind of ['not-me', 'reset'] as const) {
        pages.push(await visit(story.client(), `/portal/${kind}?token=${await links.token(hostile, LINKS[kind])}`));
      }
      pages.push(
        await visit(client, `${LOGIN}?again=${encodeURIComponent(HOSTILE)}&return_to=${encodeURIComponent(HOSTILE)}`),
      );
      pages.push(await visit(client, `${SECURITY}?done=${encodeURIComponent(HOSTILE)}`));
      pages.push(await visit(client, `${SECURITY}/activity?after=${encodeURIComponent(HOSTILE)}`.slice(0, 90)));

      expectNoMarkup(pages);
      expect(codes.text).toContain('&lt;script&gt;');
      expect(/href="data:text\/plain;charset=utf-8,([^"]*)"/.exec(codes.text)?.[1]).toMatch(/^[\w%.!~*()'&#;-]+$/);
    });

    it('H3, L4: what an identity provider says about a user is text on every page', async () => {
      const attributes = { [MAIL]: HOSTILE, [GROUPS]: [HOSTILE, 'ROLE_ADMIN'] };
      const { client, answer } = await staff.signIn({ nameId: HOSTILE, attributes });
      expect(answer).toBeAnswered(303);
      const pages: Answer[] = [];
      for (const path of ['/', SECURITY, `${SECURITY}/password`, `${SECURITY}/activity`, VERIFY, SETUP]) {
        pages.push(await visit(client, path));
      }
      const admin = await asAdministrator();
      const [account] = await story.database.query<{ id: string; login_id: string; email: string | null }>(
        "SELECT id, login_id, email FROM account WHERE kind = 'staff'",
      );
      expect(account).toMatchObject({ login_id: expect.stringContaining('<script>') as string, email: null });
      const list = await visit(admin, '/portal/admin/users?query=corp');
      const user = await visit(admin, `/portal/admin/users/${account?.id}`);
      pages.push(list, user, await visit(admin, '/portal/admin/events?kind=SAML_OK'));

      expectNoMarkup(pages);
      for (const page of [pages[0], list, user]) expect(page?.text).toContain('&lt;script&gt;alert(1)');
    });

    it('H9: every page refuses frames, and its forms lead to the service and to allowed origins only', async () => {
      const client = await byPassword();
      const pages = [
        ...(await Promise.all(
          [LOGIN, FORGOT, '/portal/reset?token=x', '/nowhere', VERIFY, '/portal/resume'].map((path) =>
            visit(story.client(), path),
          ),
        )),
        ...(await Promise.all(
          ['/', SECURITY, `${SECURITY}/password`, SETUP, '/nowhere', '/.well-known/change-password'].map((path) =>
            visit(client, path),
          ),
        )),
      ];

      for (const page of pages) {
        const policy = page.headers.get('content-security-policy') ?? '';
        expect(policy, page.request).toContain("frame-ancestors 'none'");
        expect(policy, page.request).toMatch(/default-src 'none'/);
        const isEmpty = page.text === '';
        expect(isEmpty || policy.includes(`form-action 'self' ${FRIEND};`), page.request).toBe(true);
        expect(policy, page.request).not.toContain('unsafe');
        expect(page.headers.get('x-frame-options'), page.request).toBe('DENY');
        expect(page.headers.get('x-content-type-options'), page.request).toBe('nosniff');
        expect(page.headers.get('cache-control'), page.request).toBe('no-store');
      }
    });

    it('S4: what caches may keep is the same for everybody and sets no cookie', async () => {
      const client = await byPassword();
      const { text } = await visit(client, '/');
      const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
      expect(assets.length).toBeGreaterThan(2);

      for (const path of [...assets, '/favicon.ico']) {
        const [own, others] = [await client.get(`${path}?lang=ko`), await story.client().get(path)];
        expect(own.text, path).toBe(others.text);
        expect(own.cookies, path).toEqual([]);
        expect(own.headers.get('cache-control'), path).toMatch(/^public, /);
        expect(own.headers.get('content-security-policy'), path).toContain('sandbox');
      }
    });

    it('S9: the page of a link tells its address to nobody, also where it fails', async () => {
      const token = await links.token(story.person(), 'not-me');

      for (const path of [
        `/portal/not-me?token=${token}`,
        `/portal/reset?token=${token}`,
        `/portal/unlock?token=${token}`,
        `/portal/reset/?token=${token}`,
      ]) {
        const page = await visit(story.client(), path);
        expect(page.text, path).toContain('<meta name="referrer" content="strict-origin">');
        const hrefs = [...page.text.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, href = '']) => href);
        expect(hrefs.filter((href) => href.includes(token) && !href.startsWith('/portal/'))).toEqual([]);
      }
    });

    it('S9: the page for a forgotten password is the same for every username', async () => {
      const responses = await Promise.all(
        ['person-1', 'nobody', 'boss'].map(async (id) => {
          const client = story.client();
          const answer = await submit(client, await visit(client, FORGOT), { id }, { host: 'evil.example' });
          return [answer.status, answer.text, answer.cookies.length, answer.headers.get('content-length')];
        }),
      );

      expect(responses[1]).toEqual(responses[0]);
      expect(responses[2]).toEqual(responses[0]);
    });
  });
});

/** The tags of a page, without the values of their attributes. */
/** Expects that none of the texts of `HOSTILE` is markup on these pages. */
function expectNoMarkup(pages: readonly Answer[]): void {
  for (const page of pages) {
    expect(page.text, page.request).not.toMatch(/<script>|<img src=x|alert\(1\)"/i);
    expect(page.text, page.request).toContain('O&#39;Hara &quot;&amp;&quot; sons');
    expect(tagsOf(page.text), page.request).not.toMatch(/\son\w+\s*=/i);
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self';/);
  }
}

function tagsOf(text: string): string {
  return (text.replaceAll(/="[^"]*"/g, '=""').match(/<[^>]*>/g) ?? []).join('');
}

/** A request whose target is sent as it is. */
async function rawGet(baseUrl: string, target: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(baseUrl);
  const head = `GET ${target} HTTP/1.1\r\nhost: ${hostname}:${port}\r\naccept: text/html\r\nconnection: close\r\n\r\n`;
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(head));
    let text = '';
    socket.on('data', (part: Buffer) => (text += part.toString()));
    socket.on('error', reject);
    socket.on('end', () => {
      resolve({ status: Number(text.slice(9, 12)), text });
    });
  });
}

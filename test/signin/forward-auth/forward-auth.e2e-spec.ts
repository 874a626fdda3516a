import { describe, expect, it } from 'vitest';
import { onAnyEngine, onEachEngine, onSqlite } from '../../support/database/story-database.js';
import { locationOf, ProxiedBrowser } from '../../support/forward-auth/proxied-browser.js';
import { type Answer, type HttpClient, setCookie } from '../../support/http/http-client.js';
import { type Enrolled, type Person, storyOn } from '../../support/login/login-story.js';
import { BROWSER, submit, visit } from '../../support/pages/pages.js';

const WIKI = 'https://wiki.example.com';
const SHOP = 'https://shop.example.com';
const SAME_ORIGIN = { origin: 'https://login.example.com' };
const COOKIE = '__Host-forward-auth';
const rule = (name: string, members: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(members).map(([member, value]) => `--app.security.forward-auth.rules.${name}.${member}=${value}`);

onAnyEngine('Forward authentication', (engine) => {
  const story = storyOn(engine, {
    args: [
      '--app.security.public-url=https://login.example.com',
      ...rule('wiki', { url: WIKI }),
      ...rule('wiki-health', { url: `${WIKI}/health`, public: 'true' }),
      ...rule('wiki-hr', { url: `${WIKI}/hr`, roles: 'ROLE_HR' }),
      ...rule('wiki-pay', { url: `${WIKI}/pay`, 'min-acr': 'urn:login:acr:mfa' }),
      ...rule('wiki-keys', { url: `${WIKI}/keys`, 'max-age': '5m' }),
      ...rule('shop', { url: SHOP }),
    ],
    people: 60,
    others: { 'hr-user': 'ROLE_HR' },
  });
  const browserAt = (origin: string, atService: HttpClient = story.client()): ProxiedBrowser =>
    new ProxiedBrowser(story.client(), atService, origin);
  const sessionOf = async (person: Person): Promise<HttpClient> => {
    const browser = story.client();
    browser.headers['x-forwarded-proto'] = 'https';
    const answer = await browser.post('/session', { id: person.id, pw: person.password });
    if (answer.status !== 200) throw new Error(answer.text);
    return browser;
  };
  const signedIn = async (uri = '/', person = story.person()): Promise<ProxiedBrowser> => {
    const browser = browserAt(WIKI, await sessionOf(person));
    await browser.signIn(uri);
    return browser;
  };
  const remoteOf = (answer: Answer): Readonly<Record<string, string | null>> =>
    Object.fromEntries(
      ['user', 'email', 'groups', 'amr', 'acr'].map((name) => [name, answer.headers.get(`remote-${name}`)]),
    );

  describe('a sign-in', () => {
    it('leads a visitor through the pages of the service, back to the address with its query', async () => {
      const person = story.person();
      const browser = browserAt(WIKI);
      browser.atService.headers['x-forwarded-proto'] = 'https';
      const uri = '/reports/2026?q=a%20b&next=//evil.example&x=%2e%2e';

      const asked = await browser.visit(uri);
      const authorize = await browser.begin(asked);
      const question = await visit(browser.atService, authorize);
      const page = await visit(browser.atService, locationOf(question));
      const sent = await submit(browser.atService, page, { id: person.id, pw: person.password }, SAME_ORIGIN);
      const ended = await browser.end(await visit(browser.atService, locationOf(sent)));

      expect(asked).toBeAnswered(302);
      expect(page.headers.get('content-security-policy')).toContain(WIKI);
      expect(locationOf(ended)).toBe(WIKI + uri);
      expect(setCookie(ended, COOKIE)?.attributes).toEqual({
        path: '/',
        httponly: true,
        secure: true,
        samesite: 'Lax',
      });
      const decision = await browser.visit(uri);
      expect(decision).toBeAnswered(200);
      expect(decision.text).toBe('');
      expect(decision.headers.get('cache-control')).toBe('no-store');
      expect(remoteOf(decision)).toEqual({
        user: person.id,
        email: '',
        groups: '',
        amr: 'pwd',
        acr: 'urn:login:acr:pwd',
      });
    });

    it('needs no page if the browser is signed in', async () => {
      const browser = browserAt(WIKI, await sessionOf(story.person()));

      expect(await browser.signIn('/a?b=c')).toBe(`${WIKI}/a?b=c`);
      expect(await browser.visit('/a?b=c')).toBeAnswered(200);
    });

    it('replaces the session that the browser had there, and none of another application', async () => {
      const wiki = await signedIn();
      const cookie = wiki.atApplication.cookie(COOKIE) ?? '';
      const shop = new ProxiedBrowser(wiki.atApplication.copy(), wiki.atService, SHOP);
      const again = new ProxiedBrowser(wiki.atApplication.copy(), wiki.atService, WIKI);

      await shop.signIn('/');
      const afterOther = await browserAt(WIKI).visit('/', { cookie: `${COOKIE}=${cookie}` });
      await again.end(await visit(again.atService, await again.begin(await browserAt(WIKI).visit('/'))));
      const afterSame = await browserAt(WIKI).visit('/', { cookie: `${COOKIE}=${cookie}` });

      expect(afterOther).toBeAnswered(200);
      expect(afterSame).toBeAnswered(302);
    });

    it('admits a query of any length, and returns from a sign-in to the path of a long address', async () => {
      const [uri, stranger] = [`/report?q=${'%5B'.repeat(2500)}`, browserAt(WIKI)];

      expect(await (await signedIn()).visit(uri)).toBeAnswered(200);
      expect(locationOf(await stranger.visit(uri))).toBe(`${WIKI}/forward-auth/sign-in?return_to=%2Freport`);
    });

    it('demands https of no host of the application, and shows pages without files there', async () => {
      const browser = browserAt(WIKI, await sessionOf(story.person()));
      const headers = { ...BROWSER, 'x-forwarded-proto': 'https', 'x-forwarded-host': new URL(WIKI).host };
      const at = (path: string): Promise<Answer> => browser.atApplication.get(path, { headers });
      const checked = await browser.visit('/');
      const begun = await at('/forward-auth/sign-in?return_to=%2F');
      const errors = [await at('/forward-auth/sign-in?return_to=%2F%2Fa'), await at('/forward-auth/callback?code=a')];

      const all = [checked, begun, ...errors].map((answer) => answer.headers.get('strict-transport-security'));
      expect(all).toEqual([null, null, null, null]);
      expect(begun).toBeAnswered(303);
      for (const error of errors) {
        expect(error.headers.get('content-type')).toMatch(/^text\/html;/);
        expect(error.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*sandbox/);
        expect(error.text).not.toMatch(/<(?:script|link|img|style)|style=|src=/);
        expect(error.text).toContain('<a href="/">Open the application</a>');
        expect(error.cookies).toEqual([]);
      }
      const korean = await browser.atApplication.get('/forward-auth/callback?code=a&lang=en', {
        headers: { ...headers, 'accept-language': 'ko' },
      });
      expect(korean.text).toContain('<html lang="ko">');
      const json = { ...headers, accept: '*/*' };
      expect(await browser.atApplication.get('/forward-auth/callback?code=a', { headers: json })).toBeRefused(
        400,
        'VALIDATION_FAILED',
      );
      const page = await browser.atService.get('/portal/login', { headers: BROWSER });
      expect(page.headers.get('strict-transport-security')).toContain('max-age');
    });

    it('of two tabs that begin together ends in both', async () => {
      const browser = browserAt(WIKI, await sessionOf(story.person()));
      const [first, second] = [
        await browser.begin(await browser.visit('/1')),
        await browser.begin(await browser.visit('/2')),
      ];

      const ends = [];
      for (const path of [first, second])
        ends.push(locationOf(await browser.end(await visit(browser.atService, path))));

      expect(ends).toEqual([`${WIKI}/1`, `${WIKI}/2`]);
    });

    it('ends with the session of the browser, and with a disabled account', async () => {
      const [left, disabled] = [await signedIn(), await signedIn()];
      const subject = (await disabled.atService.get('/me')).body['sub'];
      await left.atService.delete('/session', { headers: SAME_ORIGIN });
      await story.database.query("UPDATE account SET status = 'disabled' WHERE id = ?", [String(subject)]);

      expect(await left.visit('/')).toBeAnswered(302);
      expect(await disabled.visit('/')).toBeAnswered(302);
    });

    it('lasts as long as the session of the browser, which each use extends', async () => {
      const used = await signedIn();
      const unused = await signedIn();
      for (let minutes = 0; minutes < 40; minutes += 20) {
        story.clock.advance(20 * 60);
        expect(await used.visit('/')).toBeAnswered(200);
      }

      expect(await unused.visit('/')).toBeAnswered(302);
      expect(await used.atService.get('/me')).toBeAnswered(200);
    });
  });

  describe('a rule', () => {
    it('for everyone needs no session, and tells nothing about a user', async () => {
      const decision = await browserAt(WIKI).ask('/health/live', 'POST');

      expect(decision).toBeAnswered(200);
      expect(remoteOf(decision)).toEqual({ user: '', email: '', groups: '', amr: '', acr: '' });
      expect((await (await signedIn()).visit('/health')).headers.get('remote-user')).toBe('');
    });

    it('with roles rejects users without one of them', async () => {
      const browser = await signedIn();
      const member = await signedIn('/', { id: 'hr-user', password: story.person().password });

      expect(await browser.visit('/hr/people')).toBeRefused(403, 'ACCESS_DENIED');
      expect(await browser.visit('/hrx')).toBeAnswered(200);
      expect(await member.visit('/hr/people')).toBeAnswered(200);
    });

    it('with a class of assurance is met by a second factor, which a user without one sets up first', async () => {
      const person: Enrolled = await story.enrolled();
      const atService = await sessionOf(person);
      await atService.post('/2fa/verify', { code: story.nextCode(person) }, { headers: SAME_ORIGIN });
      const [strong, weak] = [browserAt(WIKI, atService), await signedIn()];
      await strong.signIn('/pay/slip?id=1');

      const question = await visit(weak.atService, await weak.begin(await weak.visit('/pay/slip?id=1')));

      expect(locationOf(question)).toMatch(/^\/2fa\/portal\/setup\?return_to=/);
      expect(await weak.ask('/pay/slip?id=1', 'POST')).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(remoteOf(await strong.visit('/pay/slip?id=1'))).toMatchObject({
        ...{ amr: 'pwd,otp', acr: 'urn:login:acr:mfa' },
      });
    });

    it('S7: that a step-up has met is not met by a cookie from before it', async () => {
      const person: Enrolled = await story.enrolled();
      const atService = await sessionOf(person);
      await atService.post('/2fa/verify', { code: story.nextCode(person) }, { headers: SAME_ORIGIN });
      const browser = browserAt(WIKI, atService);
      await browser.signIn('/');

      await atService.post('/2fa/verify', { code: story.nextCode(person) }, { headers: SAME_ORIGIN });

      expect(await browser.visit('/')).toBeAnswered(302);
      expect(await browser.signIn('/pay')).toBe(`${WIKI}/pay`);
      expect(await browser.visit('/pay')).toBeAnswered(200);
    });

    it('with a maximum age asks for the password again, and ends the cookies from before', async () => {
      const person = story.person();
      const browser = await signedIn('/', person);
      const copy = new ProxiedBrowser(browser.atApplication.copy(), story.client(), WIKI);
      story.clock.advance(6 * 60);
      const question = await visit(browser.atService, await browser.begin(await browser.visit('/keys')));

      const page = await visit(browser.atService, locationOf(question));
      const sent = await submit(browser.atService, page, { id: person.id, pw: person.password }, SAME_ORIGIN);
      const ended = await browser.end(await visit(browser.atService, locationOf(sent)));

      expect(locationOf(question)).toContain('again=true');
      expect(await copy.visit('/')).toBeAnswered(302);
      expect(locationOf(ended)).toBe(`${WIKI}/keys`);
      expect(await browser.visit('/keys')).toBeAnswered(200);
    });
  });

  describe('requests of scripts', () => {
    it.each([
      ['POST', {}],
      ['GET', { accept: 'application/json' }],
      ['GET', { accept: 'text/html', 'sec-fetch-mode': 'cors' }],
      ['GET', { accept: 'text/html', 'x-requested-with': 'XMLHttpRequest' }],
    ])('such as %s with %o get 401 without an address', async (method, headers) => {
      const decision = await browserAt(WIKI).ask('/api', method, headers);

      expect(decision).toBeRefused(401, 'INVALID_TOKEN');
      expect(decision.headers.get('location')).toBeNull();
    });

    it('are admitted whatever they accept and wherever they come from', async () => {
      const browser = await signedIn();

      for (const headers of [
        { accept: 'image/avif' },
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      ]) {
        expect(await browser.ask('/logo.png', 'PUT', headers)).toBeAnswered(200);
      }
    });
  });

  describe('cookies', () => {
    it('of this service do not reach the application, and its own do', async () => {
      const browser = await signedIn();
      const own = browser.atApplication.cookie(COOKIE) ?? '';

      const decision = await browser.visit('/', {
        cookie: `a=1; ${COOKIE}=${own}; SESSION=app; forward-auth=x; b="2 3"`,
      });

      expect(decision.headers.get('cookie')).toBe('a=1; SESSION=app; b="2 3"');
    });

    it('J5: of an application is no session of this service, nor of another application, and the other way round', async () => {
      const browser = await signedIn();
      const own = browser.atApplication.cookie(COOKIE) ?? '';
      const session = browser.atService.cookie('__Host-SESSION') ?? '';
      const atShop = browserAt(SHOP);
      expect([own, session]).not.toContain('');

      expect(await story.client().get('/me', { headers: { cookie: `SESSION=${own}` } })).toBeAnswered(401);
      expect(await atShop.visit('/', { cookie: `${COOKIE}=${own}` })).toBeAnswered(302);
      expect(await browserAt(WIKI).visit('/', { cookie: `${COOKIE}=${session}` })).toBeAnswered(302);
      expect(await browserAt(WIKI).visit('/', { cookie: `${COOKIE}=${own}` })).toBeAnswered(200);
    });
  });

  describe('a code', () => {
    const codeFor = async (browser: ProxiedBrowser): Promise<Answer> =>
      visit(browser.atService, await browser.begin(await browser.visit('/')));

    it('is rejected after a minute', async () => {
      const browser = browserAt(WIKI, await sessionOf(story.person()));
      const authorized = await codeFor(browser);
      story.clock.advance(60);

      expect(await browser.end(authorized)).toBeAnswered(400);
    });

    const elsewhere = (authorized: Answer): Answer => ({
      ...authorized,
      headers: new Headers({ location: locationOf(authorized).replace(WIKI, SHOP) }),
    });
    it.each(['without a state', 'with another state', 'at another host'])(
      'J5: that is sent %s is rejected, and is then used up for the browser that began',
      async (place) => {
        const browser = browserAt(WIKI, await sessionOf(story.person()));
        const authorized = await codeFor(browser);
        const stranger = browserAt(WIKI);
        if (place === 'with another state') await stranger.begin(await stranger.visit('/'));
        const atShop = new ProxiedBrowser(browser.atApplication.copy(), browser.atService, SHOP);
        const [sender, sent] =
          place === 'at another host' ? [atShop, elsewhere(authorized)] : ([stranger, authorized] as const);

        expect(await sender.end(sent)).toBeAnswered(400);
        expect(await browser.end(authorized)).toBeAnswered(400);
      },
    );

    it('opens nothing after the sign-out of the browser', async () => {
      const browser = browserAt(WIKI, await sessionOf(story.person()));
      const authorized = await codeFor(browser);

      await browser.atService.delete('/session', { headers: SAME_ORIGIN });

      expect(await browser.end(authorized)).toBeAnswered(400);
    });

    it('of the back button leads to the application, in which the browser is signed in', async () => {
      const browser = browserAt(WIKI, await sessionOf(story.person()));
      const authorized = await codeFor(browser);
      await browser.end(authorized);

      expect(locationOf(await browser.end(authorized))).toBe(`${WIKI}/`);
    });
  });
});

onEachEngine('A code of forward authentication', (engine) => {
  const story = storyOn(engine, {
    args: ['--app.security.public-url=https://login.example.com', ...rule('wiki', { url: WIKI })],
    people: 2,
  });

  it('is used once by 200 requests at the same time', async () => {
    const person = story.person();
    const atService = story.client();
    atService.headers['x-forwarded-proto'] = 'https';
    await atService.post('/session', { id: person.id, pw: person.password });
    const browser = new ProxiedBrowser(story.client(), atService, WIKI);
    const authorized = await visit(atService, await browser.begin(await browser.visit('/')));
    const tabs = Array.from({ length: 200 }, () => new ProxiedBrowser(browser.atApplication.copy(), atService, WIKI));

    const answers = await Promise.all(tabs.map((tab) => tab.end(authorized)));

    expect(answers.filter((answer) => setCookie(answer, COOKIE))).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(199);
  });
});

onSqlite('Forward authentication with a context path', (engine) => {
  const origin = 'https://login.example.com';
  const story = storyOn(engine, {
    args: [
      `--app.security.public-url=${origin}/auth`,
      '--server.servlet.context-path=/auth',
      ...rule('wiki', { url: WIKI }),
      ...rule('app', { url: `${origin}/app` }),
    ],
    people: 5,
  });
  const clientWith = (protocol: string): HttpClient => {
    const client = story.client();
    client.headers['x-forwarded-proto'] = protocol;
    return client;
  };

  it('signs users in to an application at another host', async () => {
    const person = story.person();
    const atService = clientWith('https');
    await atService.post('/session', { id: person.id, pw: person.password });
    const browser = new ProxiedBrowser(story.client(), atService, WIKI);

    expect(locationOf(await browser.visit('/a'))).toBe(`${WIKI}/auth/forward-auth/sign-in?return_to=%2Fa`);
    expect(await browser.signIn('/a')).toBe(`${WIKI}/a`);
    expect(await browser.visit('/a')).toBeAnswered(200);
  });

  it('signs users in to an application at the host of the service, and keeps all cookies of the service from it', async () => {
    const person = story.person();
    const both = clientWith('https');
    await both.post('/session', { id: person.id, pw: person.password });
    const browser = new ProxiedBrowser(both, both, origin);
    await browser.signIn('/app/a');
    const own = [
      'SESSION',
      '__Host-SESSION',
      'refresh_token',
      'device',
      'trusted_device',
      'sign_in_form',
      'saml_request',
    ];

    const decision = await browser.visit('/app/a', {
      cookie: `${own.map((name) => `${name}=x`).join('; ')}; app=1; ${COOKIE}=${both.cookie(COOKIE) ?? ''}`,
    });

    expect(decision).toBeAnswered(200);
    expect(decision.headers.get('cookie')).toBe('app=1');
    expect(await browser.visit('/')).toBeRefused(403, 'ACCESS_DENIED');
  });
});

onSqlite('Forward authentication for nginx', (engine) => {
  const story = storyOn(engine, {
    args: [
      '--app.security.public-url=https://login.example.com',
      '--app.security.forward-auth.request-headers=original',
      ...rule('wiki', { url: WIKI }),
    ],
    people: 2,
  });

  it('answers 401 with the address of the sign-in, since nginx accepts no redirect', async () => {
    const browser = new ProxiedBrowser(story.client(), story.client(), WIKI, 'original');

    const [page, script] = [await browser.visit('/a?b'), await browser.ask('/a?b', 'POST')];

    expect(page).toBeAnswered(401);
    expect(locationOf(page)).toBe(`${WIKI}/forward-auth/sign-in?return_to=%2Fa%3Fb`);
    expect(script).toBeRefused(401, 'INVALID_TOKEN');
    expect(script.headers.get('location')).toBeNull();
  });

  it('does not read X-Forwarded-Uri, so that a client cannot send it in addition', async () => {
    const browser = new ProxiedBrowser(story.client(), story.client(), WIKI);

    expect(await browser.visit('/a')).toBeRefused(403, 'ACCESS_DENIED');
  });
});

onSqlite('Without a rule', (engine) => {
  const story = storyOn(engine, {});

  it('forward authentication is no part of the service', async () => {
    expect(await story.client().get('/forward-auth')).toBeRefused(404, 'NOT_FOUND');
  });
});

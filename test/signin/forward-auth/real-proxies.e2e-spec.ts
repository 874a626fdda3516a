import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onSqlite } from '../../support/database/story-database.js';
import { exampleFile } from '../../support/examples/example-program.js';
import {
  type EchoApplication,
  type Received,
  startEchoApplication,
} from '../../support/forward-auth/echo-application.js';
import { bytesOf, HOSTILE } from '../../support/forward-auth/hostile-requests.js';
import { locationOf } from '../../support/forward-auth/proxied-browser.js';
import { type RealProxy, startPhp, startProxy } from '../../support/forward-auth/real-proxy.js';
import { HttpClient } from '../../support/http/http-client.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { BROWSER, visit } from '../../support/pages/pages.js';
import { listenAt } from '../../support/programs/free-port.js';
import { findProgram } from '../../support/runner/binaries.js';
import { needs, serverTests } from '../../support/runner/needs.js';

const HOST = 'wiki.example.com';
/** The recipes of two name https; the others tell the scheme of the connection, which has no TLS in these tests. */
const ORIGINS = {
  ...{ nginx: `https://${HOST}`, haproxy: `https://${HOST}` },
  ...{ caddy: `http://${HOST}`, envoy: `http://${HOST}`, traefik: `http://${HOST}` },
} as const;
const OPTIONAL = (['envoy', 'traefik'] as const).filter((name) => findProgram(name) !== null);
const IDENTITY = new Set(
  ['user', 'name', 'email', 'email-verified', 'groups', 'amr', 'acr'].map((name) => `remote-${name}`),
);
const OWN = [`https://${HOST}/`, `http://${HOST}/`, 'https://login.example.com/'];

function argsFor(name: keyof typeof ORIGINS): readonly string[] {
  const origin = ORIGINS[name];
  const rules = {
    'wiki.url': origin,
    'public.url': `${origin}/public`,
    'public.public': 'true',
    'admin.url': `${origin}/admin`,
    'admin.roles': 'ROLE_ADMIN',
    'open.url': origin.replace(HOST, 'open.example.com'),
    'open.public': 'true',
  };
  return [
    '--app.security.public-url=https://login.example.com',
    `--app.security.forward-auth.request-headers=${name === 'nginx' ? 'original' : 'forwarded'}`,
    ...Object.entries(rules).map(([key, value]) => `--app.security.forward-auth.rules.${key}=${value}`),
  ];
}

const valuesOf = ({ headers }: Received, name: string): readonly string[] =>
  headers.flatMap(([each, value]) => (each === name && value !== '' ? [value] : []));

describe.each(['nginx', 'caddy', 'haproxy', ...OPTIONAL] as const)('Forward authentication', (name) => {
  const group = name === 'envoy' || name === 'traefik' ? serverTests : needs(name);
  group(`with ${name}`, () => {
    onSqlite('and an application that trusts Remote-User', (engine) => {
      const origin = ORIGINS[name];
      const story = storyOn(engine, { args: argsFor(name), people: 5 });
      let application: EchoApplication;
      let proxy: RealProxy;
      beforeAll(async () => {
        application = await startEchoApplication();
        proxy = await startProxy(name, {
          service: Number(new URL(story.service.url).port),
          application: application.port,
        });
      });
      afterAll(async () => {
        await proxy.stop();
        await application.stop();
      });
      const signedIn = (person: Person): Promise<HttpClient> => signIn(story.client(), proxy, { origin, person });

      it('a user signs in, and the application gets the identity, the query and its own cookies only', async () => {
        const person = story.person();
        const browser = await signedIn(person);
        browser.plant('theme', 'dark');
        application.take();

        const answer = await browser.send('POST', '/a%20b?q=%2e%2e//x', {
          raw: 'a=b',
          headers: { ...BROWSER, 'content-type': 'text/plain' },
        });

        expect(answer).toBeAnswered(200);
        const [received, ...others] = application.take();
        expect(others).toEqual([]);
        expect(received).toMatchObject({ method: 'POST', target: '/a%20b?q=%2e%2e//x', body: 'a=b' });
        const values = (header: string): readonly string[] => (received ? valuesOf(received, header) : []);
        expect(values('remote-user')).toEqual([person.id]);
        expect(values('remote-amr')).toEqual(['pwd']);
        expect(values('remote-acr')).toEqual(['urn:login:acr:pwd']);
        expect(values('cookie')).toEqual(['theme=dark']);
      });

      it('a script without a session gets 401, and a user without a role 403', async () => {
        const browser = await signedIn(story.person());
        const stranger = atProxy(proxy);
        application.take();

        expect(await stranger.get('/api', { headers: { accept: 'application/json' } })).toBeAnswered(401);
        expect(await stranger.post('/api')).toBeAnswered(401);
        expect(await browser.get('/admin', { headers: BROWSER })).toBeAnswered(403);
        expect(application.take()).toEqual([]);
      });

      it('an application without the service gets no request', async () => {
        const closed = await startProxy(name, { service: 1, application: application.port });
        application.take();

        const answer = await atProxy(closed).get('/', { headers: BROWSER });
        await closed.stop();

        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(application.take()).toEqual([]);
      });

      it.skipIf(name === 'traefik')(
        'a service that does not respond closes the application within seconds',
        async () => {
          const silent = createServer((socket) => socket.on('error', () => undefined));
          const closed = await startProxy(name, { service: await listenAt(0, silent), application: application.port });
          application.take();
          const begin = performance.now();

          const answer = await atProxy(closed).get('/', { headers: BROWSER });
          const seconds = (performance.now() - begin) / 1000;
          await closed.stop();
          silent.close();

          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(seconds).toBeLessThan(15);
          expect(application.take()).toEqual([]);
        },
      );

      it.skipIf(name === 'traefik')('H8: the proxy describes a request in its own words', async () => {
        const echo = await startProxy(name, { service: application.port, application: application.port });
        const request = {
          title: 'another port',
          hosts: [`${HOST}:8443`],
          lines: ['X-Forwarded-Port: 8443', 'Forwarded: host=a.b'],
        };
        application.take();

        await sendRaw(echo.url, bytesOf(request, ''));
        await sendRaw(echo.url, bytesOf({ ...request, target: '/forward-auth/sign-in' }, ''));
        await echo.stop();

        const asked = application.take().filter(({ target }) => target.startsWith('/forward-auth'));
        const said = asked.flatMap((question) =>
          ['forwarded', 'x-forwarded-host', 'x-forwarded-port'].flatMap((header) => valuesOf(question, header)),
        );
        expect(new Set(said)).toEqual(new Set([HOST]));
      });

      describe('H8: a hostile request', () => {
        let person: Person;
        let cookie = '';
        beforeAll(async () => {
          person = story.person();
          const browser = await signedIn(person);
          const named = origin.startsWith('https') ? '__Host-forward-auth' : 'forward-auth';
          cookie = `${named}=${browser.cookie(named) ?? ''}`;
        });

        it.each(HOSTILE)('with $title gets neither another identity nor a closed path', async (request) => {
          for (const sent of ['', cookie]) {
            application.take();

            const { text } = await sendRaw(proxy.url, bytesOf(request, sent));

            const arrived = application.take();
            expect(arrived.length).toBeGreaterThanOrEqual(request.isAdmitted && sent !== '' ? 1 : 0);
            for (const received of arrived) {
              const isPublic = received.target.startsWith('/public/');
              expect(received.target).toMatch(/^\//);
              expect(received.target).not.toMatch(/admin|%|\\|\/\/|;/i);
              expect([isPublic, sent !== '']).toContain(true);
              expect(valuesOf(received, 'remote-user')).toEqual(isPublic ? [] : [person.id]);
              const claims = received.headers.filter(([header]) => header.startsWith('remote'));
              expect(JSON.stringify(claims)).not.toContain('mallory');
              expect(claims.filter(([header]) => !IDENTITY.has(header))).toEqual([]);
              expect(valuesOf(received, 'cookie')).toEqual(sent === '' ? [] : ['theme=dark']);
            }
            const [, location = OWN[0]] = /^location: *(.*?)\r?$/im.exec(text) ?? [];
            expect(OWN.some((each) => location?.startsWith(each))).toBe(true);
          }
        });
      });
    });
  });
});

describe.each(['nginx', 'caddy'] as const)('Forward authentication', (name) => {
  needs(name, 'php-fpm')(`with ${name} and php-fpm`, () => {
    onSqlite('and an application that trusts REMOTE_USER', (engine) => {
      const story = storyOn(engine, { args: argsFor(name), people: 4 });

      it('the script gets the user in place of what the client claims', async () => {
        const php = await startPhp('<?php header("content-type: application/json"); echo json_encode($_SERVER);');
        const targets = { service: Number(new URL(story.service.url).port), application: php.port, root: php.folder };
        const proxy = await startProxy(`${name} with php-fpm`, targets);
        const person = story.person();
        const browser = await signIn(story.client(), proxy, { origin: ORIGINS[name], person });
        browser.plant('theme', 'dark');
        const claims = { 'remote-user': 'mallory', remote_user: 'mallory', 'remote-groups': 'mallory' };
        const headers = { ...BROWSER, ...claims };

        const known = await browser.get('/a', { headers });
        const open = await atProxy(proxy).get('/public/a', { headers });
        await proxy.stop();
        await php.stop();

        const user = { REMOTE_USER: person.id, HTTP_REMOTE_USER: person.id };
        expect(known.body).toMatchObject({ ...user, HTTP_COOKIE: 'theme=dark' });
        expect(open.body['REMOTE_USER']).toBe('');
        expect(known.text + open.text).not.toContain('mallory');
      });

      it('H8: a front controller in the path does not lead around the rule for a part', async () => {
        const php = await startPhp('<?php echo "reached";');
        const targets = { service: Number(new URL(story.service.url).port), application: php.port, root: php.folder };
        const proxy = await startProxy(`${name} with php-fpm`, targets);
        const browser = await signIn(story.client(), proxy, { origin: ORIGINS[name], person: story.person() });
        const scripts = [
          '/index.php/admin',
          '/INDEX.PHP/admin',
          '/%69ndex.php/admin',
          '/index.phpadmin',
          '/a/index.php',
        ];

        const answers = await Promise.all(scripts.map((path) => browser.get(path, { headers: BROWSER })));
        const [other, part] = [await browser.get('/php'), await browser.get('/admin')];
        await proxy.stop();
        await php.stop();

        expect(answers.map(({ status }) => status)).toEqual(scripts.map(() => 404));
        expect(other.text).toBe('reached');
        expect(part).toBeAnswered(403);
      });

      it('examples/php knows the user, and refuses a payment without a one-time code', async () => {
        const php = await startPhp(readFileSync(exampleFile('php', 'index.php'), 'utf8'));
        const targets = { service: Number(new URL(story.service.url).port), application: php.port, root: php.folder };
        const proxy = await startProxy(`${name} with php-fpm`, targets);
        const person = story.person();
        const enrolled = await story.enrolled();
        const signing = { origin: ORIGINS[name] };
        const browser = await signIn(story.client(), proxy, { ...signing, person });
        const withCode = { ...signing, person: enrolled, code: story.nextCode(enrolled) };
        const browserWithCode = await signIn(story.client(), proxy, withCode);

        const home = await browser.get('/', { headers: BROWSER });
        const refused = await browser.get('/payments', { headers: BROWSER });
        const spellings = [
          '/%70ayments',
          '/payments/',
          '/PAYMENTS',
          '/payments;x',
          '/payments.',
          '/index.php/payments',
        ];
        const evasions = await Promise.all(spellings.map((path) => browser.get(path, { headers: BROWSER })));
        const paid = await browserWithCode.get('/payments', { headers: BROWSER });
        const open = await atProxy(proxy).get('/public/a', { headers: BROWSER });
        await proxy.stop();
        await php.stop();

        expect(home.text).toContain(`Hello ${person.id}`);
        expect(evasions.map(({ status }) => status)).toEqual([403, 404, 404, 404, 404, 404]);
        expect(refused).toBeAnswered(403);
        expect(paid).toBeAnswered(200);
        expect(paid.text).toContain(enrolled.id);
        expect(open).toBeAnswered(401);
      });
    });
  });
});

/** A browser at the proxy, which it knows as the host of the application. */
function atProxy({ url }: RealProxy): HttpClient {
  const browser = new HttpClient(url);
  browser.headers['host'] = HOST;
  return browser;
}

/** Signs a person in through the proxy; `portal` is the same browser at the service. */
async function signIn(
  portal: HttpClient,
  proxy: RealProxy,
  { origin, person, code }: { readonly origin: string; readonly person: Person; readonly code?: string },
): Promise<HttpClient> {
  const browser = atProxy(proxy);
  portal.headers['x-forwarded-proto'] = 'https';
  await portal.post('/session', { id: person.id, pw: person.password });
  if (code !== undefined) await portal.post('/2fa/verify', { code });
  const path = (location: string, of: string): string => {
    if (!location.startsWith(`${of}/`)) throw new Error(`${location} is not at ${of}`);
    return location.slice(of.length);
  };
  const begun = await visit(browser, path(locationOf(await visit(browser, '/start?a=b')), origin));
  const authorized = await visit(portal, path(locationOf(begun), 'https://login.example.com'));
  const ended = await visit(browser, path(locationOf(authorized), origin));
  expect(locationOf(ended)).toBe(`${origin}/start?a=b`);
  return browser;
}

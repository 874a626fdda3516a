import { describe, expect, it } from 'vitest';
import {
  Callers,
  CALLERS,
  type CallerName,
  hostFamily,
  isOpen,
  matches,
  mayPass,
  nameOf,
  pathOf,
  pathsWith,
  refusalOf,
  REPRESENTATIVES,
  someCallers,
} from '../../support/http/every-route.js';
import {
  COMPRESSED,
  CREDENTIALS,
  HUGE,
  MEDIA_TYPES,
  misframed,
  PARAMETERS,
  QUERIES,
  spellings,
  UNFIT,
  UNFIT_VALUES,
  UNREADABLE,
  UNREADABLE_QUERIES,
} from '../../support/http/hostile-inputs.js';
import type { Answer } from '../../support/http/http-client.js';
import { LEAK } from '../../support/programs/leak.js';
import { storyOn } from '../../support/login/login-story.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { routesOfService, type ServiceRoute } from '../../support/programs/route-list.js';
import { onSqlite } from '../../support/database/story-database.js';
import { membersOf } from '../../support/runner/tier.js';

const ADMIN = 'every-route-admin';
const HELP_DESK = 'every-route-desk';
const TOKEN_ENDPOINTS = ['/token', '/par', '/revoke'];
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const UNREAD = [400, 'VALIDATION_FAILED'] as const;
const UNSUPPORTED = [415, 'UNSUPPORTED_MEDIA_TYPE'] as const;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Parts of the service that exist only if they are configured. */
const ARGS = [
  '--app.security.mfa.passkey.sign-in=on',
  '--app.security.clients.shop.public=true',
  '--app.security.clients.shop.redirect-uris=https://shop.example/cb',
  '--app.security.public-url=https://login.example.com',
  '--app.security.forward-auth.rules.wiki.url=http://127.0.0.1',
];

/** Read from the router when the tests are collected, so that a new route is tested without being listed here. */
const ROUTES = await routesOfService(ARGS);
const named = (routes: readonly ServiceRoute[]): readonly (readonly [string, ServiceRoute])[] =>
  routes.map((route) => [nameOf(route), route]);
const WITH_BODY = ROUTES.filter(({ method }) => !['GET', 'HEAD'].includes(method));
/** HEAD uses the route of GET: rules that depend only on parsing are tested with one of the two. */
const WITHOUT_HEAD = ROUTES.filter(({ method }) => method !== 'HEAD');
const CLOSED = named(ROUTES.filter((route) => !isOpen(route)));
const PATHS = [...new Set(ROUTES.map(({ template }) => template))];
const REPRESENTED = new Set(hostFamily(ROUTES).map(({ template }) => template));
const isRepresented = (template: string): boolean => REPRESENTED.has(template);

/** The methods that the routes of a path take, and the value of `Allow` for it. */
function methodsOf(path: string): { readonly offered: readonly string[]; readonly allow: string } {
  const offered = METHODS.filter((method) => ROUTES.some((route) => matches(route, path) && route.method === method));
  return { offered, allow: [...offered, 'OPTIONS'].join(', ') };
}

onSqlite('every route', (engine) => {
  const story = storyOn(engine, { args: ARGS, others: { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK' } });
  const callers = new Callers(story, ADMIN, HELP_DESK);

  async function sendAs(
    caller: CallerName,
    { method }: Pick<ServiceRoute, 'method'>,
    path: string,
    { headers, raw }: { headers?: Readonly<Record<string, string>>; raw?: string | Uint8Array } = {},
  ): Promise<Answer> {
    const credentials = await callers.credentials(caller);
    return callers.send(method, path, { ...(raw !== undefined && { raw }), headers: { ...credentials, ...headers } });
  }

  it('the router lists more than 40 routes, among them POST /login, GET /me and DELETE /sessions/:id', () => {
    expect(ROUTES.length).toBeGreaterThan(40);
    expect(ROUTES.map(nameOf)).toEqual(expect.arrayContaining(['POST /login', 'GET /me', 'DELETE /sessions/:id']));
  });

  it('every route that represents others is a route of the router', () => {
    expect(ROUTES.map(nameOf)).toEqual(expect.arrayContaining([...REPRESENTATIVES]));
  });

  describe.each(CLOSED)('%s', (name, route) => {
    it(`${name} rejects every caller without access`, async () => {
      for (const caller of CALLERS.filter((each) => !mayPass(each, route))) {
        const [status, code] = refusalOf(caller, route);
        const answer = await sendAs(caller, route, pathOf(route));

        expect(answer.status, caller).toBe(status);
        expect(answer.body['code'], caller).toBe(route.method === 'HEAD' ? undefined : code);
      }
    });

    it(`${name} rejects malformed and forged credentials with 401`, async () => {
      for (const headers of CREDENTIALS) {
        const answer = await sendAs('an unauthenticated caller', route, pathOf(route), { headers });

        expect(answer.status, JSON.stringify(headers)).toBe(401);
      }
    });
  });

  describe.each(named(WITHOUT_HEAD.filter((route) => !isOpen(route))))('%s', (name, route) => {
    it(`H8: no other spelling of the path bypasses the access rules of ${name}`, async () => {
      for (const caller of ['an unauthenticated caller', 'an mfa_token', 'a half-authenticated session'] as const) {
        const credentials = await callers.credentials(caller);
        for (const path of spellings(pathOf(route))) {
          const { status } = await callers.sendRaw(route.method, path, credentials);

          // A spelling with a query is the same route, which may serve or redirect a caller with access.
          const answers = [400, 401, 403, 404, 405, 409, ...(mayPass(caller, route) ? [200, 303] : [])];
          expect(answers, `${caller} ${path}`).toContain(status);
        }
      }
    });
  });

  describe.each(named(hostFamily(WITH_BODY)))('%s', (name, route) => {
    const path = pathOf(route);
    const takesJson = !route.takesForm && !route.takesUpload;

    it(`H1: ${name} rejects every unsupported media type from every caller`, async () => {
      const others = [
        ...MEDIA_TYPES,
        ...(takesJson ? [] : [['JSON', { headers: { 'content-type': JSON_TYPE }, raw: '{}' }] as const]),
        ...(route.takesForm ? [] : [['a form', { headers: { 'content-type': FORM_TYPE }, raw: 'a=b' }] as const]),
        ...(route.takesUpload
          ? []
          : [['an upload', { headers: { 'content-type': 'multipart/form-data; boundary=x' }, raw: '--x--' }] as const]),
      ];
      for (const caller of CALLERS) {
        for (const [title, input] of others) {
          const answer = await sendAs(caller, route, path, input);
          expect(answer, `${caller}: ${title}`).toBeRefused(...UNSUPPORTED);
        }
      }
    });

    it(`H5: ${name} rejects compressed bodies from every caller`, async () => {
      for (const caller of CALLERS) {
        for (const [title, input] of COMPRESSED) {
          const answer = await sendAs(caller, route, path, input);
          expect(answer, `${caller}: ${title}`).toBeRefused(...UNSUPPORTED);
        }
      }
    });

    it(`H1, H2, H4, H5: ${name} rejects malformed JSON from every caller`, async () => {
      const [status, code] = takesJson ? UNREAD : UNSUPPORTED;
      for (const caller of CALLERS) {
        for (const [title, raw] of UNREADABLE) {
          const answer = await sendAs(caller, route, path, { headers: { 'content-type': JSON_TYPE }, raw });
          expect(answer, `${caller}: ${title}`).toBeRefused(status, code);
        }
      }
    });

    it.each(HUGE)(`H5: ${name} rejects a body of %s with 413, or with 415 if it accepts no JSON`, async (__, raw) => {
      for (const caller of ['an unauthenticated caller', 'an administrator'] as const) {
        const answer = await sendAs(caller, route, path, { headers: { 'content-type': JSON_TYPE }, raw });
        const takesJson = !route.takesForm && !route.takesUpload;
        const [status, code] = takesJson
          ? ([413, 'PAYLOAD_TOO_LARGE'] as const)
          : ([415, 'UNSUPPORTED_MEDIA_TYPE'] as const);
        expect(answer, caller).toBeRefused(status, code);
      }
    });
  });

  describe.each(named(WITH_BODY))('%s', (name, route) => {
    const path = pathOf(route);
    const takesJson = !route.takesForm && !route.takesUpload;

    it(`H1, H4: ${name} rejects JSON that violates its schema`, async () => {
      for (const caller of someCallers()) {
        for (const [title, raw] of UNFIT) {
          const answer = await sendAs(caller, route, path, { headers: { 'content-type': JSON_TYPE }, raw });
          // OAuth answers every body that it cannot read with `invalid_request` (RFC 6749 section 5.2).
          const ofPassing = takesJson || TOKEN_ENDPOINTS.includes(path) ? 400 : 415;
          const expected = mayPass(caller, route) ? [ofPassing] : [400, 415, refusalOf(caller, route)[0]];
          expect(expected, `${caller}: ${title} → ${answer.status} ${answer.text}`).toContain(answer.status);
        }
      }
    });

    it(`H1, H2, H6: ${name} rejects every wrong value of every required member`, async () => {
      const credentials = await callers.credentials('an administrator');
      const send = (raw: string): Promise<Answer> =>
        callers.send(route.method, path, { headers: { ...credentials, 'content-type': JSON_TYPE }, raw });
      const errors = (await send('{}')).body['errors'] as readonly { readonly field: string }[] | undefined;
      const members = (errors ?? []).map(({ field }) => field).filter((field) => field !== '');
      for (const member of members) {
        for (const value of UNFIT_VALUES) {
          const all = members.map((each) => `${JSON.stringify(each)}:${each === member ? value : '"x"'}`);
          const answer = await send(`{${all.join(',')}}`);
          const wrong = (answer.body['errors'] ?? []) as readonly { readonly field: string }[];
          const isUnreadable = /\\u(?:0000|d83d|de00)/.test(value);
          expect(answer, `${member}: ${value.slice(0, 40)}`).toBeRefused(400, 'VALIDATION_FAILED');
          expect(
            wrong.some(({ field }) => field.split('.')[0] === member),
            `${member}: ${value.slice(0, 40)}`,
          ).toBe(!isUnreadable);
        }
      }
    });
  });

  describe.each(named(hostFamily(WITHOUT_HEAD)))('%s', (name, route) => {
    const { method } = route;
    const path = pathOf(route);
    const isGet = method === 'GET';

    it(`H7: ${name} sends one response to a request with ambiguous framing`, async () => {
      for (const caller of ['an unauthenticated caller', 'an administrator'] as const) {
        const credentials = await callers.credentials(caller);
        const more = Object.entries(credentials).map(([field, value]) => `${field}: ${value}\r\n`);
        for (const [title, request] of misframed(method, path, more.join(''))) {
          const { statuses, text } = await sendRaw(story.service.url, request);
          callers.note(text);

          expect(statuses, `${caller}: ${title}`).toHaveLength(1);
          // GET responds before it reads the body, so a malformed body does not change the status.
          expect(isGet || [400, 413].includes(statuses[0] ?? 0), `${caller}: ${title}`).toBe(true);
          expect(text, title).not.toContain('smuggled');
        }
      }
    });

    it(`H9: ${name} echoes neither a foreign origin nor a forged host`, async () => {
      const forged = { host: 'evil.example', origin: 'https://evil.example', referer: 'https://evil.example/' };
      for (const headers of [
        forged,
        { ...forged, 'x-forwarded-host': 'evil.example', 'x-forwarded-for': 'evil.example' },
      ]) {
        const answer = await callers.sendRaw(method, path, headers);
        expect(JSON.stringify([...answer.headers]) + answer.text).not.toContain('evil.example');
      }
    });

    it(`H5: ${name} rejects 100 KB of headers with 431`, async () => {
      const { statuses, text } = await sendRaw(
        story.service.url,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
      );
      callers.note(text);

      expect(statuses).toEqual([431]);
    });
  });

  describe.each(named(WITHOUT_HEAD))('%s', (name, route) => {
    const { method } = route;
    const path = pathOf(route);

    it(`H2: ${name} rejects an undecodable query, and no other query bypasses its access rules`, async () => {
      for (const query of UNREADABLE_QUERIES) {
        const { status } = await callers.sendRaw(method, `${path}?${query}`);
        expect(status, query).toBe(400);
      }
      for (const caller of method === 'GET'
        ? (['an unauthenticated caller', 'a login with both factors'] as const)
        : (['an unauthenticated caller'] as const)) {
        const credentials = await callers.credentials(caller);
        for (const query of QUERIES) {
          const { status } = await callers.sendRaw(method, `${path}?${query}`, credentials);
          expect(mayPass(caller, route) || status === refusalOf(caller, route)[0], `${caller} ${query}`).toBe(true);
        }
      }
    });
  });

  describe.each(named(ROUTES.filter(({ template }) => /:|\*$/.test(template))))('%s', (name, route) => {
    it(`H2, H3, H4, H8: ${name} rejects hostile path parameters`, async () => {
      for (const caller of someCallers()) {
        const credentials = await callers.credentials(caller);
        for (const parameter of PARAMETERS) {
          for (const path of pathsWith(route, parameter)) {
            const { status } = await callers.sendRaw(route.method, path, credentials);
            expect([400, 401, 403, 404, 405], `${caller} ${path}`).toContain(status);
          }
        }
      }
    });
  });

  describe.each(named(hostFamily(ROUTES)))('%s', (name, route) => {
    it(`${name} returns 406 for an unsupported Accept header`, async () => {
      for (const caller of CALLERS.filter((each) => mayPass(each, route))) {
        for (const accept of ['application/x-nothing', 'application/x-nothing, text/x-nothing;q=0.5']) {
          const answer = await sendAs(caller, route, pathOf(route), { headers: { accept } });
          expect(answer.status, caller).toBe(406);
        }
      }
    });
  });

  describe.each(named(ROUTES.filter(({ method }) => method === 'GET')))('%s', (_, route) => {
    const path = pathOf(route);

    it(`HEAD ${route.template} returns the status and headers of GET without a body`, async () => {
      for (const caller of CALLERS) {
        const get = await sendAs(caller, route, path);
        const head = await sendAs(caller, { method: 'HEAD' }, path);

        expect(head.status, caller).toBe(get.status);
        expect(head.text).toBe('');
        for (const name of ['content-type', 'content-length', 'www-authenticate', 'cache-control']) {
          // Fastify sends content-length: 0 for HEAD when GET has no body at all.
          if (name === 'content-length' && get.status === 204) continue;
          expect(head.headers.get(name), `${caller} ${name}`).toBe(get.headers.get(name));
        }
      }
    });
  });

  describe.each(named(hostFamily(ROUTES.filter(({ method }) => method === 'GET'))))('%s', (name, route) => {
    const path = pathOf(route);

    it(`H1: ${name} ignores a request body`, async () => {
      for (const caller of CALLERS) {
        const without = await sendAs(caller, route, path);
        for (const [type, raw] of [
          [JSON_TYPE, '{"half":'],
          [JSON_TYPE, 'x'.repeat(1_000_000)],
          ['text/plain', 'x'],
        ] as const) {
          const answer = await sendAs(caller, route, path, { headers: { 'content-type': type }, raw });
          expect(answer.status, `${caller} ${type}`).toBe(without.status);
        }
      }
    });
  });

  describe.each(PATHS)('%s', (template) => {
    const path = pathOf({ template });
    const { offered, allow } = methodsOf(path);

    it(`H9: ${template} allows ${offered.join(', ')} and OPTIONS, and rejects other methods with 405`, async () => {
      for (const caller of someCallers()) {
        for (const method of METHODS.filter((name) => !offered.includes(name))) {
          const answer = await sendAs(caller, { method }, path);
          expect(answer.status, `${caller} ${method}`).toBe(405);
          expect(answer.headers.get('allow'), `${caller} ${method}`).toBe(allow);
        }
        const options = await sendAs(caller, { method: 'OPTIONS' }, path);
        expect(options.status, caller).toBe(204);
        expect(options.headers.get('allow'), caller).toBe(allow);
        expect(options.text).toBe('');
      }
    });
  });

  describe.each(membersOf(PATHS, isRepresented))('%s', (template) => {
    const path = pathOf({ template });
    const { offered, allow } = methodsOf(path);

    it.each(['TRACE', 'PROPFIND', 'MKCOL', 'PURGE', 'LINK', 'QUERY'])(
      `H9: ${template} rejects the method %s with 405`,
      async (method) => {
        const answer = await callers.sendRaw(method, path, { 'content-type': JSON_TYPE, cookie: 'secret=1' });

        expect(answer.status).toBe(405);
        expect(answer.headers.get('allow')).toBe(allow);
        expect(answer.text).not.toContain('secret');
      },
    );

    it.each(['CONNECT', 'TRACK', 'get', 'G\u00cbT', 'GET\u0001', '__proto__'])(
      `H9: ${template} rejects the method %j`,
      async (method) => {
        const { statuses, text } = await sendRaw(
          story.service.url,
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        );
        callers.note(text);

        // Node may close the connection on CONNECT without a response.
        expect(method === 'CONNECT' ? [[], [400], [405]] : [[400]]).toContainEqual(statuses);
      },
    );

    it(`H9: ${template} rejects a missing, repeated or malformed Host header`, async () => {
      for (const host of [
        ...['Host: x\r\nHost: evil.example', 'Host: x\r\nhost: x', 'X-None: x', 'Host:', 'Host: a b', 'Host: a/b'],
        ...['Host: a@evil.example', 'Host: <script>', 'Host: a:b', 'Host: a:99999', 'Host: a, b', 'Host: [a'],
      ]) {
        for (const method of offered) {
          const { statuses, text } = await sendRaw(
            story.service.url,
            `${method} ${path} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`,
          );
          callers.note(text);

          expect(statuses, host).toEqual([400]);
          expect(text).toContain('content-type: application/problem+json');
          expect(text).not.toMatch(/evil\.example|script/);
        }
      }
    });

    it(`H9: ${template} grants nothing to a preflight from a foreign origin`, async () => {
      for (const method of offered) {
        const headers = { origin: 'https://evil.example', 'access-control-request-method': method };
        const answer = await callers.sendRaw('OPTIONS', path, headers);

        expect(answer.status).toBe(204);
        expect(JSON.stringify([...answer.headers])).not.toMatch(/access-control|evil\.example/);
      }
    });
  });

  it('L2: a malformed request id is replaced', async () => {
    for (const id of [
      'x',
      'a b c d e f',
      '<script>alert(1)</script>',
      '${jndi:x}aaaaaa',
      'x'.repeat(65),
      '"}{"aaaaaaa',
    ]) {
      const { text } = await sendRaw(
        story.service.url,
        `GET /me HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`,
      );
      expect(text).toMatch(/^x-request-id: [\w-]{22}\r$/m);
      expect(text.includes(id) && id.length > 1, id).toBe(false);
    }
  });

  it('L4, R14: no response shows internals, no request caused an internal error, and the service still works', async () => {
    expect(callers.seen.length).toBeGreaterThan(5_000);
    expect(callers.seen.flatMap((answer) => LEAK.exec(answer)?.[0] ?? [])).toEqual([]);
    expect(story.service.troubles.join()).not.toContain('ERROR');
    const { accessToken } = await story.enrolled();
    expect(await story.client().get('/me/settlement', { bearer: accessToken })).toBeAnswered(200);
  });
});

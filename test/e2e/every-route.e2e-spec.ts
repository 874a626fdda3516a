import { describe, expect, it } from 'vitest';
import {
  Callers,
  CALLERS,
  type CallerName,
  isOpen,
  mayPass,
  nameOf,
  pathOf,
  refusalOf,
} from '../support/every-route.js';
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
} from '../support/hostile-inputs.js';
import type { Answer } from '../support/http-client.js';
import { LEAK } from '../support/leak.js';
import { storyOn } from '../support/login-story.js';
import { sendRaw } from '../support/raw-http.js';
import { routesOfService, type ServiceRoute } from '../support/route-list.js';
import { onSqlite } from '../support/story-database.js';

const ADMIN = 'every-route-admin';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const UNREAD = [400, 'VALIDATION_FAILED'] as const;
const UNSUPPORTED = [415, 'UNSUPPORTED_MEDIA_TYPE'] as const;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Asked of the router before the tests are named: a new route is tested without being named here. */
const ROUTES = await routesOfService();
const named = (routes: readonly ServiceRoute[]): readonly (readonly [string, ServiceRoute])[] =>
  routes.map((route) => [nameOf(route), route]);
const WITH_BODY = named(ROUTES.filter(({ method }) => !['GET', 'HEAD'].includes(method)));
/** HEAD is the route of GET once more: what only the reader of requests decides is asked of one of them. */
const WITHOUT_HEAD = ROUTES.filter(({ method }) => method !== 'HEAD');
const CLOSED = named(ROUTES.filter((route) => !isOpen(route)));
const PATHS = [...new Set(ROUTES.map(({ template }) => template))];

onSqlite('every route', (engine) => {
  const story = storyOn(engine, { others: { [ADMIN]: 'ROLE_ADMIN' } });
  const callers = new Callers(story, ADMIN);

  async function sendAs(
    caller: CallerName,
    { method }: Pick<ServiceRoute, 'method'>,
    path: string,
    { headers, raw }: { headers?: Readonly<Record<string, string>>; raw?: string | Uint8Array } = {},
  ): Promise<Answer> {
    const credentials = await callers.credentials(caller);
    return callers.send(method, path, { ...(raw !== undefined && { raw }), headers: { ...credentials, ...headers } });
  }

  it('is known: the table is that of the router', () => {
    expect(ROUTES.length).toBeGreaterThan(40);
    expect(ROUTES.map(nameOf)).toEqual(expect.arrayContaining(['POST /login', 'GET /me', 'DELETE /sessions/:id']));
  });

  describe.each(CLOSED)('%s', (_, route) => {
    it('takes nobody but those it is meant for', async () => {
      for (const caller of CALLERS.filter((name) => !mayPass(name, route))) {
        const [status, code] = refusalOf(caller, route);
        const answer = await sendAs(caller, route, pathOf(route));

        expect(answer.status, caller).toBe(status);
        expect(answer.body['code'], caller).toBe(route.method === 'HEAD' ? undefined : code);
      }
    });

    it('takes none of what only looks like a credential', async () => {
      for (const headers of CREDENTIALS) {
        const answer = await sendAs('a stranger', route, pathOf(route), { headers });

        expect(answer.status, JSON.stringify(headers)).toBe(401);
      }
    });
  });

  describe.each(named(WITHOUT_HEAD.filter((route) => !isOpen(route))))('%s', (_, route) => {
    it('H8 is reached by no other spelling of its path', async () => {
      for (const caller of ['a stranger', 'an mfa_token', 'a half-authenticated session'] as const) {
        const credentials = await callers.credentials(caller);
        for (const path of spellings(pathOf(route))) {
          const { status } = await callers.sendRaw(route.method, path, credentials);

          // With a query it is the same route, which shows a page to callers that it is meant for, or sends them on.
          const answers = [400, 401, 403, 404, 405, 409, ...(mayPass(caller, route) ? [200, 303] : [])];
          expect(answers, `${caller} ${path}`).toContain(status);
        }
      }
    });
  });

  describe.each(WITH_BODY)('%s', (_, route) => {
    const path = pathOf(route);
    const takesJson = !route.takesForm && !route.takesUpload;

    it('H1 refuses every media type but its own, whoever sends it', async () => {
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

    it('H5 refuses compressed bodies, whoever sends them', async () => {
      for (const caller of CALLERS) {
        for (const [title, input] of COMPRESSED) {
          const answer = await sendAs(caller, route, path, input);
          expect(answer, `${caller}: ${title}`).toBeRefused(...UNSUPPORTED);
        }
      }
    });

    it('H1 H2 H4 H5 refuses what is no JSON, whoever sends it', async () => {
      const [status, code] = takesJson ? UNREAD : UNSUPPORTED;
      for (const caller of CALLERS) {
        for (const [title, raw] of UNREADABLE) {
          const answer = await sendAs(caller, route, path, { headers: { 'content-type': JSON_TYPE }, raw });
          expect(answer, `${caller}: ${title}`).toBeRefused(status, code);
        }
      }
    });

    it('H1 H4 takes nothing that does not fit, whoever sends it', async () => {
      for (const caller of CALLERS) {
        for (const [title, raw] of UNFIT) {
          const answer = await sendAs(caller, route, path, { headers: { 'content-type': JSON_TYPE }, raw });
          const expected = mayPass(caller, route) ? [takesJson ? 400 : 415] : [400, 415, refusalOf(caller, route)[0]];
          expect(expected, `${caller}: ${title} → ${answer.status} ${answer.text}`).toContain(answer.status);
        }
      }
    });

    it('H1 H2 H6 refuses every wrong value of every member that it asks for', async () => {
      const credentials = await callers.credentials('an administrator');
      const send = (raw: string): Promise<Answer> =>
        callers.send(route.method, path, { headers: { ...credentials, 'content-type': JSON_TYPE }, raw });
      const errors = (await send('{}')).body['errors'] as readonly { readonly field: string }[] | undefined;
      const members = (errors ?? []).map(({ field }) => field).filter((field) => field !== '');
      for (const member of members) {
        for (const value of UNFIT_VALUES) {
          const all = members.map((name) => `${JSON.stringify(name)}:${name === member ? value : '"x"'}`);
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

    it.each(HUGE)('H5 refuses %s with 413, or unread where it takes no JSON at all', async (__, raw) => {
      for (const caller of ['a stranger', 'an administrator'] as const) {
        const answer = await sendAs(caller, route, path, { headers: { 'content-type': JSON_TYPE }, raw });
        const takesJson = !route.takesForm && !route.takesUpload;
        const [status, code] = takesJson
          ? ([413, 'PAYLOAD_TOO_LARGE'] as const)
          : ([415, 'UNSUPPORTED_MEDIA_TYPE'] as const);
        expect(answer, caller).toBeRefused(status, code);
      }
    });
  });

  describe.each(named(WITHOUT_HEAD))('%s', (_, route) => {
    const { method } = route;
    const path = pathOf(route);
    const isGet = method === 'GET';

    it('H7 answers a request of doubtful framing once, and reads no other one out of it', async () => {
      for (const caller of ['a stranger', 'an administrator'] as const) {
        const credentials = await callers.credentials(caller);
        const more = Object.entries(credentials).map(([name, value]) => `${name}: ${value}\r\n`);
        for (const [title, request] of misframed(method, path, more.join(''))) {
          const { statuses, text } = await sendRaw(story.service.url, request);
          callers.note(text);

          expect(statuses, `${caller}: ${title}`).toHaveLength(1);
          // That a body which nobody reads is wrong may show behind the answer.
          expect(isGet || [400, 413].includes(statuses[0] ?? 0), `${caller}: ${title}`).toBe(true);
          expect(text, title).not.toContain('smuggled');
        }
      }
    });

    it('H2 refuses a query that is no text, and is broken by none', async () => {
      for (const query of UNREADABLE_QUERIES) {
        const { status } = await callers.sendRaw(method, `${path}?${query}`);
        expect(status, query).toBe(400);
      }
      for (const caller of isGet ? (['a stranger', 'a login with both factors'] as const) : (['a stranger'] as const)) {
        const credentials = await callers.credentials(caller);
        for (const query of QUERIES) {
          const { status } = await callers.sendRaw(method, `${path}?${query}`, credentials);
          expect(mayPass(caller, route) || status === refusalOf(caller, route)[0], `${caller} ${query}`).toBe(true);
        }
      }
    });

    it('H9 tells a foreign origin nothing, and echoes neither it nor a forged host', async () => {
      const forged = { host: 'evil.example', origin: 'https://evil.example', referer: 'https://evil.example/' };
      for (const headers of [forged, { ...forged, 'x-forwarded-host': 'evil.example', 'x-forwarded-for': 'evil' }]) {
        const answer = await callers.sendRaw(method, path, headers);
        expect(JSON.stringify([...answer.headers]) + answer.text).not.toContain('evil');
      }
    });

    it('H5 refuses 100 KB of headers with 431', async () => {
      const { statuses, text } = await sendRaw(
        story.service.url,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
      );
      callers.note(text);

      expect(statuses).toEqual([431]);
    });
  });

  describe.each(named(ROUTES.filter(({ template }) => /:|\*$/.test(template))))('%s', (_, route) => {
    it('H2 H3 H4 H8 finds nothing under a parameter of any kind', async () => {
      for (const caller of CALLERS) {
        const credentials = await callers.credentials(caller);
        for (const parameter of PARAMETERS) {
          const { status } = await callers.sendRaw(route.method, pathOf(route, parameter), credentials);
          expect([400, 401, 403, 404, 405], `${caller} ${parameter}`).toContain(status);
        }
      }
    });
  });

  describe.each(named(ROUTES))('%s', (_, route) => {
    it('is 406 for who takes another form only', async () => {
      for (const caller of CALLERS.filter((name) => mayPass(name, route))) {
        for (const accept of ['application/x-nothing', 'application/x-nothing, text/x-nothing;q=0.5']) {
          const answer = await sendAs(caller, route, pathOf(route), { headers: { accept } });
          expect(answer.status, caller).toBe(406);
        }
      }
    });
  });

  describe.each(named(ROUTES.filter(({ method }) => method === 'GET')))('%s', (_, route) => {
    const path = pathOf(route);

    it('HEAD answers like GET, without a body', async () => {
      for (const caller of CALLERS) {
        const get = await sendAs(caller, route, path);
        const head = await sendAs(caller, { method: 'HEAD' }, path);

        expect(head.status, caller).toBe(get.status);
        expect(head.text).toBe('');
        for (const name of ['content-type', 'content-length', 'www-authenticate', 'cache-control']) {
          // Fastify writes the length 0 into the answer to HEAD where GET has no body at all.
          if (name === 'content-length' && get.status === 204) continue;
          expect(head.headers.get(name), `${caller} ${name}`).toBe(get.headers.get(name));
        }
      }
    });

    it('H1 takes no notice of a body', async () => {
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
    const offered = METHODS.filter((method) =>
      ROUTES.some((route) => route.template === template && route.method === method),
    );
    const allow = [...offered, 'OPTIONS'].join(', ');

    it(`H9 has ${offered.join(', ')} and OPTIONS, and says so`, async () => {
      for (const caller of CALLERS) {
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

    it.each(['TRACE', 'PROPFIND', 'MKCOL', 'PURGE', 'LINK', 'QUERY'])('H9 has no %s', async (method) => {
      const answer = await callers.sendRaw(method, path, { 'content-type': JSON_TYPE, cookie: 'secret=1' });

      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe(allow);
      expect(answer.text).not.toContain('secret');
    });

    it.each(['CONNECT', 'TRACK', 'get', 'G\u00cbT', 'GET\u0001', '__proto__'])('H9 has no %j', async (method) => {
      const { statuses, text } = await sendRaw(
        story.service.url,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      callers.note(text);

      // Node hangs up on CONNECT.
      expect(method === 'CONNECT' ? [[], [400], [405]] : [[400]]).toContainEqual(statuses);
    });

    it('H9 refuses two hosts, none, and one that is no host', async () => {
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
          expect(text).not.toMatch(/evil|script/);
        }
      }
    });

    it('H9 answers no preflight of a foreign origin', async () => {
      for (const method of offered) {
        const headers = { origin: 'https://evil.example', 'access-control-request-method': method };
        const answer = await callers.sendRaw('OPTIONS', path, headers);

        expect(answer.status).toBe(204);
        expect(JSON.stringify([...answer.headers])).not.toMatch(/access-control|evil/);
      }
    });
  });

  it('L2 a request id that is none of ours to keep is replaced', async () => {
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

  it('L4 R14 nothing in all these answers shows the inside, nothing was a defect, and the service is well', async () => {
    expect(callers.seen.length).toBeGreaterThan(5_000);
    expect(callers.seen.flatMap((answer) => LEAK.exec(answer)?.[0] ?? [])).toEqual([]);
    expect(story.service.troubles.join()).not.toContain('ERROR');
    const { accessToken } = await story.enrolled();
    expect(await story.client().get('/me/settlement', { bearer: accessToken })).toBeAnswered(200);
  });
});

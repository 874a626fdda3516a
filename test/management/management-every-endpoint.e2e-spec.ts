import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/http/http-client.js';
import { JSON_V3, type ManagedService, startManaged } from '../support/management/management.js';
import '../support/runner/matchers.js';

const READ = 'GET, HEAD, OPTIONS';
const CLEARED = 'GET, HEAD, DELETE, OPTIONS';

/** Every path of the management API, with the methods it offers. */
const OFFERED: readonly (readonly [string, string])[] = [
  ['', READ],
  ['/health', READ],
  ['/health/db', READ],
  ['/info', READ],
  ['/metrics', READ],
  ['/metrics/process.uptime', READ],
  ['/prometheus', READ],
  ['/env', READ],
  ['/env/server.port', READ],
  ['/configprops', READ],
  ['/configprops/server', READ],
  ['/loggers', READ],
  ['/loggers/http', 'GET, HEAD, POST, OPTIONS'],
  ['/scheduledtasks', READ],
  ['/caches', CLEARED],
  ['/caches/users', CLEARED],
  ['/httpexchanges', READ],
  ['/mappings', READ],
  ['/threaddump', READ],
  ['/heapdump', READ],
  ['/logfile', READ],
  ['/shutdown', 'POST, OPTIONS'],
];
/** Leaves out the heap dump, which is slow, and the paths that have nothing to read. */
const READABLE = OFFERED.map(([path]) => path).filter(
  (path) => !['/heapdump', '/caches/users', '/shutdown'].includes(path),
);
const PLACES = [
  ['the main listener, below its context path', ['--server.servlet.context-path=/auth']],
  ['a separate listener', ['--management.server.port=0', '--management.server.base-path=/ops']],
] as const;

describe.each(PLACES)('every management endpoint on %s', (_, place) => {
  let service: ManagedService;

  beforeAll(async () => {
    service = await startManaged({
      args: [
        ...place,
        ...['shutdown', 'heapdump'].map((id) => `--management.endpoint.${id}.access=unrestricted`),
        ...['--management.httpexchanges.recording.enabled=true', '--logging.file.name=login.log'],
        // These keys must not change the payloads of the management API.
        ...['--app.json.date-format=dd.MM.yyyy', '--app.json.time-zone=Asia/Seoul'],
        '--app.json.default-property-inclusion=non_empty',
      ],
    });
  });

  afterAll(() => service.stop());

  const accepting = (accept: string): { readonly headers: Readonly<Record<string, string>> } => ({
    headers: { accept },
  });
  const typeOf = ({ headers }: Answer): string | null => headers.get('content-type');

  it('discovery links to every endpoint under its contract name', async () => {
    const { body } = await service.operator.get('');

    const links = Object.entries(body['_links'] as Readonly<Record<string, { readonly href: string }>>);
    const base = service.operator.baseUrl;
    expect(Object.fromEntries(links.map(([name, { href }]) => [name, href.replace(base, '')]))).toEqual({
      self: '',
      health: '/health',
      'health-path': '/health/{*path}',
      info: '/info',
      metrics: '/metrics',
      'metrics-requiredMetricName': '/metrics/{requiredMetricName}',
      prometheus: '/prometheus',
      env: '/env',
      'env-toMatch': '/env/{toMatch}',
      configprops: '/configprops',
      'configprops-prefix': '/configprops/{prefix}',
      loggers: '/loggers',
      'loggers-name': '/loggers/{name}',
      scheduledtasks: '/scheduledtasks',
      caches: '/caches',
      'caches-cache': '/caches/{cache}',
      httpexchanges: '/httpexchanges',
      mappings: '/mappings',
      threaddump: '/threaddump',
      heapdump: '/heapdump',
      logfile: '/logfile',
      shutdown: '/shutdown',
    });
  });

  it('OPTIONS and 405 responses list exactly the allowed methods, with and without a trailing slash', async () => {
    for (const [path, allow] of OFFERED) {
      for (const each of [path, `${path}/`]) {
        const options = await service.operator.send('OPTIONS', each);
        const refused = await service.operator.send('PATCH', each);
        expect([options.status, options.headers.get('allow')], each).toEqual([204, allow]);
        expect(refused, each).toBeRefused(405, 'METHOD_NOT_ALLOWED');
        expect(refused.headers.get('allow'), each).toBe(allow);
      }
    }
  });

  it('a trailing slash and HEAD give the status and media type of GET', async () => {
    for (const path of READABLE) {
      const [plain, slash] = [await service.operator.get(path), await service.operator.get(`${path}/`)];
      const head = await service.operator.send('HEAD', path);
      expect(plain, path).toBeAnswered(200);
      expect([slash.status, typeOf(slash)], path).toEqual([200, typeOf(plain)]);
      expect([head.status, head.text, typeOf(head)], path).toEqual([200, '', typeOf(plain)]);
    }
  });

  it('an Accept header without a supported media type gets 406 unless the response has no body', async () => {
    for (const [path, allow] of OFFERED) {
      const method = allow.startsWith('GET') ? 'GET' : 'POST';
      const headers = { accept: 'image/png', 'content-type': 'application/json' };
      expect(await service.operator.send(method, path, { headers }), path).toBeRefused(406, 'NOT_ACCEPTABLE');
    }
    expect(await service.operator.send('DELETE', '/caches', accepting('image/png'))).toBeAnswered(204);
    expect(await service.operator.get('/health', accepting('*/*'))).toBeAnswered(200);
  });

  it('payloads contain no nulls and ignore the app.json settings for instants, lists and objects', async () => {
    const nulls: string[] = [];
    const instants: string[] = [];
    for (const path of READABLE) {
      const answer = await service.operator.get(path);
      if (typeOf(answer) !== JSON_V3) continue;
      JSON.parse(answer.text, (name, value: unknown) => {
        if (value === null) nulls.push(`${path} ${name}`);
        if (name === 'time' || name === 'timestamp') instants.push(String(value));
        return value;
      });
    }
    const { body } = await service.operator.get('/scheduledtasks');

    expect(nulls).toEqual([]);
    expect(instants.length).toBeGreaterThan(2);
    for (const each of instants) expect(each).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
    expect(body['cron']).toEqual([]);
    expect((await service.operator.get('/caches')).body).toEqual({
      cacheManagers: { cacheManager: { caches: { users: { target: 'InProcessCache' } } } },
    });
  });
});

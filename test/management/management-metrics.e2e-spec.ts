import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MetricsEndpoint } from '../../src/management/metrics/metrics.endpoint.js';
import { Meters } from '../../src/observability/metrics/meters.js';
import { type Answer, HttpClient } from '../support/http/http-client.js';
import { type ManagementService, OPERATOR, startManagement } from '../support/management/management-service.js';
import '../support/runner/matchers.js';

const meters = new Meters();
let service: ManagementService;

beforeAll(async () => {
  const requests = meters.timer('http.server.requests', { description: 'Time to serve a request' });
  requests.of({ method: 'POST', uri: '/login', status: '200', outcome: 'SUCCESS' }).record(0.25);
  requests.of({ method: 'POST', uri: '/login/2fa', status: '401', outcome: 'CLIENT_ERROR' }).record(0.75);
  requests.of({ method: 'GET', uri: '/me', status: '200', outcome: 'SUCCESS' }).record(0.5);
  const gets = meters.counter('cache.gets');
  gets.of({ name: 'a,b', 'cache.manager': 'http://x:1', result: 'hit' }).increment(3);
  gets.of({ name: 'a', 'cache.manager': 'http://x:1', result: 'miss' }).increment();
  meters.counter('login.lockouts');
  meters.gauge('process.uptime', { baseUnit: 'seconds' }, () => 12.5);
  meters.gauge('process.files.open.files', {}, () => NaN);
  meters.summary('login.mfa.step.offset').of().record(-1);
  meters.longTaskTimer('http.server.requests.active').of({ method: 'GET' });
  service = await startManagement([new MetricsEndpoint(meters)]);
});

afterAll(() => service.stop());

function get(path: string): Promise<Answer> {
  return new HttpClient(service.managementUrl).get(path, { headers: OPERATOR });
}

/** The value of one statistic in the response. */
function number({ body }: Answer, statistic: string): unknown {
  const measurements = body['measurements'] as readonly { readonly statistic: string; readonly value: number }[];
  return measurements.find((measured) => measured.statistic === statistic)?.value;
}

describe('GET /actuator/metrics', () => {
  it('lists the readable metric names in order', async () => {
    const answer = await get('/metrics');

    expect(answer).toBeAnswered(200);
    expect(answer.body).toEqual({
      names: [
        ...['cache.gets', 'http.server.requests', 'http.server.requests.active', 'login.mfa.step.offset'],
        ...['process.files.open.files', 'process.uptime'],
      ],
    });
  });
});

describe('GET /actuator/metrics/{name}', () => {
  it('aggregates all series of a metric', async () => {
    const answer = await get('/metrics/http.server.requests');

    expect(answer).toBeAnswered(200);
    expect(answer.body).toEqual({
      name: 'http.server.requests',
      description: 'Time to serve a request',
      baseUnit: 'seconds',
      measurements: [
        { statistic: 'COUNT', value: 3 },
        { statistic: 'TOTAL_TIME', value: 1.5 },
        { statistic: 'MAX', value: 0.75 },
      ],
      availableTags: [
        { tag: 'method', values: ['POST', 'GET'] },
        { tag: 'uri', values: ['/login', '/login/2fa', '/me'] },
        { tag: 'status', values: ['200', '401'] },
        { tag: 'outcome', values: ['SUCCESS', 'CLIENT_ERROR'] },
      ],
    });
  });

  it('omits a missing description and unit, but never measurements and tags', async () => {
    expect((await get('/metrics/cache.gets')).body).not.toHaveProperty('description');
    expect((await get('/metrics/cache.gets')).body).not.toHaveProperty('baseUnit');
    expect((await get('/metrics/process.files.open.files')).body).toEqual({
      name: 'process.files.open.files',
      measurements: [],
      availableTags: [],
    });
  });

  it.each([
    ['cache.gets', { COUNT: 4 }],
    ['process.uptime', { VALUE: 12.5 }],
    ['login.mfa.step.offset', { COUNT: 1, TOTAL: -1, MAX: -1 }],
    ['http.server.requests.active', { ACTIVE_TASKS: 0, DURATION: 0, MAX: 0 }],
  ])('%s shows the statistics of its meter type: %j', async (name, statistics) => {
    const { body } = await get(`/metrics/${name}`);
    const measured = body['measurements'] as readonly { readonly statistic: string; readonly value: number }[];
    expect(Object.fromEntries(measured.map(({ statistic, value }) => [statistic, value]))).toEqual(statistics);
  });

  it.each(['/metrics/process.uptime/', '/metrics/process%2Euptime', '/metrics/process.uptime?other=1'])(
    'finds process.uptime at %s',
    async (path) => {
      expect((await get(path)).body['name']).toBe('process.uptime');
    },
  );

  it.each(['nobody', 'login.lockouts', 'PROCESS.UPTIME', '__proto__', 'process.uptime%2F'])(
    'returns 404 with an empty body for the name %s',
    async (name) => {
      const answer = await get(`/metrics/${name}`);
      expect(answer.status).toBe(404);
      expect(answer.text).toBe('');
    },
  );
});

describe('the tag parameter of a metric', () => {
  it('selects the series with the tag and no longer offers it', async () => {
    const answer = await get('/metrics/http.server.requests?tag=status:200');

    expect(number(answer, 'COUNT')).toBe(2);
    expect(number(answer, 'MAX')).toBe(0.5);
    expect(answer.body['availableTags']).toEqual([
      { tag: 'method', values: ['POST', 'GET'] },
      { tag: 'uri', values: ['/login', '/me'] },
      { tag: 'outcome', values: ['SUCCESS'] },
    ]);
  });

  it('selects only series that have all given tags', async () => {
    expect(number(await get('/metrics/http.server.requests?tag=status:200&tag=method:GET'), 'TOTAL_TIME')).toBe(0.5);
    expect((await get('/metrics/http.server.requests?tag=status:401&tag=method:GET')).status).toBe(404);
  });

  it('ignores a repeated tag', async () => {
    const once = await get('/metrics/cache.gets?tag=result:hit');
    const twice = await get('/metrics/cache.gets?tag=result:hit&tag=result:hit');
    expect(twice.body).toEqual(once.body);
    expect(number(twice, 'COUNT')).toBe(3);
  });

  it('splits a tag at its first colon', async () => {
    expect(number(await get('/metrics/cache.gets?tag=cache.manager:http://x:1'), 'COUNT')).toBe(4);
  });

  it('accepts commas in a tag value', async () => {
    expect(number(await get('/metrics/cache.gets?tag=name:a,b'), 'COUNT')).toBe(3);
    expect(number(await get('/metrics/cache.gets?tag=name:a'), 'COUNT')).toBe(1);
  });

  it.each(['result:nobody', 'nobody:hit', 'result:', ':hit', 'constructor:x'])(
    'returns 404 with an empty body for the unmatched tag %s',
    async (tag) => {
      const answer = await get(`/metrics/cache.gets?tag=${tag}`);
      expect(answer.status).toBe(404);
      expect(answer.text).toBe('');
    },
  );

  it.each(['result', 'result=hit', ''])('rejects the tag %j without a colon', async (tag) => {
    const answer = await get(`/metrics/cache.gets?tag=result:hit&tag=${tag}`);
    expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
    expect(answer.body['errors']).toEqual([{ field: 'tag', code: 'format' }]);
  });
});

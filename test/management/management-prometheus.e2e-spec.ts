import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PrometheusEndpoint } from '../../src/management/metrics/prometheus.endpoint.js';
import { Meters } from '../../src/observability/metrics/meters.js';
import { type Answer, HttpClient } from '../support/http/http-client.js';
import { type ManagementService, OPERATOR, startManagement } from '../support/management/management-service.js';
import '../support/runner/matchers.js';

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const meters = new Meters();
let service: ManagementService;

beforeAll(async () => {
  const requests = meters.timer('http.server.requests', { description: 'Time to serve a request' });
  requests.of({ uri: '/login', method: 'POST', status: '200', outcome: 'SUCCESS' }).record(1.25);
  meters.counter('cache.gets').of({ 'cache.manager': 'users "1"' }).increment(2);
  service = await startManagement([new PrometheusEndpoint(meters)]);
});

afterAll(() => service.stop());

function get(query = '', headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new HttpClient(service.managementUrl).get(`/prometheus${query}`, { headers: { ...OPERATOR, ...headers } });
}

describe('the format of GET /actuator/prometheus', () => {
  it('uses the text format by default', async () => {
    const answer = await get();

    expect(answer).toBeAnswered(200);
    expect(answer.headers.get('content-type')).toBe(TEXT);
    expect(answer.text).toBe(
      [
        '# HELP http_server_requests_seconds Time to serve a request',
        '# TYPE http_server_requests_seconds summary',
        'http_server_requests_seconds_count{method="POST",outcome="SUCCESS",status="200",uri="/login"} 1',
        'http_server_requests_seconds_sum{method="POST",outcome="SUCCESS",status="200",uri="/login"} 1.25',
        '# HELP http_server_requests_seconds_max Time to serve a request',
        '# TYPE http_server_requests_seconds_max gauge',
        'http_server_requests_seconds_max{method="POST",outcome="SUCCESS",status="200",uri="/login"} 1.25',
        '# HELP cache_gets_total cache.gets',
        '# TYPE cache_gets_total counter',
        'cache_gets_total{cache_manager="users \\"1\\""} 2',
        '',
      ].join('\n'),
    );
  });

  it('uses OpenMetrics when Accept asks for it', async () => {
    const answer = await get('', { accept: 'application/openmetrics-text; version=1.0.0' });

    expect(answer).toBeAnswered(200);
    expect(answer.headers.get('content-type')).toBe(OPEN_METRICS);
    expect(answer.text).toContain('# TYPE cache_gets counter\ncache_gets_total{');
    expect(answer.text.endsWith('\n# EOF\n')).toBe(true);
  });

  it.each([
    {
      who: 'Prometheus 2',
      accept:
        'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,' +
        'text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
      type: OPEN_METRICS,
    },
    {
      who: 'an early Prometheus 2',
      accept: 'application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
      type: TEXT,
    },
    {
      who: 'Prometheus 3',
      accept:
        'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,' +
        'application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,' +
        'text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
      type: OPEN_METRICS,
    },
    { who: 'a browser', accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', type: TEXT },
    { who: 'curl', accept: '*/*', type: TEXT },
    { who: 'a client of plain text', accept: 'text/plain', type: TEXT },
  ])('uses the media type that $who understands', async ({ accept, type }) => {
    expect((await get('', { accept })).headers.get('content-type')).toBe(type);
  });

  it('rejects an Accept header that admits neither format with 406', async () => {
    expect(await get('', { accept: 'application/json' })).toBeRefused(406, 'NOT_ACCEPTABLE');
  });
});

describe('compression of GET /actuator/prometheus', () => {
  /** `fetch` decompresses the body and keeps the header. */
  async function fetched(encoding: string): Promise<{ readonly headers: Headers; readonly text: string }> {
    const headers = { ...OPERATOR, 'accept-encoding': encoding };
    const answer = await fetch(`${service.managementUrl}/prometheus`, { headers });
    return { headers: answer.headers, text: await answer.text() };
  }

  it.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8, *;q=0.1', '*'])(
    'compresses the response for Accept-Encoding %j',
    async (encoding) => {
      const { headers, text } = await fetched(encoding);
      expect(headers.get('content-encoding')).toBe('gzip');
      expect(text).toBe((await get()).text);
    },
  );

  it.each(['identity', 'br', 'gzip;q=0', 'identity, gzip;q=0.5'])(
    'does not compress the response for Accept-Encoding %j',
    async (encoding) => {
      const { headers, text } = await fetched(encoding);
      expect(headers.has('content-encoding')).toBe(false);
      expect(text).toBe((await get()).text);
    },
  );

  it('sends Vary: Accept, Accept-Encoding with and without compression', async () => {
    for (const encoding of ['gzip', 'identity']) {
      expect((await fetched(encoding)).headers.get('vary'), encoding).toBe('Accept, Accept-Encoding');
    }
  });
});

describe('the includedNames parameter', () => {
  it.each([
    { query: '?includedNames=cache_gets_total', names: ['cache_gets_total'] },
    {
      query: '?includedNames=cache_gets_total,http_server_requests_seconds_max',
      names: ['http_server_requests_seconds_max', 'cache_gets_total'],
    },
    {
      query: '?includedNames=cache_gets&includedNames=http_server_requests_seconds',
      names: ['http_server_requests_seconds', 'cache_gets_total'],
    },
    { query: '?includedNames=nobody', names: [] },
    {
      query: '?includedNames=',
      names: ['http_server_requests_seconds', 'http_server_requests_seconds_max', 'cache_gets_total'],
    },
  ])('$query returns the metrics $names', async ({ query, names }) => {
    const answer = await get(query);

    expect(answer).toBeAnswered(200);
    expect([...answer.text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)).toEqual(names);
  });
});

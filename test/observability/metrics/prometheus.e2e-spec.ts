import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { programOf } from '../../support/runner/binaries.js';
import { HttpClient } from '../../support/http/http-client.js';
import { needs } from '../../support/runner/needs.js';
import { type Prometheus, startPrometheus, type Value } from '../../support/management/prometheus.js';
import { type RunningService, startService } from '../../support/programs/service.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import '../../support/runner/matchers.js';

const ACCOUNT = { user: 'scraper', password: 'a password: for Prometheus' };
const ARGS = [
  '--management.endpoints.web.exposure.include=prometheus',
  ...[`--management.security.user=${ACCOUNT.user}`, `--management.security.password=${ACCOUNT.password}`],
];

needs('prometheus')('a real Prometheus server', () => {
  let service: RunningService;
  let prometheus: Prometheus;

  beforeAll(async () => {
    service = await startService({ args: ARGS });
    prometheus = await startPrometheus({ ...ACCOUNT, target: new URL(service.url).host });
    await answer('up{job="login-service"} == 1');
  });

  afterAll(async () => {
    await prometheus.stop();
    await service.stop();
  });

  /** Repeats a query until it has a result. */
  function answer(query: string, asked = prometheus): Promise<readonly Value[]> {
    const ask = async (): Promise<readonly Value[] | null> => {
      const values = await asked.query(query);
      return values.length > 0 ? values : null;
    };
    return waitUntil(`${query} has a result`, ask, { limitMillis: 30_000, everyMillis: 200 });
  }

  async function number(query: string): Promise<number> {
    const [first] = await answer(query);
    return first?.value ?? NaN;
  }

  function scrape(accept: string): Promise<string> {
    const authorization = `Basic ${Buffer.from(`${ACCOUNT.user}:${ACCOUNT.password}`).toString('base64')}`;
    const client = new HttpClient(service.url);
    return client.get('/actuator/prometheus', { headers: { accept, authorization } }).then(({ text }) => text);
  }

  it('Prometheus ingests every sample of a scrape', async () => {
    const samples = (await scrape('application/openmetrics-text')).split('\n').filter((line) => /^\w/.test(line));
    // The requests of this test add series between the two scrapes. A scrape that fails, e.g. on a busy machine, counts
    // as one of 0 samples until the next one.
    const ingested = `scrape_samples_scraped >= ${samples.length - 20}`;
    expect(await number(`(${ingested}) - scrape_samples_post_metric_relabeling`)).toBe(0);
    expect(prometheus.log).not.toMatch(/level=(?:warn|error).*component="scrape manager"/);
  });

  it('Prometheus queries return process metrics', async () => {
    expect(await number('process_uptime_seconds > 0')).toBeGreaterThan(0);
    expect(await number('nodejs_memory_used_bytes{area="heap"} / nodejs_memory_max_bytes{area="heap"}')).toBeLessThan(
      1,
    );
    expect(await number('rate(nodejs_eventloop_lag_seconds_count[10s]) > 0')).toBeGreaterThan(0);
    expect(await number('application_ready_time_seconds >= application_started_time_seconds')).toBeGreaterThan(0);
  });

  it('Prometheus queries return the number, the outcome and the duration of failed logins', async () => {
    const client = new HttpClient(service.url);
    const refused = 'http_server_requests_seconds_count{method="POST", uri="/login", status="401"}';
    for (let nth = 0; nth < 3; nth++) {
      expect(await client.post('/login', { id: 'nobody', pw: 'wrong password' })).toBeRefused(
        401,
        'INVALID_CREDENTIALS',
      );
    }

    expect(await number(`sum(${refused}) == 3`)).toBe(3);
    expect(await number('login_attempts_total{outcome="unknown"} == 3')).toBe(3);
    expect(await number('login_hash_time_seconds_count >= 3')).toBeGreaterThanOrEqual(3);
    expect(await number('sum(http_server_requests_seconds_sum{uri="/login"}) > 0')).toBeGreaterThan(0);
    expect(await number('histogram_quantile(0.99, login_hash_time_seconds_bucket) > 0')).toBeGreaterThan(0);
  });

  it('Prometheus stores the type and the help text of metrics', async () => {
    // The first series of a metric may come with a later scrape than the one of `beforeAll`.
    const known = (name: string): Promise<unknown> =>
      waitUntil(`Prometheus knows ${name}`, async () => {
        const metadata = (await prometheus.data(`metadata?metric=${name}`)) as Readonly<Record<string, unknown>>;
        return name in metadata && metadata;
      });
    expect(await known('http_server_requests_seconds')).toEqual({
      http_server_requests_seconds: [{ type: 'summary', help: 'Time to serve a request', unit: '' }],
    });
    expect(await known('login_mfa_step_offset')).toMatchObject({ login_mfa_step_offset: [{ type: 'histogram' }] });
    expect(await known('login_attempts')).toMatchObject({ login_attempts: [{ type: 'counter' }] });
  });

  it('Prometheus evaluates every alert rule, and none fires', async () => {
    const groups = await waitUntil(
      'all alerts were looked at',
      async () => {
        const { groups: all } = (await prometheus.data('rules')) as {
          readonly groups: readonly {
            readonly rules: readonly { readonly health: string; readonly state: string }[];
          }[];
        };
        return all.every(({ rules }) => rules.every(({ health }) => health !== 'unknown')) && all;
      },
      { limitMillis: 30_000 },
    );
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(15);
    expect(rules.filter(({ health, state }) => health !== 'ok' || state === 'firing')).toEqual([]);
  });

  it('Prometheus cannot scrape with a wrong password', async () => {
    const other = await startPrometheus({ ...ACCOUNT, password: 'another', target: new URL(service.url).host });
    try {
      const up = await answer('up', other);
      expect(up.map(({ value }) => value)).toEqual([0]);
    } finally {
      await other.stop();
    }
  });

  it('promtool reports no problems in a scrape', async () => {
    const text = await scrape('text/plain');
    expect(text).toContain('# TYPE http_server_requests_seconds summary');
    expect(execFileSync(programOf('promtool'), ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe('');
  });
});

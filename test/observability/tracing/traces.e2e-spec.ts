import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpClient } from '../../support/http/http-client.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { type ManagedService, startManaged } from '../../support/management/management.js';
import { OtlpReceiver } from '../../support/management/otlp-receiver.js';
import { type RunningService, startService, THIS_BUILD } from '../../support/programs/service.js';
import { onEachEngine } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { WebhookReceiver } from '../../support/events/webhook-receiver.js';
import '../../support/runner/matchers.js';

const CALLER_SPAN = 'b7ad6b7169203331';
const sampled = (traceId: string): Readonly<Record<string, string>> => ({
  traceparent: `00-${traceId}-${CALLER_SPAN}-01`,
});
const unsampled = (traceId: string): Readonly<Record<string, string>> => ({
  traceparent: `00-${traceId}-${CALLER_SPAN}-00`,
});

const collector = await new OtlpReceiver().start();
const webhook = await new WebhookReceiver().start();
afterAll(async () => {
  await Promise.all([collector.stop(), webhook.stop()]);
});

const newTraceId = (): string => randomBytes(16).toString('hex');

/** Arguments that turn traces on; `others` replace them. */
const traced = (others: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.entries({
    'management.otlp.tracing.endpoint': collector.url,
    'management.tracing.sampling.probability': '1.0',
    'management.opentelemetry.tracing.export.schedule-delay': '10ms',
    ...others,
  }).map(([key, value]) => `--${key}=${value}`);

onEachEngine('traces', (engine) => {
  const story = storyOn(engine, {
    people: 4,
    args: traced({ 'app.security.webhook.url': webhook.url }),
  });

  it('one trace leads from the caller over the request, its password hash and its unit of work to the webhook', async () => {
    const TRACE = newTraceId();
    const person = story.person();
    const headers = { ...sampled(TRACE), tracestate: 'vendor=opaque' };

    expect(await story.client().post('/login', { id: person.id, pw: PASSWORD }, { headers })).toBeAnswered(200);

    const [delivery] = await webhook.received(await story.subjectOf(person), 1);
    const request = await collector.received(TRACE, 'POST /login');
    const call = await collector.received(TRACE, 'POST');
    const within = (
      await waitUntil('the children have arrived', () => {
        const children = collector.ofTrace(TRACE).filter(({ parentSpanId }) => parentSpanId === request.spanId);
        return children.length >= 3 ? children : undefined;
      })
    ).map(({ name }) => name);
    expect(request).toMatchObject({ parentSpanId: CALLER_SPAN, kind: 2, status: 0 });
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/login',
      'http.response.status_code': 200,
      'url.path': '/login',
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
    });
    expect(within).toEqual(expect.arrayContaining(['password hash', 'unit of work', 'POST']));
    expect(call).toMatchObject({
      kind: 3,
      attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 204 },
    });
    expect(delivery?.headers).toMatchObject({
      traceparent: `00-${TRACE}-${call.spanId}-01`,
      tracestate: 'vendor=opaque',
    });
  });

  it('a unit of work names its engine and attempts, a hash its wait and its work', async () => {
    const person = story.person();
    const trace = newTraceId();

    await story.client().post('/login', { id: person.id, pw: PASSWORD }, { headers: sampled(trace) });

    const hash = await collector.received(trace, 'password hash');
    const work = await collector.received(trace, 'unit of work');
    expect(Object.keys(hash.attributes).sort()).toEqual(['login.hash.wait_ms', 'login.hash.work_ms']);
    expect(work.attributes).toEqual({
      'db.system.name': expect.stringMatching(/^(?:sqlite|mariadb|mysql)$/) as string,
      'login.unit_of_work.kind': expect.stringMatching(/^(?:transaction|autocommit)$/) as string,
      'login.unit_of_work.attempts': 1,
    });
  });

  it('L1: a trace contains no login id, password, token, query or id of a user', async () => {
    const person = await story.enrolled();
    const trace = newTraceId();
    const headers = sampled(trace);
    const client = story.client();
    await client.post('/login', { id: person.id, pw: 'not-the-password-0815' }, { headers });
    const { body } = await client.post('/login', { id: person.id, pw: PASSWORD }, { headers });
    await client.get('/me?secret=in-the-query', { headers, bearer: person.accessToken });
    await client.get('/no/such/secret-path', { headers });
    await client.get('/session/secret-parameter', { headers, bearer: person.accessToken });
    await waitUntil(
      'all requests have arrived',
      () => collector.ofTrace(trace).filter(({ kind }) => kind === 2).length === 5,
    );

    const sent = collector.requests.map(({ text }) => text).join('\n');
    for (const secret of [
      ...[person.id, PASSWORD, 'not-the-password-0815', person.accessToken, await story.subjectOf(person)],
      ...[String(body['mfa_token']), 'in-the-query', 'secret-path', 'secret-parameter', 'SELECT', 'UPDATE'],
    ]) {
      expect(sent).not.toContain(secret);
    }
  });

  it('log lines of a traced request contain the ids of its trace', async () => {
    const trace = newTraceId();

    await story.client().post('/login', { id: story.person().id, pw: PASSWORD }, { headers: sampled(trace) });

    const request = await collector.received(trace, 'POST /login');
    await expect.poll(() => story.service.stdout).toContain(`[${trace}-${request.spanId}] `);
  });
});

describe('the keys of traces', () => {
  const TRACE = newTraceId();
  const services: RunningService[] = [];
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.release()));
  });
  beforeEach(() => {
    collector.spans.length = 0;
    collector.requests.length = 0;
  });

  async function started(...args: readonly string[]): Promise<{ service: ManagedService; client: HttpClient }> {
    const service = await startManaged({ args });
    services.push(service);
    return { service, client: new HttpClient(service.url) };
  }
  const reading = async ({ operator }: ManagedService, path: string): Promise<number> => {
    const { body } = await operator.get(`/metrics/${path}`);
    const [first] = (body['measurements'] ?? []) as readonly { readonly value: number }[];
    return first?.value ?? 0;
  };

  it('management.otlp.tracing.endpoint, headers and resource attributes shape each request to the collector', async () => {
    const { client } = await started(
      ...traced({ 'management.otlp.tracing.headers.x-tenant': 'blue' }),
      '--management.opentelemetry.resource-attributes[service.name]=login-eu',
      '--management.opentelemetry.resource-attributes[deployment.environment.name]=test',
    );

    await client.get('/me', { headers: sampled(TRACE) });

    const span = await collector.received(TRACE, 'GET /me');
    expect(span.resource).toEqual({ 'service.name': 'login-eu', 'deployment.environment.name': 'test' });
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-tenant': 'blue', 'content-type': 'application/json' },
    });
  });

  it('the service is called login-service unless the configuration names it', async () => {
    const { client } = await started(...traced());

    await client.get('/me', { headers: sampled(TRACE) });

    expect((await collector.received(TRACE, 'GET /me')).resource).toEqual({ 'service.name': 'login-service' });
  });

  it('the sampled flag of a caller does not decide: with probability 0 strangers cannot have their requests exported', async () => {
    const { service, client } = await started(...traced({ 'management.tracing.sampling.probability': '0' }));

    await client.get('/me', { headers: sampled(TRACE) });
    await client.post('/login', { id: 'nobody', pw: PASSWORD }, { headers: sampled(TRACE) });
    expect(await service.stop()).toBe(0);

    expect(collector.requests).toEqual([]);
    expect(service.stdout).toMatch(new RegExp(`\\[${TRACE}-[\\da-f]{16}\\] `));
  });

  it('with probability 1 the unsampled flag of a caller does not keep its request from the collector', async () => {
    const { client } = await started(...traced());

    await client.get('/me', { headers: unsampled(TRACE) });

    expect(await collector.received(TRACE, 'GET /me')).toMatchObject({ parentSpanId: CALLER_SPAN });
  });

  it('with the sampler parent-based-trace-id-ratio the flag of the caller decides', async () => {
    const { service, client } = await started(
      ...traced({ 'management.tracing.sampling.probability': '0' }),
      '--management.opentelemetry.tracing.sampler=parent-based-trace-id-ratio',
    );
    const other = newTraceId();

    await client.get('/me', { headers: unsampled(other) });
    await client.get('/me', { headers: sampled(TRACE) });
    await service.stop();

    expect(collector.spans.map(({ traceId }) => traceId)).toEqual([TRACE]);
  });

  it.each([
    ['of another form', 'not-a-traceparent'],
    ['without a trace id', `00-${'0'.repeat(32)}-${CALLER_SPAN}-01`],
    ['of the forbidden version', `ff-${TRACE}-${CALLER_SPAN}-01`],
    ['with more than its version has', `00-${TRACE}-${CALLER_SPAN}-01-more`],
  ])('a traceparent %s is ignored, and the request begins a trace', async (_, traceparent) => {
    const { service, client } = await started(...traced());

    expect(await client.get('/me', { headers: { traceparent, tracestate: '=,;' } })).toBeRefused(401, 'INVALID_TOKEN');
    await service.stop();

    const [span] = collector.spans;
    expect(span?.traceId).toMatch(/^[\da-f]{32}$/);
    expect(span?.traceId).not.toBe(TRACE);
    expect(span?.parentSpanId ?? '').toBe('');
  });

  it('management requests are not traced, and management.tracing.enabled=false turns traces off', async () => {
    const { service } = await started(...traced({ 'management.endpoint.health.probes.add-additional-paths': 'true' }));
    const off = await started(...traced({ 'management.tracing.enabled': 'false' }));

    for (const path of ['/livez', '/readyz', '/actuator/health', '/actuator/metrics']) {
      expect((await new HttpClient(service.url).get(path, { headers: service.operator.headers })).status).toBe(200);
    }
    await off.client.get('/me', { headers: sampled(TRACE) });
    await Promise.all([service.stop(), off.service.stop()]);

    expect(collector.requests).toEqual([]);
  });

  it('an error of the service marks the span of its request as failed, one of the caller does not', async () => {
    const { client } = await started(...traced({ 'app.security.password.hash.queue-capacity': '0' }));
    const attempts = Array.from({ length: 8 }, () =>
      client.post('/login', { id: 'nobody', pw: PASSWORD }, { headers: sampled(TRACE) }),
    );
    expect((await Promise.all(attempts)).map(({ status }) => status)).toContain(503);
    await client.get('/me', { headers: sampled(TRACE) });

    const refused = await collector.received(TRACE, 'GET /me');
    const failed = await waitUntil('a failed span has arrived', () =>
      collector.spans.find(({ kind, status }) => kind === 2 && status === 2),
    );
    expect(refused).toMatchObject({ status: 0, attributes: { 'http.response.status_code': 401 } });
    expect(failed.attributes).toMatchObject({ 'http.response.status_code': 503, 'error.type': 'UNAVAILABLE' });
  });

  it('shutdown exports the spans of the last requests', async () => {
    const { service, client } = await started(
      ...traced({ 'management.opentelemetry.tracing.export.schedule-delay': '1m' }),
    );

    await client.get('/me', { headers: sampled(TRACE) });
    expect(collector.requests).toEqual([]);
    expect(await service.stop()).toBe(0);

    expect(collector.ofTrace(TRACE).map(({ name }) => name)).toContain('GET /me');
  });

  it('a stopped collector delays no request, is reported once, and gets the spans after it has started again', async () => {
    const { service, client } = await started(...traced());
    await collector.stop();
    const others = [newTraceId(), newTraceId()];
    try {
      for (const trace of others) expect((await client.get('/me', { headers: sampled(trace) })).status).toBe(401);
      await waitUntil('the outage is logged', () => service.log.some((line) => line.startsWith('WARN The collector')));
    } finally {
      await collector.start();
    }

    for (const trace of others) await collector.received(trace, 'GET /me');
    await waitUntil('the end is logged', () => service.log.some((line) => line.startsWith('INFO The collector')));
    expect(service.log.filter((line) => line.startsWith('WARN The collector'))).toHaveLength(1);
    expect(await reading(service, 'tracing.spans.exported')).toBeGreaterThanOrEqual(2);
  });

  it('a silent collector costs bounded memory and time: the queue drops and counts, and shutdown is bounded', async () => {
    const { service, client } = await started(
      ...traced({ 'management.opentelemetry.tracing.export.max-queue-size': '3' }),
    );
    collector.answer = () => undefined;
    try {
      for (let count = 0; count < 12; count += 1) expect((await client.get('/me')).status).toBe(401);

      await waitUntil('spans are dropped', async () => {
        return (await reading(service, 'tracing.spans.dropped?tag=reason:queue_full')) > 0;
      });
      expect(await service.stop()).toBe(0);
    } finally {
      collector.answer = (response) => void response.writeHead(200).end('{}');
    }
  });

  it('management.otlp.tracing.timeout limits a request to the collector', async () => {
    const { service, client } = await started(...traced({ 'management.otlp.tracing.timeout': '100ms' }));
    collector.answer = () => undefined;
    try {
      await client.get('/me');

      const line = await waitUntil('a failure is logged', () => /does not accept traces.*$/m.exec(service.stdout)?.[0]);
      expect(line).toContain('reason=TOTAL_TIMEOUT');
    } finally {
      collector.answer = (response) => void response.writeHead(200).end('{}');
    }
  });

  it('spans that the collector rejects are counted and not sent again', async () => {
    const { service, client } = await started(...traced());
    collector.answer = (response) => void response.writeHead(400).end();
    try {
      await client.get('/me');

      await waitUntil('the span is counted', async () => {
        return (await reading(service, 'tracing.spans.dropped?tag=reason:rejected')) > 0;
      });
      const sent = collector.requests.flatMap(({ text }) =>
        [...text.matchAll(/"spanId":"(\w+)"/g)].map(([, id]) => id),
      );
      expect(sent).not.toEqual([]);
      expect(sent).toEqual([...new Set(sent)]);
    } finally {
      collector.answer = (response) => void response.writeHead(200).end('{}');
    }
  });
});

describe('the packages of OpenTelemetry', () => {
  const bundle = join(THIS_BUILD, 'dist/bundle');
  /** The name of the global in which its API keeps the provider. */
  const files = (): readonly string[] =>
    readdirSync(bundle).filter(
      (file) => file.endsWith('.cjs') && readFileSync(join(bundle, file), 'utf8').includes('opentelemetry.js.api'),
    );

  /** The files that a service had opened by its end; package files of OpenTelemetry and the bundle that contains them. */
  async function loaded(...args: readonly string[]): Promise<readonly string[]> {
    const folder = temporaryFolder('loaded');
    const [preload, list] = [join(folder, 'preload.cjs'), join(folder, 'list.json')];
    writeFileSync(
      preload,
      `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache))));`,
    );
    const service = await startService({ args, nodeArguments: ['--require', preload], isAlone: true });
    await new HttpClient(service.url).post(
      '/login',
      { id: 'nobody', pw: PASSWORD },
      { headers: sampled(newTraceId()) },
    );
    await service.stop();
    const all = JSON.parse(readFileSync(list, 'utf8')) as readonly string[];
    return all.filter((path) => path.includes('@opentelemetry') || files().some((file) => path.endsWith(`/${file}`)));
  }

  it('are not loaded without a collector', async () => {
    expect(files()).not.toEqual([]);
    expect(await loaded()).toEqual([]);
  });

  it('are loaded with a collector', async () => {
    expect(await loaded(...traced())).not.toEqual([]);
  });
});

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ASKED_METRICS, FORWARDED, POLL, STEPS } from '../support/management/console-steps.js';
import { FakeConsole } from '../support/management/fake-console.js';
import { HttpClient, textsOf } from '../support/http/http-client.js';
import { JSON_V3, type ManagedService, OPERATOR, startManaged } from '../support/management/management.js';
import { waitUntil } from '../support/runner/wait-until.js';

interface Link {
  readonly href: string;
  readonly templated: boolean;
}

interface Metric {
  readonly measurements: readonly { readonly value: unknown }[];
  readonly availableTags: readonly { readonly tag: string; readonly values: readonly string[] }[];
}

describe('calls of a management console', () => {
  let console: FakeConsole;
  let service: ManagedService;
  /** Calls the management URL with the credentials from the registration. */
  let client: HttpClient;

  beforeAll(async () => {
    console = await FakeConsole.start();
    service = await startManaged({
      args: [
        `--app.boot.admin.client.url=${console.url}`,
        `--app.boot.admin.client.instance.metadata.user.name=${OPERATOR.user}`,
        '--app.boot.admin.client.instance.metadata.user.password=${management.security.password}',
        '--management.server.port=0',
        '--management.httpexchanges.recording.enabled=true',
        '--management.endpoint.shutdown.access=unrestricted',
        '--management.metrics.compat.jvm-names=true',
        '--logging.file.name=login.log',
      ],
    });
    const { body } = await waitUntil('the service registers', () => console.calls[0]);
    const { managementUrl, metadata } = body as {
      readonly managementUrl: string;
      readonly metadata: Readonly<Record<string, string>>;
    };
    client = new HttpClient(managementUrl);
    const account = `${metadata['user.name'] ?? ''}:${metadata['user.password'] ?? ''}`;
    client.headers['authorization'] = `Basic ${Buffer.from(account).toString('base64')}`;
    await new HttpClient(service.url).get('/portal/login');
    const logFile = join(service.cwd, 'login.log');
    // An empty file has no byte range to return.
    await waitUntil('the log file has a line', () => (statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > 0);
  });
  afterAll(async () => {
    await service.release();
    await console.stop();
  });

  it('the registration sends the name and the URLs of the service as JSON', () => {
    const { managementUrl = '', url } = service;

    expect(console.calls[0]).toMatchObject({
      method: 'POST',
      path: '/instances',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: { name: 'login-service', managementUrl, healthUrl: `${managementUrl}/health`, serviceUrl: url },
    });
  });

  it('the discovery page lists the endpoints as untemplated links, with the vendor media type', async () => {
    const answer = await client.get('', { headers: POLL });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(JSON_V3);
    const links = Object.entries(answer.body['_links'] as Readonly<Record<string, Link>>);
    const taken = links.filter(([id, { templated }]) => id !== 'self' && !templated);
    expect(taken.map(([id, { href }]) => [id, href])).toEqual(
      taken.map(([id]) => [id, `${service.managementUrl ?? ''}/${id}`]),
    );
    expect(taken.map(([id]) => id)).toEqual(
      expect.arrayContaining(['health', 'info', 'metrics', 'env', 'configprops', 'mappings', 'threaddump', 'shutdown']),
    );
  });

  it.each(STEPS)('$call returns $status with the members that a console reads', async (step) => {
    const { call, headers, json, status, type, allows, reads = {} } = step;
    const [method = '', path = ''] = call.split(' ');

    const answer = await client.send(method, path, { headers, json });

    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')?.replace(/;.*/, '')).toBe(type);
    expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(allows?.toSorted());
    expect(answer.body).toMatchObject(reads);
  });

  it('every metric that a console reads is listed, has a value and can be narrowed by its tags', async () => {
    const names = textsOf(await client.get('/metrics', { headers: FORWARDED }), 'names');
    expect(names).toEqual(expect.arrayContaining([...ASKED_METRICS]));

    for (const name of ASKED_METRICS) {
      const { status, body } = await client.get(`/metrics/${name}`, { headers: FORWARDED });
      const { measurements, availableTags } = body as unknown as Metric;
      expect(status).toBe(200);
      expect(measurements[0]?.value).toEqual(expect.any(Number));
      for (const { tag, values } of availableTags) {
        const pair = `tag=${tag}:${values[0] ?? ''}`;
        // A console sends the first pair twice.
        const narrowed = await client.get(`/metrics/${name}?${pair}&${pair}`, { headers: FORWARDED });
        expect(narrowed.status).toBe(200);
      }
    }
  });

  it('POST /shutdown returns 200, stops the service and deregisters it from the console', async () => {
    const answer = await client.send('POST', '/shutdown', { headers: FORWARDED });

    expect(answer).toMatchObject({ status: 200, body: { message: 'Shutting down, bye...' } });
    expect((await service.exit).code).toBe(0);
    expect(console.calls.at(-1)).toMatchObject({ method: 'DELETE', path: '/instances/instance%2F1' });
  });
});

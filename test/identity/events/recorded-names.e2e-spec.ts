import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONTRACT_METERS } from '../../support/management/contract-meters.js';
import { textsOf } from '../../support/http/http-client.js';
import { makeCertificate } from '../../support/http/certificates.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { type ManagedService, startManaged } from '../../support/management/management.js';

const CONTRACT = CONTRACT_METERS.flatMap(({ names, unit, kind, tags = [] }) =>
  names.map((name) => ({ name, tags, unit: unit ?? (/timer/i.test(kind) ? 'seconds' : undefined) })),
);
let service: ManagedService;
let names: readonly string[];

beforeAll(async () => {
  const { certificate, key } = makeCertificate();
  // A configured identity provider and a webhook have series even when they cannot be reached.
  service = await startManaged({
    args: [
      '--app.security.saml.idp.corp.metadata=https://127.0.0.1:1/metadata',
      '--app.security.webhook.url=http://127.0.0.1:1/events',
      '--app.security.password.breached.url=http://127.0.0.1:1/range',
      `--app.ssl.bundle.pem.web.keystore.certificate=file:${certificate}`,
      `--app.ssl.bundle.pem.web.keystore.private-key=file:${key}`,
      ...['--app.data.kvstore.host=127.0.0.1', '--app.data.kvstore.port=1'],
    ],
  });
  // The first completed request creates the series of requests, and the first failed fetch of metadata those of calls.
  names = await waitUntil('a call to another service has ended', async () => {
    await service.operator.get('/health');
    const recorded = textsOf(await service.operator.get('/metrics'), 'names');
    return recorded.includes('http.client.requests') && recorded;
  });
});

afterAll(() => service.stop());

it('the service records exactly the metric names of the contract', () => {
  const hasFiles = existsSync('/proc/self/fd');
  // Series of caches exist only with caches.
  const always = CONTRACT.map(({ name }) => name).filter(
    (name) => !name.startsWith('cache.') && (hasFiles || !name.startsWith('process.files.')),
  );
  expect(names).toEqual(expect.arrayContaining(always));
  expect(CONTRACT.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
});

it('every metric has a description, and the unit and the tags of the contract', async () => {
  for (const name of names) {
    const { body } = await service.operator.get(`/metrics/${name}`);
    const tags = (body['availableTags'] as readonly { readonly tag: string }[]).map(({ tag }) => tag);
    const { unit, tags: expected = [] } = CONTRACT.find((one) => one.name === name) ?? {};
    expect(body['description'], name).toEqual(expect.stringMatching(/^\S.{3,}/));
    expect(body['baseUnit'], name).toBe(unit);
    expect(tags.toSorted(), name).toEqual(expected.toSorted());
  }
});

it('a route has the same uri tag with and without a trailing slash', async () => {
  for (const path of ['/info', '/info/']) await service.operator.get(path);

  const { body } = await service.operator.get('/metrics/http.server.requests?tag=uri:/actuator/info');
  const { status } = await service.operator.get('/metrics/http.server.requests?tag=uri:/actuator/info/');

  expect(body['measurements']).toContainEqual({ statistic: 'COUNT', value: 2 });
  expect(status).toBe(404);
});

it('every metric appears in the Prometheus scrape with its own description', async () => {
  const { text } = await service.operator.get('/prometheus');
  const described = new Set(Array.from(text.matchAll(/^# HELP \S+ (.*)$/gm), ([, help]) => help));
  for (const name of names) {
    const { body } = await service.operator.get(`/metrics/${name}`);
    expect(described, name).toContain(body['description']);
  }
});

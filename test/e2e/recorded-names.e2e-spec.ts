import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONTRACT_METERS } from '../support/contract-meters.js';
import { textsOf } from '../support/http-client.js';
import { type ManagedService, startManaged } from '../support/management.js';

const CONTRACT = CONTRACT_METERS.flatMap(({ names, unit, kind, tags = [] }) =>
  names.map((name) => ({ name, tags, unit: unit ?? (/timer/i.test(kind) ? 'seconds' : undefined) })),
);
let service: ManagedService;
let names: readonly string[];

beforeAll(async () => {
  // Identity providers have series where there are identity providers, whether or not one can be reached.
  service = await startManaged({ args: ['--app.security.saml.idp.corp.metadata=https://127.0.0.1:1/metadata'] });
  // The first request that is over makes the series of requests.
  await service.operator.get('/health');
  names = textsOf(await service.operator.get('/metrics'), 'names');
});

afterAll(() => service.stop());

it('the service records the names of the contract, and no others', () => {
  const hasFiles = existsSync('/proc/self/fd');
  // Caches have series where there are caches.
  const always = CONTRACT.map(({ name }) => name).filter(
    (name) => !name.startsWith('cache.') && (hasFiles || !name.startsWith('process.files.')),
  );
  expect(names).toEqual(expect.arrayContaining(always));
  expect(CONTRACT.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
});

it('each has a description, the unit of the contract, and its tags', async () => {
  for (const name of names) {
    const { body } = await service.operator.get(`/metrics/${name}`);
    const tags = (body['availableTags'] as readonly { readonly tag: string }[]).map(({ tag }) => tag);
    const { unit, tags: expected = [] } = CONTRACT.find((one) => one.name === name) ?? {};
    expect(body['description'], name).toEqual(expect.stringMatching(/^\S.{3,}/));
    expect(body['baseUnit'], name).toBe(unit);
    expect(tags.toSorted(), name).toEqual(expected.toSorted());
  }
});

it('a route is one, with and without a slash at its end', async () => {
  for (const path of ['/info', '/info/']) await service.operator.get(path);

  const { body } = await service.operator.get('/metrics/http.server.requests?tag=uri:/actuator/info');
  const { status } = await service.operator.get('/metrics/http.server.requests?tag=uri:/actuator/info/');

  expect(body['measurements']).toContainEqual({ statistic: 'COUNT', value: 2 });
  expect(status).toBe(404);
});

it('no two of them have one name for Prometheus', async () => {
  const { text } = await service.operator.get('/prometheus');
  const described = new Set(Array.from(text.matchAll(/^# HELP \S+ (.*)$/gm), ([, help]) => help));
  for (const name of names) {
    const { body } = await service.operator.get(`/metrics/${name}`);
    expect(described, name).toContain(body['description']);
  }
});

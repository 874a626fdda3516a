import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { IdentityProvider } from '../../support/saml/identity-provider.js';
import { IdpServer } from '../../support/saml/identity-provider-server.js';
import { type ManagedService, startManaged } from '../../support/management/management.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const idp = IdentityProvider.make();

describe('identity provider metadata of a running service', { timeout: 60_000 }, () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  const started = async (...keys: readonly string[]): Promise<ManagedService> => {
    const service = await startManaged({ args: keys.map((key) => `--app.security.saml.idp.corp.${key}`) });
    stops.push(() => service.stop());
    return service;
  };
  const providers = async (service: ManagedService): Promise<unknown> => {
    const { body } = await service.operator.get('/health/saml');
    return (body['details'] as { readonly providers: unknown }).providers;
  };
  const isUsable = (service: ManagedService): Promise<true> =>
    waitUntil('the identity provider is usable', async () => {
      const { body } = await service.operator.get('/health/saml');
      return body['status'] === 'UP';
    });

  it('the service is ready while the metadata URL is silent, and the provider is usable once it responds', async () => {
    const { promise: heldUntil, resolve: answer } = Promise.withResolvers<undefined>();
    const server = await IdpServer.start({ metadataAnswer: { heldUntil } });
    stops.push(() => server.stop());
    const service = await started(`metadata=${server.metadataUrl}`);

    const before = await service.operator.get('/health/saml');
    const [whole, ready, live] = await Promise.all(
      ['/health', '/health/readiness', '/health/liveness'].map((path) => service.operator.get(path)),
    );
    expect(before.body['status']).toBe('OUT_OF_SERVICE');
    expect([whole?.status, ready?.status, live?.status]).toEqual([503, 200, 200]);

    answer(undefined);
    await isUsable(service);
    const [provider] = (await providers(service)) as readonly { readonly ageSeconds: number }[];
    expect(provider).toMatchObject({ idp: 'corp', usable: true, source: 'url' });
    expect(provider?.ageSeconds).toBeOneOf([0, 1, 2, 3, 4, 5]);
  });

  it('metadata from a file is usable at startup and follows changes of the file', async () => {
    const folder = temporaryFolder('metadata');
    const [file, next] = [join(folder, 'idp.xml'), join(folder, 'next.xml')];
    writeFileSync(file, idp.metadata());
    const service = await started(`metadata=file:${file}`);
    expect(await providers(service)).toMatchObject([{ usable: true, source: 'file', entityId: idp.entityId }]);

    writeFileSync(next, idp.metadata({ entityId: 'urn:new' }));
    renameSync(next, file);

    await waitUntil('the new metadata is in use', async () =>
      JSON.stringify(await providers(service)).includes('urn:new'),
    );
    const { body } = await service.operator.get('/scheduledtasks');
    expect(JSON.stringify(body)).toContain('MetadataRefresh.refresh');
  });

  it('an invalid metadata file prevents startup', async () => {
    const file = join(temporaryFolder('metadata'), 'idp.xml');
    writeFileSync(file, '<!DOCTYPE a><a/>');

    await expect(started(`metadata=file:${file}`)).rejects.toThrow(/contains a DOCTYPE/);
  });
});

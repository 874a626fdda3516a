import { afterEach, beforeEach, expect, it } from 'vitest';
import { outboundHttp } from '../../support/http/outbound.js';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { IdpMetadata } from '../../../src/signin/saml/idp/idp-metadata.service.js';
import { IdpMetadataStore } from '../../../src/signin/saml/idp/idp-metadata.store.js';
import { type IdpEntry, Idps } from '../../../src/signin/saml/idp/idps.service.js';
import { SamlProperties } from '../../../src/signin/saml/saml.properties.js';
import { bound } from '../../config/keys/situation.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { makeKeyPair } from '../../support/saml/identity-provider.js';
import { IdpServer } from '../../support/saml/identity-provider-server.js';
import { ManualClock } from '../../support/programs/manual-clock.js';

const ENTITY_ID = 'https://idp.test/metadata';
const keyPair = makeKeyPair();

onEveryDatabase('identity provider metadata at a URL', (database) => {
  let server: IdpServer;
  let clock: ManualClock;

  beforeEach(async () => {
    server = await IdpServer.start({}, { keyPair, entityId: ENTITY_ID });
    clock = new ManualClock();
    await database.work.single((tx) => tx.change('DELETE FROM saml_metadata'));
  });
  afterEach(() => server.stop());

  /** The state of one process; `keys` are added to the URL. */
  const process = (keys: readonly string[] = [], url = server.metadataUrl, work: UnitOfWork = database.work) => {
    const prefix = '--app.security.saml.idp.corp';
    const args = [`${prefix}.metadata=${url}`, ...keys.map((key) => `${prefix}.${key}`)];
    const idps = new Idps(bound({ args }, SamlProperties), clock);
    const [entry] = idps.entries;
    const metadata = new IdpMetadata(outboundHttp(), new IdpMetadataStore(), work, clock);
    const trusted = (): string => idps.named('corp').trust().entityId;
    const fault = (): string | undefined => {
      const trust = entry?.cache.trustAt(clock.millis());
      return trust && 'problem' in trust ? trust.problem : undefined;
    };
    return { entry: entry as IdpEntry, metadata, trusted, fault };
  };

  it('sign-in fails with UNAVAILABLE and Retry-After before the metadata are read', async () => {
    const { entry, metadata, trusted, fault } = process();

    expect(trusted).toThrow(
      expect.objectContaining({
        code: 'UNAVAILABLE',
        facts: { retryAfterSeconds: 10, reason: 'no valid metadata' },
      }),
    );
    expect(fault()).toBe('no metadata has been read yet');
    await metadata.refresh(entry);
    expect(trusted()).toBe(ENTITY_ID);
  });

  it.each([
    ['the URL responded with 500', (): void => void (server.settings.metadataAnswer = { status: 500 })],
    ['not well-formed XML (line 1)', (): void => void (server.settings.metadata = '<a>')],
    [
      'the metadata was valid until 2020-01-01T00:00:00.000Z',
      () => {
        server.settings.metadata = { entityId: 'urn:new', validUntil: '2020-01-01T00:00:00Z' };
      },
    ],
  ])('metadata stay in use when %s', async (reason, spoil) => {
    const { entry, metadata, trusted } = process();
    await metadata.refresh(entry);
    spoil();

    await expect(metadata.refresh(entry)).rejects.toThrow(reason);

    expect(trusted()).toBe(ENTITY_ID);
    expect(entry.cache.failure).toBe(reason);
  });

  it('expired metadata are not used until newer ones are read', async () => {
    const { entry, metadata, trusted, fault } = process();
    const inAnHour = () => ({ validUntil: clock.millis() + 3_600_000 });
    server.settings.metadata = inAnHour();
    await metadata.refresh(entry);

    clock.advance(3599);
    expect(trusted()).toBe(ENTITY_ID);
    clock.advance(1);
    expect(trusted).toThrow('UNAVAILABLE: no valid metadata');
    expect(fault()).toMatch(/^the metadata was valid until /);

    server.settings.metadata = inAnHour();
    await metadata.refresh(entry);
    expect(trusted()).toBe(ENTITY_ID);
  });

  it('a starting process restores metadata and their age without their URL', async () => {
    const before = process();
    await before.metadata.refresh(before.entry);
    clock.advance(600);

    const after = process();
    await after.metadata.restore(after.entry);

    expect(after.trusted()).toBe(ENTITY_ID);
    expect(after.entry.cache.updatedAt).toBe(clock.millis() - 600_000);
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    ['belong to another entity', ['entity-id=urn:other']],
    ['must be signed', [`metadata-certificate=${keyPair.certificate.replaceAll('\n', '\\n')}`]],
  ])('stored metadata are not restored when they %s under the new configuration', async (_, keys) => {
    const before = process();
    await before.metadata.refresh(before.entry);

    const after = process(keys);
    await after.metadata.restore(after.entry);

    expect(after.trusted).toThrow('no valid metadata');
    expect(after.fault()).toBe('no metadata has been read yet');
  });

  it('metadata of another URL and expired metadata are not restored', async () => {
    server.settings.metadata = { validUntil: clock.millis() + 60_000 };
    const before = process();
    await before.metadata.refresh(before.entry);
    const elsewhere = process([], `${server.metadataUrl}?other`);
    await elsewhere.metadata.restore(elsewhere.entry);
    clock.advance(60);
    const late = process();
    await late.metadata.restore(late.entry);

    expect(elsewhere.trusted).toThrow('no valid metadata');
    expect(elsewhere.fault()).toBe('no metadata has been read yet');
    expect(late.trusted).toThrow('no valid metadata');
    expect(late.fault()).toBe('no metadata has been read yet');
  });

  it('older metadata replace neither later stored ones nor those that were just read', async () => {
    const first = process();
    clock.advance(60);
    server.settings.metadata = { entityId: 'urn:later' };
    await first.metadata.refresh(first.entry);
    clock.advance(-60);
    server.settings.metadata = { entityId: 'urn:earlier' };
    const second = process();
    await second.metadata.refresh(second.entry);
    await second.metadata.restore(second.entry);
    const third = process();
    await third.metadata.restore(third.entry);

    expect([second.trusted(), third.trusted()]).toEqual(['urn:earlier', 'urn:later']);
  });

  it('metadata are read while the database is unavailable', async () => {
    const away = (): Promise<never> => Promise.reject(new ServiceError('UNAVAILABLE'));
    const { entry, metadata, trusted } = process([], server.metadataUrl, {
      run: away,
      single: away,
    } as Partial<UnitOfWork> as UnitOfWork);

    await metadata.restore(entry);
    await metadata.refresh(entry);

    expect(trusted()).toBe(ENTITY_ID);
  });

  it('large metadata are stored completely', async () => {
    server.settings.metadata = { entityAttributes: { 'urn:padding': ['ä'.repeat(400_000)] } };
    const before = process();
    await before.metadata.refresh(before.entry);

    const after = process();
    await after.metadata.restore(after.entry);

    expect(after.trusted()).toBe(ENTITY_ID);
  });
});

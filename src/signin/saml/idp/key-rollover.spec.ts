import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bound } from '../../../../test/config/keys/situation.js';
import { makeCertificate } from '../../../../test/support/http/certificates.js';
import { ManualClock } from '../../../../test/support/programs/manual-clock.js';
import { SamlProperties } from '../saml.properties.js';
import { Idps } from './idps.service.js';
import { KeyRollover } from './key-rollover.service.js';
import type { MetadataRefresh } from './metadata-refresh.task.js';

describe('key rollover', () => {
  const clock = new ManualClock();
  let oldCertificates: readonly string[];
  let newCertificates: readonly string[];
  let readings: PromiseWithResolvers<undefined>[];
  let idps: Idps;

  const refresh: Pick<MetadataRefresh, 'refreshNow'> = {
    refreshNow: () => {
      const reading = Promise.withResolvers<undefined>();
      readings.push(reading);
      return reading.promise;
    },
  };
  const know = (certificates: readonly string[]): void => {
    const trust = { entityId: 'urn:idp', sso: { url: 'https://idp.test', binding: 'redirect' as const }, certificates };
    for (const { cache } of idps.entries) cache.update({ trust }, clock.millis());
  };
  const hasNewCertificates = (name: string): Promise<boolean> => idps.named(name).hasNewCertificates(oldCertificates);

  beforeAll(() => {
    const made = (name: string): string => readFileSync(makeCertificate({ key: 'rsa', name }).certificate, 'utf8');
    oldCertificates = [made('old')];
    newCertificates = [made('new')];
  });
  beforeEach(() => {
    vi.useFakeTimers();
    readings = [];
    const args = ['corp', 'other'].map((name) => `--app.security.saml.idp.${name}.metadata=https://idp.test/${name}`);
    idps = new Idps(bound({ args }, SamlProperties), clock);
    know(oldCertificates);
    new KeyRollover(refresh as MetadataRefresh, clock, idps);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('S3: concurrent logins share one reading of the metadata, and all see its new certificates', async () => {
    const asked = [1, 2, 3].map(() => hasNewCertificates('corp'));
    expect(readings).toHaveLength(1);

    know(newCertificates);
    readings[0]?.resolve(undefined);

    expect(await Promise.all(asked)).toEqual([true, true, true]);
  });

  it('S3: reads the metadata of each provider at most once a minute', async () => {
    const ask = async (name: string): Promise<boolean> => {
      const asked = hasNewCertificates(name);
      for (const reading of readings) reading.resolve(undefined);
      return asked;
    };
    expect(await ask('corp')).toBe(false);
    clock.advance(59);
    await ask('corp');
    expect(readings).toHaveLength(1);
    await ask('other');
    expect(readings).toHaveLength(2);
    clock.advance(1);
    await ask('corp');
    expect(readings).toHaveLength(3);
    clock.advance(-3600);
    await ask('corp');
    expect(readings).toHaveLength(4);
  });

  it('S3: a login waits for the metadata for at most five seconds', async () => {
    const asked = hasNewCertificates('corp');

    await vi.advanceTimersByTimeAsync(5000);

    expect(await asked).toBe(false);
  });
});

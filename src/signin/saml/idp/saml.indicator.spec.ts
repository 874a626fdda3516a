import { beforeAll, describe, expect, it } from 'vitest';
import { bound } from '../../../../test/config/keys/situation.js';
import { type MadeCertificate, makeCertificate } from '../../../../test/support/http/certificates.js';
import { ManualClock } from '../../../../test/support/programs/manual-clock.js';
import { readings } from '../../../../test/support/management/meter-readings.js';
import { SystemClock } from '../../../kernel/clock/clock.js';
import { HealthComponents } from '../../../observability/health/health-components.js';
import { Meters } from '../../../observability/metrics/meters.js';
import { IdpMeters } from '../saml-meters.js';
import { Idps } from './idps.service.js';
import { SamlIndicator } from './saml.indicator.js';
import { SamlProperties } from '../saml.properties.js';

const DAY = 86_400;

function parts(keys: Readonly<Record<string, string>>) {
  const args = Object.entries(keys).map(([key, value]) => `--app.security.saml.idp.${key}=${value}`);
  const clock = new ManualClock(new SystemClock().seconds());
  const idps = new Idps(bound({ args }, SamlProperties), clock);
  const components = new HealthComponents();
  return { idps, clock, components, saml: new SamlIndicator(idps, clock, components) };
}

it('health has no component saml without identity providers', () => {
  expect(parts({}).components.all).toEqual([]);
});

describe('the health component saml', () => {
  let made: MadeCertificate;
  beforeAll(() => {
    made = makeCertificate({ key: 'rsa', name: 'idp', days: 40 });
  });
  const byHand = (certificate = made.certificate): Readonly<Record<string, string>> => ({
    'hand.entity-id': 'urn:hand',
    'hand.sso-url': 'https://idp.example/sso',
    'hand.certificates': certificate,
  });

  it('is UP with the certificates and their expiry, and is not part of liveness', () => {
    const { saml, components } = parts(byHand());

    expect(components.all).toEqual([saml]);
    expect(saml.isExternal).toBe(true);
    expect(saml.check()).toEqual({
      status: 'UP',
      details: {
        providers: [
          {
            idp: 'hand',
            usable: true,
            source: 'configuration',
            entityId: 'urn:hand',
            certificates: [
              {
                subject: 'CN=idp',
                fingerprint: expect.stringMatching(/^(?:[\dA-F]{2}:){31}[\dA-F]{2}$/) as string,
                validTo: expect.stringMatching(/^\d{4}-.*Z$/) as string,
                validity: 'VALID',
              },
            ],
          },
        ],
      },
    });
  });

  it.each([
    [9, /^$/, 'VALID'],
    [11, /^hand: the certificate CN=idp expires at \d{4}-/, 'EXPIRES_SOON'],
    [41, /^hand: the certificate CN=idp expired at \d{4}-/, 'EXPIRED'],
  ])('the component after %i of the 40 days of a certificate has the warnings %s', (days, warning, validity) => {
    const { saml, clock } = parts(byHand());
    clock.advance(days * DAY);

    const { status, details } = saml.check();

    expect(status).toBe('UP');
    expect(details?.providers).toMatchObject([{ usable: true, certificates: [{ validity }] }]);
    expect([details?.warnings].flat().join('\n')).toMatch(warning);
  });

  it('is OUT_OF_SERVICE with the reason while one identity provider has no metadata', () => {
    const { saml } = parts({ ...byHand(), 'corp.metadata': 'https://idp.example/m' });

    expect(saml.check()).toMatchObject({
      status: 'OUT_OF_SERVICE',
      details: {
        providers: [
          { idp: 'hand', usable: true },
          { idp: 'corp', usable: false, source: 'url', certificates: [], error: 'no metadata has been read yet' },
        ],
      },
    });
  });

  it('shows the age of the metadata, and the last failure, until the metadata in use expires', () => {
    const { saml, idps, clock } = parts({ 'corp.metadata': 'https://idp.example/m' });
    const [entry] = idps.entries;
    const sso = { url: 'https://idp.example/sso', binding: 'redirect' as const };
    const validUntil = clock.millis() + DAY * 1000;
    entry?.cache.update({ trust: { entityId: 'urn:idp', sso, certificates: [made.pem], validUntil } }, clock.millis());
    entry?.cache.markFailed('the URL responded with 500');
    clock.advance(60);

    expect(saml.check()).toMatchObject({
      status: 'UP',
      details: { providers: [{ usable: true, ageSeconds: 60, error: 'the URL responded with 500' }] },
    });
    clock.advance(DAY);
    expect(saml.check()).toMatchObject({
      status: 'OUT_OF_SERVICE',
      details: {
        providers: [
          {
            usable: false,
            error: expect.stringMatching(/^the metadata was valid until .*responded with 500$/) as string,
          },
        ],
      },
    });
  });

  it('IdpMeters measure the age of metadata and the remaining time of the certificate that expires last', () => {
    const { idps, clock } = parts({ 'corp.metadata': 'https://idp.example/m' });
    const [entry] = idps.entries;
    if (!entry) throw new Error('no identity provider');
    const meters = new Meters();
    const idpMeters = new IdpMeters(meters, clock);
    idpMeters.watchAge(entry.cache);
    idpMeters.watchCertificates(entry.cache);
    const read = (name: string): number | undefined => readings(meters, name, 'VALUE').corp;
    const before = [read('saml.metadata.age'), read('saml.certificate.expiry')];

    const sso = { url: 'https://idp.example/sso', binding: 'redirect' as const };
    const longer = makeCertificate({ key: 'rsa', days: 50 }).pem;
    const trust = { entityId: 'urn:idp', sso, certificates: [longer, made.pem] };
    entry.cache.update({ trust }, clock.millis());
    clock.advance(3600);

    expect(before).toEqual([NaN, NaN]);
    expect(read('saml.metadata.age')).toBe(3600);
    expect(Math.round((read('saml.certificate.expiry') ?? 0) / DAY)).toBe(50);
  });
});

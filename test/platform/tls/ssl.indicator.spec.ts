import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { bound } from '../../config/keys/situation.js';
import { keyStore, type MadeCertificate, makeCertificate } from '../../support/http/certificates.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { needs } from '../../support/runner/needs.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { SystemClock } from '../../../src/kernel/clock/clock.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { HealthComponents } from '../../../src/observability/health/health-components.js';
import { SslChains } from '../../../src/platform/tls/ssl-chains.service.js';
import { SslMeters } from '../../../src/platform/tls/ssl-meters.service.js';
import { SslBundleProperties, SslHealthProperties } from '../../../src/platform/tls/tls.properties.js';
import { SslIndicator } from '../../../src/platform/tls/ssl.indicator.js';

const DAY = 86_400;

function indicator(keys: Readonly<Record<string, string>>) {
  const args = Object.entries(keys).map(([key, value]) =>
    key.startsWith('management.') ? `--${key}=${value}` : `--app.ssl.bundle.${key}=${value}`,
  );
  const clock = new ManualClock(new SystemClock().seconds());
  const components = new HealthComponents();
  const chains = new SslChains(bound({ args }, SslBundleProperties));
  const ssl = new SslIndicator(chains, bound({ args }, SslHealthProperties), clock, components);
  const meters = new Meters(clock);
  const sslMeters = new SslMeters(chains, clock, meters);
  const gauges = () =>
    (meters.find('ssl.chain.expiry')?.series ?? []).map(({ tags, meter }) => ({
      ...tags,
      days: Math.round((meter.measure()[0]?.value ?? NaN) / DAY),
    }));
  return { ssl, clock, components, sslMeters, gauges };
}

function pem({ certificate, key }: MadeCertificate, name = 'web'): Readonly<Record<string, string>> {
  return { [`pem.${name}.keystore.certificate`]: certificate, [`pem.${name}.keystore.private-key`]: key };
}

it('there is no ssl component without a bundle', () => {
  expect(indicator({}).components.all).toEqual([]);
});

needs('openssl')('the health of the certificates', () => {
  let made: MadeCertificate;

  beforeAll(() => {
    made = makeCertificate({ days: 30 });
  });

  it('is UP with a certificate whose names are all in its extension', async () => {
    const { ssl } = indicator(pem(makeCertificate({ subject: '/', names: 'DNS:login.test' })));

    expect(await ssl.check()).toMatchObject({
      status: 'UP',
      details: { validChains: [{ bundle: 'web', certificates: [{ subject: '', issuer: '' }] }] },
    });
  });

  it('is UP with the chains of all bundles and their expiry', async () => {
    const store = { 'jks.store.keystore.location': keyStore(made, 'p'), 'jks.store.keystore.password': 'p' };
    const { ssl, components } = indicator({
      ...pem(made),
      ...store,
      'pem.ca.truststore.certificate': made.certificate,
    });
    const certificates = [
      {
        subject: 'CN=login.test',
        issuer: 'CN=login.test',
        validFrom: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        validTo: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        validity: 'VALID',
      },
    ];

    expect(await ssl.check()).toEqual({
      status: 'UP',
      details: {
        validChains: [
          { bundle: 'web', certificates },
          { bundle: 'store', certificates },
        ],
        expiringChains: [],
        invalidChains: [],
      },
    });
    expect(components.all).toEqual([ssl]);
  });

  it.each([
    [-1, 'OUT_OF_SERVICE', 'NOT_YET_VALID'],
    [15, 'UP', 'VALID'],
    [17, 'UP', 'WILL_EXPIRE_SOON'],
    [29, 'UP', 'WILL_EXPIRE_SOON'],
    [31, 'OUT_OF_SERVICE', 'EXPIRED'],
  ] as const)('the health after %i days is %s, because a certificate is %s', async (days, status, validity) => {
    const { ssl, clock } = indicator(pem(made));

    clock.advance(days * DAY);

    const { details = {}, ...rest } = await ssl.check();
    expect(rest).toEqual({ status });
    expect(details[status === 'UP' ? 'validChains' : 'invalidChains']).toMatchObject([
      { bundle: 'web', certificates: [{ validity }] },
    ]);
  });

  it.each([
    ['10d', 19, []],
    ['10d', 21, [{ bundle: 'web' }]],
    ['0s', 29, []],
  ])(
    'the health with a warning threshold of %s shows the expiring chains after %i days as %j',
    async (threshold, days, expected) => {
      const { ssl, clock } = indicator({
        ...pem(made),
        'management.health.ssl.certificate-validity-warning-threshold': threshold,
      });

      clock.advance(days * DAY);

      const { status, details } = await ssl.check();
      expect(status).toBe('UP');
      expect(details).toMatchObject({ expiringChains: expected, validChains: [{ bundle: 'web' }], invalidChains: [] });
    },
  );

  it('ssl.chain.expiry is the time until the first certificate of each chain expires', async () => {
    const longer = makeCertificate({ days: 90 });
    const chain = join(temporaryFolder('chain'), 'chain.crt');
    writeFileSync(chain, longer.pem + made.pem);
    const { sslMeters, gauges, clock } = indicator({
      ...pem({ ...longer, certificate: chain }),
      'pem.ca.truststore.certificate': made.certificate,
      'pem.gone.keystore.certificate': '/no/such.crt',
      'pem.gone.keystore.private-key': '/no/such.key',
    });

    await sslMeters.onApplicationBootstrap();

    const certificate = expect.stringMatching(/^[0-9a-f]{20,40}$/) as string;
    expect(gauges()).toEqual([{ bundle: 'web', chain: 'ssl', certificate, days: 30 }]);
    clock.advance(31 * DAY);
    expect(gauges()).toMatchObject([{ days: -1 }]);
    sslMeters.onApplicationShutdown();
  });

  it('ssl.chain.expiry follows a bundle that is reloaded, and the series of the old certificate ends', async () => {
    const folder = temporaryFolder('bundle');
    const old = makeCertificate({ days: 30, folder });
    const { sslMeters, gauges } = indicator({ ...pem(old), 'pem.web.reload-on-update': 'true' });
    await sslMeters.onApplicationBootstrap();
    expect(gauges()).toMatchObject([{ days: 30 }]);

    makeCertificate({ days: 90, folder });
    await waitUntil('the new certificate is measured', () => gauges().some(({ days }) => days === 90));

    expect(gauges()).toHaveLength(1);
    sslMeters.onApplicationShutdown();
  });

  it('is OUT_OF_SERVICE with a reason if one of several bundles cannot be read', async () => {
    const { ssl } = indicator({
      ...pem(made),
      'pem.gone.keystore.certificate': '/no/such.crt',
      'pem.gone.keystore.private-key': '/no/such.key',
    });

    expect(await ssl.check()).toMatchObject({
      status: 'OUT_OF_SERVICE',
      details: {
        validChains: [{ bundle: 'web' }],
        invalidChains: [{ bundle: 'gone', error: 'there is no such file (ENOENT)' }],
      },
    });
  });

  it.each([
    ['true', 'new'],
    ['false', 'old'],
  ])(
    'the health with reload-on-update %s shows the %s certificate after a change, as the listener does',
    async (reload, name) => {
      const folder = temporaryFolder('bundle');
      const old = makeCertificate({ name: 'old', folder });
      const { ssl, clock } = indicator({ ...pem(old), 'pem.web.reload-on-update': reload });
      await ssl.check();

      makeCertificate({ name: 'new', folder });
      // Its validity begins after the instant at which the clock stands.
      clock.advance(DAY);

      expect((await ssl.check()).details).toMatchObject({
        validChains: [{ certificates: [{ subject: `CN=${name}` }] }],
      });
    },
  );

  it('shows the old certificate while the new files cannot be used', async () => {
    const folder = temporaryFolder('bundle');
    const old = makeCertificate({ name: 'old', folder });
    const { ssl } = indicator({ ...pem(old), 'pem.web.reload-on-update': 'true' });
    await ssl.check();
    const half = join(folder, 'half');
    writeFileSync(half, readFileSync(old.certificate).subarray(0, 100));

    renameSync(half, old.certificate);

    expect(await ssl.check()).toMatchObject({ status: 'UP', details: { invalidChains: [] } });
  });
});

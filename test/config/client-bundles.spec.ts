import { beforeAll, expect, it } from 'vitest';
import { type RuleProblem, RuleFacts } from '../../src/config/check/rule.js';
import { loadServiceConfiguration } from '../../src/apps/server/service-configuration.js';
import { kvstoreBundleUsable } from '../../src/platform/kvstore/kvstore.rule.js';
import { mailBundleUsable } from '../../src/platform/mail/mail.rule.js';
import { httpClientBundleUsable } from '../../src/platform/outbound/outbound.rule.js';
import { databaseBundleUsable } from '../../src/platform/persistence/persistence.rule.js';
import { keyStore, type MadeCertificate, makeCertificate } from '../support/http/certificates.js';
import { EXPIRED_CERTIFICATE } from '../support/http/expired-certificate.js';
import { needs } from '../support/runner/needs.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

const USERS = [
  ['app.http.client.ssl.bundle', httpClientBundleUsable],
  ['app.mail.ssl.bundle', mailBundleUsable],
  ['app.data.kvstore.ssl.bundle', kvstoreBundleUsable],
  ['app.datasource.ssl.bundle', databaseBundleUsable],
] as const;

type BundleRule = (typeof USERS)[number][1];

function problemsOf(rule: BundleRule, args: readonly string[]): Promise<readonly RuleProblem[]> {
  const folder = temporaryFolder();
  const isAddressed = args.some((argument) => argument.startsWith('--app.datasource.url='));
  // The bundle of the database has no effect on the embedded one.
  const server = isAddressed ? [] : ['--app.datasource.url=jdbc:mariadb://db/login'];
  const inputs = { args: [...server, ...args], variables: {}, workingFolder: folder, packageFolder: folder };
  return rule.check(new RuleFacts(loadServiceConfiguration(inputs), inputs));
}

needs('openssl')('the rules about bundles of clients', () => {
  let made: MadeCertificate;
  beforeAll(() => {
    made = makeCertificate({ name: 'authority' });
  });

  it.each(USERS)('%s without a bundle, or with a usable one, has no problem', async (key, rule) => {
    const bundle = '--app.ssl.bundle.pem.partner.truststore.certificate';

    expect(await problemsOf(rule, [])).toEqual([]);
    expect(await problemsOf(rule, [`--${key}=partner`, `${bundle}=${made.certificate}`])).toEqual([]);
  });

  it.each(USERS)('%s with an unknown bundle is an error', async (key, rule) => {
    expect(await problemsOf(rule, [`--${key}=partner`])).toMatchObject([
      { severity: 'error', what: 'Unknown certificate bundle "partner"' },
    ]);
  });

  it.each(USERS)('%s with a trust store that cannot be opened is an error that names its key', async (key, rule) => {
    const location = keyStore(made, 'changeit', ['-nokeys']);
    const bundle = '--app.ssl.bundle.jks.partner.truststore';

    const found = await problemsOf(rule, [`--${key}=partner`, `${bundle}.location=${location}`]);

    expect(found).toMatchObject([
      { severity: 'error', what: `The certificate bundle "partner" of ${key} cannot be used` },
    ]);
    expect(Object.fromEntries(found[0]?.facts ?? [])).toEqual({
      Property: 'app.ssl.bundle.jks.partner.truststore.password',
      File: location,
      Origin: 'not set',
      Reason: 'the trust store has a password, and none is set',
    });
  });

  it.each(USERS)('%s with an expired authority is a warning, and startup continues', async (key, rule) => {
    const bundle = '--app.ssl.bundle.pem.partner.truststore.certificate';

    expect(await problemsOf(rule, [`--${key}=partner`, `${bundle}=${EXPIRED_CERTIFICATE}`])).toMatchObject([
      {
        severity: 'warning',
        what: 'The trusted certificate (CN=expired) has expired: it was valid until 2021-01-01T00:00:00.000Z',
        action: 'Replace it in the bundle "partner".',
      },
    ]);
  });

  it.each(USERS)('%s with suites that fit none of its versions is an error', async (key, rule) => {
    const bundle = '--app.ssl.bundle.pem.partner';
    const options = [`${bundle}.options.ciphers=TLS_AES_128_GCM_SHA256`, `${bundle}.options.enabled-protocols=TLSv1.2`];

    const found = await problemsOf(rule, [
      `--${key}=partner`,
      `${bundle}.truststore.certificate=${made.certificate}`,
      ...options,
    ]);

    expect(Object.fromEntries(found[0]?.facts ?? [])).toMatchObject({
      Property: 'app.ssl.bundle.pem.partner.options.ciphers',
      Reason: 'none of its suites fits options.enabled-protocols',
    });
  });

  it.each([
    ['without TLS', 'db/login?sslMode=DISABLED', 'error', 'has no effect without TLS'],
    ['beside an IP address', '10.0.0.7/login', 'error', 'cannot be compared with an IP address'],
    ['where nothing is verified', 'db/login?sslMode=REQUIRED', 'warning', 'verifies no certificate'],
  ])('D6: app.datasource.ssl.bundle %s is a problem', async (_, address, severity, what) => {
    const bundle = '--app.ssl.bundle.pem.partner.truststore.certificate';
    const url = `--app.datasource.url=jdbc:mariadb://${address}`;

    const found = await problemsOf(databaseBundleUsable, [
      url,
      '--app.datasource.ssl.bundle=partner',
      `${bundle}=${made.certificate}`,
    ]);

    expect(found).toEqual([expect.objectContaining({ severity, what: expect.stringContaining(what) as unknown })]);
  });

  it('app.mail.ssl.bundle beside app.mail.tls none is an error', async () => {
    const args = ['--app.mail.ssl.bundle=partner', '--app.mail.tls=none'];

    expect(await problemsOf(mailBundleUsable, args)).toMatchObject([
      { severity: 'error', what: 'The certificate bundle of the mail relay has no effect without encryption' },
    ]);
  });
});

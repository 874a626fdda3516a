import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { place, type ReportedProblem } from '../../../test/config/support.js';
import {
  encryptedKey,
  keyStore,
  makeCertificate,
  type MadeCertificate,
} from '../../../test/support/http/certificates.js';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { needs } from '../../../test/support/runner/needs.js';
import { temporaryFolder } from '../../../test/support/programs/temporary-folder.js';
import { SystemClock } from '../../kernel/clock/clock.js';
import { Configuration } from '../../config/configuration.js';
import { type ConfigurationFailure, lineOf } from '../../config/problem.js';
import { RuleFacts } from '../../config/check/rule.js';
import { secretsByReference } from '../../config/check/secrets.rule.js';
import { bundleKeysKeptPrivate } from './private-key.rule.js';
import type { TlsIdentity } from './ssl-bundle.js';
import { SslBundles } from './ssl-bundles.service.js';

type Keys = Readonly<Record<string, string>>;

const PASSWORD = 'correct horse battery staple';
const DAY = 86_400;
const inFile: unknown = expect.stringMatching(/^file \[application\.yml\] - \d+:\d+$/);
/** By chance, a wrong password decrypts the key to a valid padding; then the code is that of a damaged key. */
const WRONG_KEY_PASSWORD = expect.stringMatching(
  /^the password does not open the private key \(ERR_OSSL_\w+\)$/,
) as string;

/** A configuration with these keys of the bundle `web` in a file, and its own name in `server.ssl.bundle`. */
function configured(kind: 'pem' | 'jks', members: Keys, name = 'web'): Configuration {
  const lines = Object.entries(members).map(
    ([key, value]) => `app.ssl.bundle.${kind}.web.${key}: ${JSON.stringify(value)}`,
  );
  const reading = place({ 'work/application.yml': [`server.ssl.bundle: ${name}`, ...lines].join('\n') }).read({
    variables: { SECRET: PASSWORD },
  });
  expect(reading.problems).toEqual([]);
  return new Configuration(reading.environment, reading.registry, reading.warnings, reading.instances);
}

function identity(
  configuration: Configuration,
  name = 'web',
  clock = new ManualClock(new SystemClock().seconds()),
): TlsIdentity {
  return new SslBundles(configuration, clock).named({ key: 'server.ssl.bundle', name }).serverIdentity();
}

function pemOf({ certificate, key }: MadeCertificate): Keys {
  return { 'keystore.certificate': `file:${certificate}`, 'keystore.private-key': key };
}

function problemOf(configuration: Configuration, name = 'web'): ReportedProblem {
  try {
    identity(configuration, name);
  } catch (error) {
    const [problem] = (error as ConfigurationFailure).problems;
    if (problem) return { ...problem, facts: Object.fromEntries(problem.facts) };
  }
  throw new Error('the bundle is usable');
}

needs('openssl')('a certificate bundle', () => {
  let made: MadeCertificate;
  let other: MadeCertificate;
  let rsa: MadeCertificate;
  let encrypted = '';
  const chain = join(temporaryFolder(), 'chain.crt');
  const garbage = join(temporaryFolder(), 'garbage');
  const jks = join(temporaryFolder(), 'keys.jks');

  beforeAll(() => {
    made = makeCertificate();
    other = makeCertificate({ name: 'other.test' });
    rsa = makeCertificate({ key: 'rsa' });
    encrypted = encryptedKey(other, PASSWORD);
    writeFileSync(chain, other.pem + made.pem);
    writeFileSync(garbage, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    writeFileSync(jks, Buffer.from('feedfeed00000002', 'hex'));
  });

  it('is read from file paths, with or without file:, and from PEM texts', () => {
    const texts = { 'keystore.certificate': made.pem, 'keystore.private-key': readFileSync(made.key, 'utf8') };

    expect(identity(configured('pem', pemOf(made))).context).toMatchObject({ cert: made.pem });
    expect(identity(configured('pem', texts)).context).toMatchObject({ cert: made.pem });
  });

  it('may have an encrypted key or a PKCS12 file with a password', () => {
    const pem = { 'keystore.certificate': made.certificate, 'keystore.private-key': encryptedKey(made, PASSWORD) };
    const store = { 'keystore.location': `file:${keyStore(made, PASSWORD)}`, 'keystore.password': '${SECRET}' };

    const read = identity(configured('pem', { ...pem, 'keystore.private-key-password': '${SECRET}' }));

    expect(read.context).toMatchObject({ passphrase: PASSWORD });
    expect(identity(configured('jks', store)).context).toMatchObject({ passphrase: PASSWORD });
  });

  it.each([
    ['', 'TLSv1.2', 'TLSv1.3'],
    ['TLSv1.3', 'TLSv1.3', 'TLSv1.3'],
    ['TLSv1.2', 'TLSv1.2', 'TLSv1.2'],
    ['TLSv1.3,TLSv1.2', 'TLSv1.2', 'TLSv1.3'],
  ])('a bundle with the versions "%s" allows %s to %s', (versions, minVersion, maxVersion) => {
    const members = { ...pemOf(made), 'options.enabled-protocols': versions };

    expect(identity(configured('pem', members)).context).toMatchObject({ minVersion, maxVersion });
  });

  it('accepts cipher suites by their OpenSSL and IANA names', () => {
    const members = {
      ...pemOf(made),
      'options.ciphers':
        'TLS_AES_256_GCM_SHA384,ecdhe-ecdsa-aes128-gcm-sha256,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
    };

    expect(identity(configured('pem', members)).context.ciphers).toBe(
      'TLS_AES_256_GCM_SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305',
    );
  });

  it('is used with a warning if its certificate has expired or is not valid yet', () => {
    const configuration = configured('pem', pemOf(made));
    const at = (days: number): readonly string[] =>
      identity(configuration, 'web', new ManualClock(new SystemClock().seconds() + days * DAY)).warnings;

    expect(at(0)).toEqual([]);
    expect(at(31)).toEqual([
      expect.stringMatching(/^The certificate \(CN=login\.test\) has expired: it was valid until \d{4}-/),
    ]);
    expect(at(-1)).toEqual([expect.stringMatching(/^The certificate \(CN=login\.test\) is not valid before \d{4}-/)]);
  });

  it('is used if all names of its certificate are in the extension, and warnings contain these names', () => {
    const nameless = makeCertificate({ subject: '/', names: 'DNS:login.test', days: 1 });
    const later = new ManualClock(new SystemClock().seconds() + 2 * DAY);

    expect(identity(configured('pem', pemOf(nameless))).warnings).toEqual([]);
    expect(identity(configured('pem', pemOf(nameless)), 'web', later).warnings).toEqual([
      expect.stringMatching(/^The certificate \(DNS:login\.test\) has expired: /),
    ]);
  });

  it('a bundle that is not defined is reported with the names of the defined bundles', () => {
    expect(problemOf(configured('pem', pemOf(made), 'wbe'), 'wbe')).toEqual({
      what: 'Unknown certificate bundle "wbe"',
      action: 'Did you mean "web"? Correct server.ssl.bundle, or define the bundle under app.ssl.bundle.pem.wbe.',
      facts: {
        Property: 'server.ssl.bundle',
        Value: '"wbe"',
        Origin: 'file [application.yml] - 1:20',
        Reason: 'the bundles are web',
      },
    });
  });

  it('a bundle that is defined twice is reported', () => {
    const reading = place({
      'work/application.yml':
        'app.ssl.bundle: { pem.web.protocol: TLS, jks.web.protocol: TLS }\nserver.ssl.bundle: web',
    }).read();
    const twice = new Configuration(reading.environment, reading.registry, reading.warnings, reading.instances);

    expect(problemOf(twice)).toMatchObject({
      what: 'There are two certificate bundles "web"',
      action: 'Give one of app.ssl.bundle.pem.web and app.ssl.bundle.jks.web another name.',
    });
  });

  it.each<[string, 'pem' | 'jks', () => Keys, string, () => string | undefined, string]>([
    [
      'a file that is not there',
      'pem',
      () => ({ ...pemOf(made), 'keystore.certificate': 'file:/nowhere/tls.crt' }),
      'keystore.certificate',
      () => '/nowhere/tls.crt',
      'there is no such file (ENOENT)',
    ],
    [
      'a folder in place of a file',
      'pem',
      () => ({ ...pemOf(made), 'keystore.private-key': made.folder }),
      'keystore.private-key',
      () => made.folder,
      'it is not a file',
    ],
    [
      'a certificate without its key',
      'pem',
      () => ({ 'keystore.certificate': made.certificate }),
      'keystore.private-key',
      () => undefined,
      'the certificate of the bundle has no private key beside it',
    ],
    [
      'no certificate of its own',
      'pem',
      () => ({ 'truststore.certificate': made.certificate }),
      'keystore.certificate',
      () => undefined,
      'a server needs a certificate, and the bundle contains none of its own',
    ],
    [
      'a trust store alone',
      'jks',
      () => ({ 'truststore.location': keyStore(made, PASSWORD, ['-nokeys']), 'truststore.password': PASSWORD }),
      'keystore.location',
      () => undefined,
      'a server needs a certificate, and the bundle contains none of its own',
    ],
    [
      'a key of another certificate',
      'pem',
      () => ({ ...pemOf(made), 'keystore.private-key': other.key }),
      'keystore.private-key',
      () => other.key,
      'it does not belong to the certificate in keystore.certificate',
    ],
    [
      'a chain in the wrong order',
      'pem',
      () => ({ ...pemOf(made), 'keystore.certificate': chain }),
      'keystore.private-key',
      () => made.key,
      'it belongs to certificate 2 in keystore.certificate, and the own one must be the first',
    ],
    [
      'the key in place of the certificate',
      'pem',
      () => ({ ...pemOf(made), 'keystore.certificate': made.key }),
      'keystore.certificate',
      () => made.key,
      'it holds no certificate in PEM form',
    ],
    [
      'the certificate in place of the key',
      'pem',
      () => ({ ...pemOf(made), 'keystore.private-key': made.certificate }),
      'keystore.private-key',
      () => made.certificate,
      'it holds no private key in PEM form',
    ],
    [
      'an unreadable certificate',
      'pem',
      () => ({ ...pemOf(made), 'truststore.certificate': garbage }),
      'truststore.certificate',
      () => garbage,
      'certificate 1 of 1 in it cannot be read (ERR_OSSL_ASN1_WRONG_TAG)',
    ],
    [
      'an encrypted key without a password',
      'pem',
      () => ({ ...pemOf(other), 'keystore.private-key': encrypted }),
      'keystore.private-key-password',
      () => encrypted,
      'the private key is encrypted and there is no password for it',
    ],
    [
      'a wrong password of the key',
      'pem',
      () => ({ ...pemOf(other), 'keystore.private-key': encrypted, 'keystore.private-key-password': 'wrong' }),
      'keystore.private-key-password',
      () => encrypted,
      WRONG_KEY_PASSWORD,
    ],
    [
      'suites for another kind of key',
      'pem',
      () => ({ ...pemOf(rsa), 'options.ciphers': 'ECDHE-ECDSA-AES128-GCM-SHA256' }),
      'options.ciphers',
      () => undefined,
      'none of its suites fits options.enabled-protocols and the key of the certificate',
    ],
    [
      'suites for another version',
      'pem',
      () => ({ ...pemOf(rsa), 'options.ciphers': 'TLS_AES_128_GCM_SHA256', 'options.enabled-protocols': 'TLSv1.2' }),
      'options.ciphers',
      () => undefined,
      'none of its suites fits options.enabled-protocols and the key of the certificate',
    ],
    [
      'a short RSA key',
      'pem',
      () => pemOf(makeCertificate({ key: 'short-rsa' })),
      'keystore.certificate',
      () => undefined,
      'the TLS library rejects it (ERR_SSL_EE_KEY_TOO_SMALL)',
    ],
    [
      'a wrong password of the key store',
      'jks',
      () => ({ 'keystore.location': keyStore(made, PASSWORD), 'keystore.password': 'wrong' }),
      'keystore.password',
      () => keyStore(made, PASSWORD),
      'the password does not open the key store',
    ],
    [
      'a key store without its password',
      'jks',
      () => ({ 'keystore.location': keyStore(made, PASSWORD) }),
      'keystore.password',
      () => keyStore(made, PASSWORD),
      'the key store has a password, and none is set',
    ],
    [
      'a key store without a key',
      'jks',
      () => ({ 'keystore.location': keyStore(made, PASSWORD, ['-nokeys']), 'keystore.password': PASSWORD }),
      'keystore.location',
      () => keyStore(made, PASSWORD, ['-nokeys']),
      'it holds no private key',
    ],
    [
      'a JKS file',
      'jks',
      () => ({ 'keystore.location': jks, 'keystore.password': PASSWORD }),
      'keystore.location',
      () => jks,
      'it is a JKS file, which is not supported',
    ],
    [
      'a PEM file in place of a key store',
      'jks',
      () => ({ 'keystore.location': made.certificate, 'keystore.password': PASSWORD }),
      'keystore.location',
      () => made.certificate,
      'it cannot be used as a PKCS12 file (wrong tag)',
    ],
    [
      'a wrong password of the trust store',
      'jks',
      () => ({ 'truststore.location': keyStore(made, PASSWORD, ['-nokeys']), 'truststore.password': 'wrong' }),
      'truststore.password',
      () => keyStore(made, PASSWORD, ['-nokeys']),
      'the password does not open the trust store, or the file was changed',
    ],
  ])('is rejected for %s, and the report contains no secret', (_, kind, members, member, file, reason) => {
    const keys = members();
    const { what, action, facts } = problemOf(configured(kind, keys));

    expect(what).toBe('The certificate bundle "web" of server.ssl.bundle cannot be used');
    expect(action.startsWith(`app.ssl.bundle.${kind}.web.${member}: `)).toBe(true);
    expect(facts).toEqual({
      Property: `app.ssl.bundle.${kind}.web.${member}`,
      ...(file() !== undefined && { File: file() }),
      Origin: (member in keys ? inFile : 'not set') as string,
      Reason: reason,
    });
    expect(JSON.stringify({ action, facts })).not.toContain(PASSWORD);
  });

  it('causes a warning if others may read its private key', () => {
    const exposed = makeCertificate();
    chmodSync(exposed.key, 0o644);
    const store = keyStore(exposed, PASSWORD);
    chmodSync(store, 0o604);
    const found = (configuration: Configuration): readonly unknown[] =>
      bundleKeysKeptPrivate
        .check(factsOf(configuration))
        .map(({ severity, ...problem }) => `${severity}: ${lineOf(problem)}`);

    expect(found(configured('pem', pemOf(made)))).toEqual([]);
    expect(found(configured('pem', pemOf(exposed)))).toEqual([
      expect.stringMatching(
        /^warning: app\.ssl\.bundle\.pem\.web\.keystore\.private-key.*Mode: 644; Reason: every user has access\. /,
      ),
    ]);
    expect(found(configured('jks', { 'keystore.location': store }))).toEqual([
      expect.stringMatching(/^warning: app\.ssl\.bundle\.jks\.web\.keystore\.location.*Mode: 604; /),
    ]);
  });

  it('violates the rule of secrets with a private key in clear text, not with its path', () => {
    const text = { ...pemOf(made), 'keystore.private-key': readFileSync(made.key, 'utf8') };

    expect(secretsByReference.check(factsOf(configured('pem', pemOf(made))))).toEqual([]);
    expect(secretsByReference.check(factsOf(configured('pem', text)))).toEqual([
      expect.objectContaining({
        severity: 'breach',
        what: 'A file contains a secret in plain text',
        facts: expect.arrayContaining([['Value', '"******"']]) as unknown,
      }),
    ]);
  });
});

function factsOf(configuration: Configuration): RuleFacts {
  const folder = temporaryFolder();
  return new RuleFacts(configuration, { args: [], variables: {}, workingFolder: folder, packageFolder: folder });
}

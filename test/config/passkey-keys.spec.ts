import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkRules } from '../../src/apps/server/configuration-rules.js';
import { PROPERTIES } from '../../src/apps/server/properties.js';
import { type ConfigurationReading, readConfiguration } from '../../src/config/configuration.js';
import { PasskeyProperties } from '../../src/identity/second-factor/passkey/passkey.properties.js';
import { blobOf, metadataFile, metadataSigner, MODEL, statementOf } from '../support/passkey/authenticator-metadata.js';
import { makeCertificate } from '../support/http/certificates.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

const MFA = 'app.security.mfa';
const PASSKEY = `${MFA}.passkey`;
const HTTPS = ['app.security.public-url=https://login.example.com'];
const IP = ['app.security.public-url=https://192.0.2.7'];
const STRONG = [`${MFA}.required-strength=phishing-resistant`];
const WITHDRAWN = '2fc0579f-8113-47ea-b116-bb5a8db9202a';

interface Read {
  readonly reading: ConfigurationReading;
  /** What the rules report about second factors and the public URL, as `severity: key: what`. */
  readonly found: readonly string[];
}

async function read(keys: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Read> {
  const inputs = {
    args: keys.map((key) => `--${key}`),
    variables,
    workingFolder: temporaryFolder('passkey-keys'),
    packageFolder: fileURLToPath(new URL('../../src/resources/', import.meta.url)),
  };
  const reading = readConfiguration(PROPERTIES, inputs);
  const all = reading.problems.length > 0 ? [] : await checkRules(reading, inputs);
  const found = all.map(
    ({ severity, what, facts }) => `${severity}: ${Object.fromEntries(facts)['Property']}: ${what}`,
  );
  return { reading, found: found.filter((each) => /passkey|strength/i.test(each)) };
}

async function bound(
  keys: readonly string[],
  variables?: Readonly<Record<string, string>>,
): Promise<PasskeyProperties> {
  const { reading } = await read(keys, variables);
  expect(reading.problems).toEqual([]);
  return reading.instances.get(PasskeyProperties) as PasskeyProperties;
}

describe('the keys of passkeys', () => {
  it('passkeys are enabled by default, for every model and without attestation', async () => {
    expect(await bound([])).toMatchObject({
      enabled: true,
      origins: [],
      userVerification: 'preferred',
      attestation: 'none',
      allowedAaguids: [],
      metadataFile: undefined,
      metadataRoot: undefined,
      rejectCounter: true,
    });
    expect((await read([])).found).toEqual([]);
  });

  it('empty variables configure no file', async () => {
    const variables = { APP_SECURITY_MFA_PASSKEY_METADATAFILE: '', APP_SECURITY_MFA_PASSKEY_METADATAROOT: '' };
    const { metadataPath, metadataRootPath } = await bound([], variables);

    expect([metadataPath, metadataRootPath]).toEqual([undefined, undefined]);
  });

  it('a file may be written as a URL', async () => {
    expect((await bound([`${PASSKEY}.metadata-file=file:/srv/blob.jwt`])).metadataPath).toBe('/srv/blob.jwt');
  });

  it('AAGUIDs are read in capitals, too', async () => {
    expect((await bound([`${PASSKEY}.allowed-aaguids=${MODEL.toUpperCase()}`])).allowedAaguids).toEqual([MODEL]);
  });

  it.each(['cb69481e8ff7403993ec0a2729a154a8', '00000000-0000-0000-0000-000000000000', 'YubiKey 5'])(
    'the AAGUID "%s" prevents startup',
    async (aaguid) => {
      expect((await read([`${PASSKEY}.allowed-aaguids=${aaguid}`])).reading.problems).toHaveLength(1);
    },
  );

  it.each([
    'https://a.login.example.com',
    'https://login.example.com:8443',
    `android:apk-key-hash:${'A'.repeat(43)}`,
    'ios:bundle-id:com.example.login',
  ])('the origin %s is accepted', async (origin) => {
    const keys = [...HTTPS, `${PASSKEY}.origins=${origin}`];

    expect((await bound(keys)).origins).toEqual([origin]);
    expect((await read(keys)).found).toEqual([]);
  });

  it.each(['login.example.com', 'ftp://login.example.com', 'android:apk-key-hash:', '*'])(
    'the origin "%s" prevents startup',
    async (origin) => {
      expect((await read([`${PASSKEY}.origins=${origin}`])).reading.problems).toHaveLength(1);
    },
  );

  it.each([
    ['https://example.com', 'its host is neither login.example.com nor below it'],
    ['https://notlogin.example.com', 'its host is neither login.example.com nor below it'],
    ['http://localhost:3000', 'its host is neither login.example.com nor below it'],
    ['http://a.login.example.com', 'it is without https'],
  ])('the origin %s is a breach: %s', async (origin, reason) => {
    expect((await read([...HTTPS, `${PASSKEY}.origins=${origin}`])).found).toEqual([
      `breach: ${PASSKEY}.origins: Browsers reject passkeys of login.example.com at the origin ${origin}: ${reason}`,
    ]);
  });

  it('an origin at another port of this machine is accepted for a trial', async () => {
    expect((await read([`${PASSKEY}.origins=http://localhost:3000`])).found).toEqual([]);
  });
});

describe('a public URL at which there are no passkeys', () => {
  const offered = 'Passkeys cannot be offered, so users have one-time codes only';

  it('an IP address is a warning, and a breach if passkeys are enabled expressly', async () => {
    expect((await read(IP)).found).toEqual([`warning: app.security.public-url: ${offered}`]);
    expect((await read([...IP, `${PASSKEY}.enabled=true`])).found).toEqual([`breach: ${PASSKEY}.enabled: ${offered}`]);
    expect((await read([...IP, `${PASSKEY}.enabled=false`])).found).toEqual([]);
  });

  it('a URL without https is a warning', async () => {
    const plain = ['app.security.public-url=http://login.example.com'];

    expect((await read(plain)).found).toContain(`warning: app.security.public-url: ${offered}`);
    expect((await read([...plain, `${PASSKEY}.enabled=false`])).found.join()).not.toContain(offered);
    expect((await read(['app.security.public-url=http://localhost:8080'])).found).toEqual([]);
  });
});

describe('allowed models and their metadata', () => {
  const { root, signer } = metadataSigner();
  const statement = statementOf(makeCertificate({ name: 'manufacturer.test' }));
  const limited = [`${PASSKEY}.allowed-aaguids=${MODEL}`];
  const direct = `${PASSKEY}.attestation=direct`;
  const fileKeys = (content: unknown): readonly string[] => [
    `${PASSKEY}.metadata-file=${metadataFile(content)}`,
    `${PASSKEY}.metadata-root=${root.certificate}`,
  ];

  it('a list of models without attestation is an error, since no model is proven', async () => {
    expect((await read(limited)).found).toEqual([
      expect.stringMatching(/^error: .*allowed-aaguids: .*without attestation/),
    ]);
  });

  it('a list of models without metadata is an error, since no proof can be verified', async () => {
    expect((await read([...limited, direct])).found).toEqual([
      expect.stringMatching(/^error: .*allowed-aaguids: .*without the root certificates/),
    ]);
  });

  it('a list of models with attestation and a genuine BLOB is accepted', async () => {
    const blob = await blobOf({ statement, signers: [signer] });

    expect((await read([...limited, direct, ...fileKeys(blob)])).found).toEqual([]);
  });

  it('a model that the metadata do not describe is a warning', async () => {
    const keys = [`${PASSKEY}.allowed-aaguids=${MODEL},${WITHDRAWN}`, direct, ...fileKeys([statement])];

    expect((await read(keys)).found).toEqual([
      `warning: ${PASSKEY}.allowed-aaguids: The metadata do not describe ${WITHDRAWN}, so no such authenticator can be registered`,
    ]);
  });

  it.each([
    ['that does not exist', () => [`${PASSKEY}.metadata-file=/nowhere/blob.jwt`]],
    ['that is no BLOB', () => fileKeys('<html></html>')],
    ['of another signer', async () => fileKeys(await blobOf({ statement, signers: [makeCertificate()] }))],
    ['without its root', async () => fileKeys(await blobOf({ statement, signers: [signer] })).slice(0, 1)],
  ])('a file of metadata %s is an error', async (_, keys) => {
    expect((await read(await keys())).found).toEqual([
      `error: ${PASSKEY}.metadata-file: The metadata of authenticators cannot be used`,
    ]);
  });

  it('a file of metadata is not read while passkeys are disabled', async () => {
    const keys = [`${PASSKEY}.metadata-file=/nowhere/blob.jwt`, ...limited, `${PASSKEY}.enabled=false`];

    expect((await read(keys)).found).toEqual([]);
  });
});

describe('the required strength', () => {
  it('passkeys may be demanded where they can be used, by default on this machine', async () => {
    expect((await read(STRONG)).found).toEqual([]);
    expect((await read([...STRONG, ...HTTPS, `${MFA}.required-strength-roles=ROLE_ADMIN`])).found).toEqual([]);
  });

  it.each([
    ['with an IP address', IP],
    ['without https', ['app.security.public-url=http://login.example.com', 'app.security.cookie.secure=false']],
    ['while they are disabled', [`${PASSKEY}.enabled=false`]],
    ['from a date, with an IP address', [...IP, `${MFA}.required-strength-from=2999-01-01`]],
  ])('passkeys that policy demands %s are an error', async (_, keys) => {
    expect((await read([...STRONG, ...keys])).found).toContain(
      `error: ${MFA}.required-strength: Policy demands passkeys, and none can be used, so users could not sign in`,
    );
  });

  it('an unknown role is a breach', async () => {
    expect((await read([...STRONG, `${MFA}.required-strength-roles=ROLE_ADMIN,ROLE_ADMINS`])).found).toEqual([
      `breach: ${MFA}.required-strength-roles: "ROLE_ADMINS" is not a known role, so no account may have it`,
    ]);
    const known = [`${MFA}.required-strength-roles=ROLE_AUDITOR`, 'app.security.roles=ROLE_AUDITOR'];
    expect((await read([...STRONG, ...known])).found).toEqual([]);
  });

  it.each(['required-strength-roles=ROLE_ADMIN', 'required-strength-from=2999-01-01'])(
    '%s without a strength is a warning',
    async (key) => {
      expect((await read([`${MFA}.${key}`])).found).toEqual([
        `warning: ${MFA}.${key.replace(/=.*/, '')}: The key has no effect while ${MFA}.required-strength is any`,
      ]);
    },
  );

  it('policy=optional gives no warning about administrators if passkeys are demanded of every account', async () => {
    const optional = [`${MFA}.policy=optional`];
    const all = async (keys: readonly string[]): Promise<string> => {
      const { reading } = await read(keys);
      const inputs = { args: [], variables: {}, workingFolder: '/nowhere', packageFolder: '/nowhere' };
      return (await checkRules(reading, inputs)).map(({ what }) => what).join();
    };

    expect(await all(optional)).toContain('No role requires a second factor');
    expect(await all([...optional, ...STRONG])).not.toContain('No role requires a second factor');
  });
});

describe('sign-in by passkey alone', () => {
  const SIGN_IN = `${PASSKEY}.sign-in`;

  it.each(['on', 'only'])('U6: the value %s is accepted where passkeys can be used', async (value) => {
    expect((await read([`${SIGN_IN}=${value}`, ...HTTPS])).found).toEqual([]);
  });

  it.each([
    ['on', 'with an IP address', IP],
    ['only', 'while passkeys are disabled', [`${PASSKEY}.enabled=false`]],
  ])('U6: the value %s is an error %s', async (value, _, keys) => {
    expect((await read([`${SIGN_IN}=${value}`, ...keys])).found).toContain(
      `error: ${SIGN_IN}: Passkeys are to sign in without a password, and none can be used`,
    );
  });

  it('U6: an unknown role that signs in by passkey only is reported', async () => {
    expect((await read([`${SIGN_IN}=only`, `${SIGN_IN}-only-roles=ROLE_CLARK`, ...HTTPS])).found).toEqual([
      `breach: ${SIGN_IN}-only-roles: "ROLE_CLARK" is not a known role, so no account may have it`,
    ]);
  });

  it('U6: roles that sign in by passkey only are reported if the key does not apply them', async () => {
    expect((await read([`${SIGN_IN}=on`, `${SIGN_IN}-only-roles=ROLE_ADMIN`, ...HTTPS])).found).toEqual([
      `warning: ${SIGN_IN}-only-roles: Roles that sign in by passkey only are listed, but the key that applies the list is not set`,
    ]);
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { ConfigurationFailure } from '../../../config/problem.js';
import { ConfiguredKeys } from './configured-keys.js';

const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ED = generateKeyPairSync('ed25519');
const pem = (key: typeof EC.privateKey): string => key.export({ format: 'pem', type: 'pkcs8' }) as string;
const publicPem = (key: typeof EC.publicKey): string => key.export({ format: 'pem', type: 'spki' }) as string;
const configured = (signingKey: string | undefined, ...verificationKeys: string[]): ConfiguredKeys =>
  new ConfiguredKeys({ signingKey, verificationKeys, algorithm: 'ES256' }, (key) => `the place of ${key}`);

describe('configured signing keys', () => {
  it.each([
    ['a PEM text', () => pem(EC.privateKey)],
    ['a file', (file: string) => `file:${file}`],
    ['a file as a URL', (file: string) => `file://${file}`],
    ['a path', (file: string) => file],
  ])('are read from %s', (_, location) => {
    const file = join(temporaryFolder(), 'key.pem');
    writeFileSync(file, pem(EC.privateKey));

    const { signs } = configured(location(file));

    expect(signs).toMatchObject({ algorithm: 'ES256', jwk: { kty: 'EC', crv: 'P-256', use: 'sig' } });
    expect(signs?.sign).toBeTypeOf('function');
  });

  it('include further verification keys, private or public, of any algorithm', () => {
    const { all } = configured(pem(EC.privateKey), publicPem(ED.publicKey), pem(ED.privateKey));

    expect(all.map(({ algorithm }) => algorithm)).toEqual(['ES256', 'EdDSA', 'EdDSA']);
    expect(all.map(({ jwk }) => jwk?.['d'])).toEqual([undefined, undefined, undefined]);
  });

  it('are empty if none is configured', () => {
    expect(configured(undefined)).toEqual({ signs: undefined, all: [] });
  });

  it.each([
    ['a public key', () => publicPem(EC.publicKey), 'it is a public key, and signing needs a private one'],
    [
      'a key for another algorithm',
      () => pem(ED.privateKey),
      'it is a key for EdDSA, and app.security.token.algorithm is ES256',
    ],
    ['a missing file', () => 'file:/nowhere/key.pem', 'it cannot be read as a key in PEM form (ENOENT)'],
    [
      'a text that is not a key',
      () => '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
      'PEM form (ERR_OSSL',
    ],
    [
      'a key on another curve',
      () => pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey),
      'neither an EC key on P-256',
    ],
    [
      'a short RSA key',
      () => pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey),
      'RSA key of 2048 bits',
    ],
  ])('J4: %s prevents startup; the failure names the key and its origin, not the text', (_, text, reason) => {
    const act = (): unknown => configured(text());

    expect(act).toThrow(ConfigurationFailure);
    const facts = factsOf(act);
    expect(facts).toMatchObject({
      Property: 'app.security.token.signing-key',
      Origin: 'the place of app.security.token.signing-key',
    });
    expect(facts['Reason']).toContain(reason);
  });
});

function factsOf(act: () => unknown): Readonly<Record<string, string>> {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigurationFailure) return Object.fromEntries(error.problems[0]?.facts ?? []);
  }
  return {};
}

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { programOf } from '../../../test/support/runner/binaries.js';
import { keyStore, type MadeCertificate, makeCertificate } from '../../../test/support/http/certificates.js';
import { needs } from '../../../test/support/runner/needs.js';
import { temporaryFolder } from '../../../test/support/programs/temporary-folder.js';
import { type BundleProblem, UnusableBundle } from './bundle-reading.js';
import { readTrustStore } from './trust-store.js';

const PASSWORD = 'changeit';
const AUTHORITIES = ['CN=Example EC Authority', 'CN=Example RSA Authority'];

const fixture = (name: string): string =>
  join(import.meta.dirname, `../../../test/support/fixtures/trust-stores/${name}.p12`);

function problemOf(location: string, password?: string): BundleProblem {
  try {
    readTrustStore(location, password);
  } catch (error) {
    if (error instanceof UnusableBundle) return error.problem;
    throw error;
  }
  throw new Error('the trust store is usable');
}

describe('a trust store of keytool', () => {
  it.each([
    ['keytool', PASSWORD],
    ['keytool-legacy', PASSWORD],
    ['keytool-open', undefined],
  ])('%s.p12 is read with all its certificates', (name, password) => {
    const read = readTrustStore(`file:${fixture(name)}`, password);

    expect(read.map(({ subject }) => subject).sort()).toEqual(AUTHORITIES);
    // Their signatures hold, so they were read byte for byte.
    for (const certificate of read) expect(certificate.verify(certificate.publicKey), certificate.subject).toBe(true);
  });

  it.each([
    ['keytool', 'wrong', 'truststore.password', 'the password does not open the trust store, or the file was changed'],
    ['keytool-legacy', 'wrong', 'truststore.password', /does not open the trust store/],
    ['keytool', undefined, 'truststore.password', 'the trust store has a password, and none is set'],
    [
      'keytool-open',
      PASSWORD,
      'truststore.password',
      'the trust store has no MAC, so the password does not protect it',
    ],
    ['keytool-empty', PASSWORD, 'truststore.location', 'it contains no certificate'],
  ])('%s.p12 with the password %s is rejected', (name, password, member, reason) => {
    const problem = problemOf(fixture(name), password);

    expect(problem).toMatchObject({ member, file: fixture(name) });
    expect(problem.reason).toMatch(reason);
    expect(JSON.stringify(problem)).not.toContain(PASSWORD);
  });

  it('A11: one changed byte anywhere in its certificates is detected', () => {
    const whole = readFileSync(fixture('keytool'));
    const file = join(temporaryFolder('trust-store'), 'changed.p12');

    for (const at of [100, 600, 1500, whole.length - 200]) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(file, changed);
      expect(() => readTrustStore(file, PASSWORD), `byte ${at}`).toThrow(UnusableBundle);
    }
  });

  it.each([0, 1, 700, -1])('a file that is cut after byte %i is rejected', (length) => {
    const file = join(temporaryFolder('trust-store'), 'cut.p12');
    writeFileSync(file, readFileSync(fixture('keytool')).subarray(0, length));

    expect(problemOf(file, PASSWORD)).toMatchObject({
      member: 'truststore.location',
      reason: expect.stringMatching(/^it is not a complete PKCS12 file/) as string,
    });
  });

  it.each(['feedfeed00000002', 'cececece00000002'])('a file that begins with %s is rejected as JKS', (bytes) => {
    const file = join(temporaryFolder('trust-store'), 'trusted.jks');
    writeFileSync(file, Buffer.from(bytes, 'hex'));

    expect(problemOf(file, PASSWORD)).toEqual({
      member: 'truststore.location',
      file,
      reason: 'it is a JKS file, which is not supported',
      action: expect.stringContaining('keytool -importkeystore') as string,
    });
  });
});

describe('a trust store of openssl with the password "pässwörd ☃"', () => {
  it('is read even if the key derived from one byte for each character decrypts it to a valid padding', () => {
    const read = readTrustStore(fixture('openssl-not-ascii'), 'pässwörd ☃');

    expect(read.map(({ subject }) => subject)).toEqual(['CN=Example EC Authority']);
  });

  it.each(['password', 'pässwörd', 'pässwörd ☂'])('is not opened by "%s"', (password) => {
    expect(problemOf(fixture('openssl-not-ascii'), password)).toMatchObject({
      member: 'truststore.password',
      reason: 'the password does not open the trust store, or the file was changed',
    });
  });
});

needs('openssl')('a trust store of openssl', () => {
  let made: MadeCertificate;

  beforeAll(() => {
    made = makeCertificate({ name: 'authority' });
  });

  it.each([PASSWORD, 'pässwörd ☃', ''])('is read with the password "%s"', (password) => {
    const store = keyStore(made, password, ['-nokeys']);

    expect(readTrustStore(store, password).map(String)).toEqual([made.pem]);
  });

  it('is read if its certificate is no authority: a server may be trusted by its own certificate', () => {
    const server = makeCertificate({ name: 'server', signedBy: made });

    expect(readTrustStore(keyStore(server, PASSWORD, ['-nokeys']), PASSWORD).map(String)).toEqual([server.pem]);
  });

  it('is rejected with this reason if it was encrypted with a password in Latin-1', () => {
    const store = keyStore(made, Buffer.from('pässwörd', 'latin1'), ['-nokeys']);

    expect(problemOf(store, 'pässwörd')).toMatchObject({
      member: 'truststore.location',
      reason:
        'its password is right, but its certificates cannot be decrypted: probably they were encrypted in Latin-1',
    });
  });

  it('is rejected if it has a private key, and the action exports its certificates', () => {
    const store = keyStore(made, PASSWORD);

    const { action, ...problem } = problemOf(store, PASSWORD);

    expect(problem).toEqual({
      member: 'truststore.location',
      file: store,
      reason: 'it contains a private key, which does not belong into a trust store',
    });
    const [, one, two] = /^Export its certificates: (.*) \| (.*)\.$/.exec(action) ?? [];
    const file = join(made.folder, 'exported.p12');
    const run = (command = '', input?: Buffer): Buffer =>
      execFileSync(
        programOf('openssl'),
        [
          ...command.replace('<file>', store).replace('<new file>', file).split(' ').slice(1),
          ...(input ? ['-passout', `pass:${PASSWORD}`] : ['-passin', `pass:${PASSWORD}`]),
        ],
        { input, stdio: 'pipe' },
      );
    run(two, run(one));
    expect(readTrustStore(file, PASSWORD).map(String)).toEqual([made.pem]);
  });

  it('a PEM file in its place is rejected, and the action names the key for PEM files', () => {
    expect(problemOf(made.certificate)).toMatchObject({
      reason: expect.stringMatching(/^it is not a complete PKCS12 file/) as string,
      action: expect.stringContaining('truststore.certificate') as string,
    });
  });
});

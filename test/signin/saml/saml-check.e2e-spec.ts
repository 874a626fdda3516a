import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { IdentityProvider, makeKeyPair } from '../../support/saml/identity-provider.js';
import { IdpServer } from '../../support/saml/identity-provider-server.js';
import { ASSURANCE } from '../../support/saml/saml-metadata.js';
import { type Ended, runCli } from '../../support/programs/service.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

const PREFIX = '--app.security.saml.idp.corp';
const FINGERPRINT = /SHA-256 (?:[\dA-F]{2}:){31}[\dA-F]{2}$/;

describe('saml check', { timeout: 60_000 }, () => {
  const keyPair = makeKeyPair();
  let server: IdpServer;
  beforeAll(async () => {
    server = await IdpServer.start({}, { keyPair });
  });
  afterAll(() => server.stop());

  const check = (keys: readonly string[], idp = 'corp', more: readonly string[] = []): Promise<Ended> =>
    runCli(['saml', 'check', idp, ...keys.map((key) => `${PREFIX}.${key}`), ...more]);
  const fileOf = (text: string, name = 'idp.xml'): string => {
    const file = join(temporaryFolder('metadata'), name);
    writeFileSync(file, text);
    return file;
  };
  /** The output lines by their labels. */
  const linesOf = ({ stdout }: Ended): Readonly<Record<string, string>> =>
    Object.fromEntries(stdout.split('\n').map((line) => [line.slice(0, 16).trim(), line.slice(16)]));

  it('saml check prints the metadata at a URL and the data of the service', async () => {
    const sp = makeCertificate({ key: 'rsa', name: 'sp', days: 90 });
    server.settings.metadata = {
      validUntil: '2999-01-01T00:00:00Z',
      cacheDuration: 'PT6H',
      entityAttributes: { [ASSURANCE]: ['https://refeds.org/profile/mfa'] },
      signedBy: keyPair,
    };

    const ended = await check(
      [`metadata=${server.metadataUrl}`, `metadata-certificate=${fileOf(keyPair.certificate, 'idp.crt')}`, 'bundle=sp'],
      'corp',
      [
        '--app.security.public-url=https://login.example.com',
        `--app.ssl.bundle.pem.sp.keystore.certificate=${sp.certificate}`,
        `--app.ssl.bundle.pem.sp.keystore.private-key=${sp.key}`,
      ],
    );

    expect(linesOf(ended)).toMatchObject({
      clock: 'in sync',
      'entity id': server.idp.entityId,
      'single sign-on': `${server.ssoUrl} (redirect)`,
      'single logout': `${server.sloUrl} (redirect)`,
      certificate: expect.stringMatching(FINGERPRINT) as string,
      signature: 'valid',
      'valid until': '2999-01-01T00:00:00.000Z',
      'cache duration': '21600 s',
      assurance: 'https://refeds.org/profile/mfa',
      'our entity id': 'https://login.example.com/saml/corp/metadata',
      'our ACS': 'https://login.example.com/saml/corp/acs (post)',
      'our logout': 'https://login.example.com/saml/corp/slo (redirect, post)',
      'our certificate': expect.stringContaining('CN=sp, until ') as string,
    });
    expect([ended.stderr, ended.exitCode]).toEqual(['', 0]);
  });

  it('saml check reports a clock difference', async () => {
    server.settings.metadata = {};
    server.settings.metadataAnswer = { headers: { date: 'Sat, 01 Jan 2000 00:00:00 GMT' } };

    const ended = await check([`metadata=${server.metadataUrl}`]);

    server.settings.metadataAnswer = {};
    expect(linesOf(ended).clock).toMatch(/^\d+ s ahead of the identity provider$/);
    expect(ended.stderr).toBe('The clocks differ by more than clock-skew (60 s) allows.\n');
    expect(ended.exitCode).toBe(1);
  });

  it('S4: saml check states that clocks were not compared when the response has no Date header', async () => {
    server.settings.metadata = {};
    server.settings.metadataAnswer = { isUndated: true };

    const ended = await check([`metadata=${server.metadataUrl}`]);

    server.settings.metadataAnswer = {};
    expect(linesOf(ended).clock).toBe('not compared: the response with the metadata has no Date header');
    expect([ended.stderr, ended.exitCode]).toEqual(['', 0]);
  });

  it('saml check reports expired metadata and certificates that expire soon', async () => {
    const idp = IdentityProvider.make({ keyPair: makeKeyPair('soon', 10) });
    const text = idp.metadata({ validUntil: '2020-01-01T00:00:00Z' });

    const { stderr, exitCode } = await check([`metadata=file:${fileOf(text)}`]);

    expect(stderr).toMatch(/^The certificate CN=soon expires at \S+\.\nThe metadata has expired\.\n$/);
    expect(exitCode).toBe(1);
  });

  it('saml check reports why metadata cannot be used', async () => {
    server.settings.metadata = '<a>';

    const { stderr, exitCode } = await check([`metadata=${server.metadataUrl}`]);

    expect(stderr).toBe('The metadata of the identity provider cannot be used: not well-formed XML (line 1).\n');
    expect(exitCode).toBe(1);
  });

  it('saml check prints an identity provider configured without metadata', async () => {
    const keys = [
      'entity-id=urn:idp',
      'sso-url=https://idp.example/sso',
      `certificates=${fileOf(keyPair.certificate, 'idp.crt')}`,
    ];

    const ended = await check(keys);

    expect(linesOf(ended)).toMatchObject({
      clock: 'not compared: there is no metadata at a URL',
      'entity id': 'urn:idp',
      'single logout': 'none',
    });
    expect(linesOf(ended)).not.toHaveProperty('our logout');
    expect(ended.exitCode).toBe(0);
  });

  it('saml check prints metadata from a file with any name and does not compare clocks', async () => {
    const metadata = IdentityProvider.make({ keyPair }).metadata({ ssoUrl: 'https://idp.test/sso' });
    const ended = await check([`metadata=file:${fileOf(metadata, 'our idp.xml')}`]);

    expect(ended.stderr).toBe('');
    expect(linesOf(ended)).toMatchObject({
      clock: 'not compared: there is no metadata at a URL',
      'entity id': 'https://idp.test/metadata',
    });
  });

  it.each(['-1', '-1s', '301s'])('X10: saml check rejects a clock-skew of %s', async (skew) => {
    const { stderr, exitCode } = await check(['metadata=https://idp.example/m', `clock-skew=${skew}`]);

    expect(stderr).toContain('app.security.saml.idp.corp.clock-skew');
    expect(exitCode).not.toBe(0);
  });

  it('saml check rejects an unknown identity provider', async () => {
    const { stderr, exitCode } = await check(['metadata=https://idp.example/m'], 'other');

    expect(stderr).toBe('Unknown identity provider "other": known: corp.\n');
    expect(exitCode).toBe(4);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { place } from '../../../../test/config/support.js';
import { makeCertificate, type MadeCertificate } from '../../../../test/support/http/certificates.js';
import { IdentityProvider } from '../../../../test/support/saml/identity-provider.js';
import { ManualClock } from '../../../../test/support/programs/manual-clock.js';
import { entitiesDescriptor, type MetadataOptions } from '../../../../test/support/saml/saml-metadata.js';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { type Clock, SystemClock } from '../../../kernel/clock/clock.js';
import { Configuration } from '../../../config/configuration.js';
import { lineOf } from '../../../config/problem.js';
import { type AsyncCheck, type Check, RuleFacts } from '../../../config/check/rule.js';
import { identityProvidersUsable } from './idp.rule.js';
import { publicUrlKnown } from '../login/login.rule.js';

const PREFIX = 'app.security.saml.idp.corp';
const AT = '(file [application.yml] - ';

type Keys = Readonly<Record<string, unknown>>;

type Found = readonly (readonly [string, string])[];

function problems(keys: Keys, prefix = PREFIX, clock?: Clock): Promise<Found> {
  return foundBy(identityProvidersUsable(clock), keys, prefix);
}

async function foundBy(check: Check | AsyncCheck, keys: Keys, prefix = PREFIX): Promise<Found> {
  const lines = Object.entries(keys).map(
    ([key, value]) => `${key.startsWith('app.') ? key : `${prefix}.${key}`}: ${JSON.stringify(value)}`,
  );
  const reading = place({ 'work/application.yml': lines.join('\n') }).read();
  expect(reading.problems).toEqual([]);
  const { environment, registry, instances } = reading;
  const inputs = { args: [], variables: {}, workingFolder: '/', packageFolder: '/' };
  const facts = new RuleFacts(new Configuration(environment, registry, [], instances), inputs);
  return (await check(facts)).map((problem) => [problem.severity, lineOf(problem)]);
}

function fileOf(text: string): string {
  const file = join(temporaryFolder('metadata'), 'idp.xml');
  writeFileSync(file, text);
  return `file:${file}`;
}

describe('the check of an identity provider', () => {
  const made: { rsa: MadeCertificate; ec: MadeCertificate; byHand: Keys } = {
    rsa: { folder: '', certificate: '', key: '', pem: '' },
    ec: { folder: '', certificate: '', key: '', pem: '' },
    byHand: {},
  };
  const metadataWith = (options: MetadataOptions = {}): string =>
    IdentityProvider.make().metadata({ certificates: [made.rsa.pem], ...options });
  beforeAll(() => {
    made.rsa = makeCertificate({ key: 'rsa', name: 'idp' });
    made.ec = makeCertificate({ key: 'ec' });
    made.byHand = {
      'entity-id': 'urn:idp',
      'sso-url': 'https://idp.example/sso',
      certificates: [made.rsa.certificate],
    };
  });

  it('finds nothing without identity providers', async () => {
    expect(await problems({})).toEqual([]);
  });

  it.each(['entity-id', 'sso-url', 'certificates'])(
    'reports an error if metadata and %s are both missing',
    async (key) => {
      const rest = Object.fromEntries(Object.entries(made.byHand).filter(([name]) => name !== key));

      const [[severity, line] = []] = await problems(rest);

      expect(severity).toBe('error');
      expect(line).toContain(`${PREFIX}.${key}`);
      expect(line).toContain('Set metadata, or all of entity-id, sso-url and certificates.');
    },
  );

  it.each(['sso-url', 'slo-url', 'certificates'])('reports an error if both metadata and %s are set', async (key) => {
    const byHand: Keys = { ...made.byHand, 'slo-url': 'https://idp.example/slo' };

    const found = await problems({ metadata: 'https://nobody.invalid/metadata', [key]: byHand[key] });

    expect(found).toEqual([['error', expect.stringContaining('described twice') as string]]);
  });

  it('warns if public-url is not set', async () => {
    const url = { 'app.security.public-url': 'https://login.example' };

    expect(await foundBy(publicUrlKnown.check, made.byHand)).toEqual([
      ['warning', expect.stringContaining('app.security.public-url') as string],
    ]);
    expect(await foundBy(publicUrlKnown.check, { ...made.byHand, ...url })).toEqual([]);
    expect(await foundBy(publicUrlKnown.check, {})).toEqual([]);
  });

  it('accepts a configuration without metadata, with certificates in files and as PEM text', async () => {
    expect(await problems({ ...made.byHand, certificates: [made.rsa.certificate, made.rsa.pem] })).toEqual([]);
  });

  it('accepts metadata in a file', async () => {
    expect(await problems({ metadata: fileOf(metadataWith()) })).toEqual([]);
  });

  it('accepts metadata at an https URL without a request to it', async () => {
    expect(await problems({ metadata: 'https://nobody.invalid/metadata' })).toEqual([]);
  });

  it.each(['Corp', 'co_rp', '-corp', 'c'.repeat(33)])('rejects the name %s', async (name) => {
    const [[severity, line] = []] = await problems(made.byHand, `app.security.saml.idp[${name}]`);

    expect(severity).toBe('error');
    expect(line).toContain('is not a valid name of an identity provider');
  });

  it.each([
    ['there is no such file (ENOENT)', () => '/nowhere/idp.crt'],
    ['contains no certificate in PEM form', () => made.rsa.key],
    ['the certificate CN=login.test has a key of type ec, not RSA', () => made.ec.certificate],
    [
      'the certificate CN=login.test has an RSA key of 1024 bits, not at least 2048',
      () => makeCertificate({ key: 'short-rsa' }).pem,
    ],
  ])('reports a certificate that cannot be used: %s', async (reason, certificate) => {
    const found = await problems({ ...made.byHand, certificates: [certificate()] });

    expect(found).toEqual([
      [
        'error',
        `${PREFIX}.certificates ${AT}3:43): The certificates of an identity provider cannot be used; ` +
          `Reason: certificates: ${reason}. Set it to files or PEM texts of certificates with RSA keys.`,
      ],
    ]);
  });

  it('warns of an expired certificate', async () => {
    const clock = new ManualClock(new SystemClock().seconds() + 31 * 86_400);

    const [[severity, line] = [], ...more] = await problems(made.byHand, PREFIX, clock);

    expect([severity, more]).toEqual(['warning', []]);
    expect(line).toContain('The certificate CN=idp of an identity provider expired at ');
  });

  it.each([
    ['the file cannot be read (ENOENT)', () => 'file:/nowhere/idp.xml'],
    ['contains a DOCTYPE', () => fileOf('<!DOCTYPE a><a/>')],
    ['not a regular file', () => `file:${temporaryFolder('metadata')}`],
    [
      'contains 2 identity providers; set entity-id to select one',
      () => {
        const both = ['urn:a', 'urn:b'].map((entityId) => metadataWith({ entityId }));
        return fileOf(entitiesDescriptor(both));
      },
    ],
  ])('reports metadata that cannot be used: %s', async (reason, metadata) => {
    const [[severity, line] = []] = await problems({ metadata: metadata() });

    expect(severity).toBe('error');
    expect(line).toContain(`The metadata of an identity provider cannot be used; File: `);
    expect(line).toContain(`; Reason: ${reason}. Get new metadata`);
  });

  it('warns of expired metadata', async () => {
    const expired = metadataWith({ validUntil: '2020-01-01T00:00:00Z' });

    const [[severity, line] = []] = await problems({ metadata: fileOf(expired) });

    expect(severity).toBe('warning');
    expect(line).toContain('The metadata was valid until 2020-01-01T00:00:00.000Z');
  });

  it('warns of a URL with an internal address without an entry', async () => {
    const [[severity, line] = []] = await problems({ metadata: 'https://10.1.2.3/metadata' });

    expect(severity).toBe('warning');
    expect(line).toContain('Add 10.1.2.3 or its network to app.http.client.allowed-addresses');
  });

  it.each([
    ['error', 'metadata', { metadata: 'http://idp.example/metadata' }],
    ['breach', 'metadata', { metadata: 'http://127.0.0.1:7000/metadata' }],
    ['breach', 'metadata', { metadata: 'http://localhost:7000/metadata' }],
    ['error', 'metadata', { metadata: 'http://localhost.idp.example/metadata' }],
    ['breach', 'sso-url', { 'sso-url': 'http://idp.example/sso' }],
    ['breach', 'slo-url', { 'slo-url': 'http://idp.example/slo' }],
  ])('reports a URL without https: %s, %s, %j', async (severity, key, keys) => {
    // As packaged, so that an address of this machine is no finding of its own.
    const allowed = { 'app.http.client.allowed-addresses': '127.0.0.0/8' };
    const found = await problems('metadata' in keys ? { ...keys, ...allowed } : { ...made.byHand, ...keys });

    expect(found.map(([level, line]) => [level, line.split(' ')[0]])).toEqual([[severity, `${PREFIX}.${key}`]]);
  });

  it('accepts a loopback sso-url without https', async () => {
    expect(await problems({ ...made.byHand, 'sso-url': 'http://127.0.0.1:7000/sso' })).toEqual([]);
  });

  it('reports a metadata-certificate that cannot be used', async () => {
    const found = await problems({
      metadata: 'https://idp.example/m',
      'metadata-certificate': '/nowhere/federation.crt',
    });

    expect(found).toEqual([
      [
        'error',
        `${PREFIX}.metadata-certificate ${AT}2:50): The certificate that verifies metadata cannot be used; ` +
          'Reason: there is no such file (ENOENT). Set it to a file or the PEM text of a certificate with an RSA key.',
      ],
    ]);
  });

  it('accepts a bundle with an RSA key, and reports one with another key', async () => {
    const bundle = ({ certificate, key }: MadeCertificate): Keys => ({
      bundle: 'sp',
      'app.ssl.bundle.pem.sp.keystore.certificate': certificate,
      'app.ssl.bundle.pem.sp.keystore.private-key': key,
    });

    expect(await problems({ ...made.byHand, ...bundle(made.rsa) })).toEqual([]);
    expect(await problems({ ...made.byHand, ...bundle(made.ec) })).toEqual([
      [
        'error',
        `${PREFIX}.bundle = sp ${AT}4:36): Requests cannot be signed with this bundle. ` +
          'Name a bundle under app.ssl.bundle.pem with an RSA key of at least 2048 bits.',
      ],
    ]);
  });

  it('reports a bundle that is not defined', async () => {
    const [[severity, line] = []] = await problems({ ...made.byHand, bundle: 'sp' });

    expect(severity).toBe('error');
    expect(line).toContain('Unknown certificate bundle "sp"');
  });

  it.each([
    ['metadata-certificate', { 'metadata-certificate': '/any' }],
    ['roles.map', { 'roles.map[Admins]': 'ROLE_STAFF' }],
    ['roles.attribute', { 'roles.attribute': 'groups' }],
    ['idp-initiated', { 'idp-initiated': true }],
    ['report-only', { 'report-only': true }],
    ['report-only', { 'report-only': true, 'on-missing-mfa': 'deny' }],
  ])('warns of %s if it has no effect or weakens the login: %j', async (key, keys) => {
    const found = await problems({ ...made.byHand, ...keys });

    expect(found.map(([level, line]) => [level, line.split(' ')[0]])).toEqual([
      ['warning', expect.stringContaining(`${PREFIX}.${key}`)],
    ]);
  });

  it('accepts roles by attribute and map, and on-missing-mfa=deny', async () => {
    const keys = { 'roles.map[Admins]': 'ROLE_STAFF', 'roles.attribute': 'groups', 'on-missing-mfa': 'deny' };

    expect(await problems({ ...made.byHand, ...keys })).toEqual([]);
  });

  it('warns of two identity providers with the same entity id', async () => {
    const other = Object.fromEntries(
      Object.entries(made.byHand).map(([key, value]) => [`app.security.saml.idp.other.${key}`, value]),
    );

    const found = await problems({ ...made.byHand, ...other });

    expect(found).toEqual([
      ['warning', expect.stringContaining('The identity providers corp and other are the same entity') as string],
    ]);
  });
});

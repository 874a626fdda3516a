import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkRules } from '../../../src/apps/server/configuration-rules.js';
import { viewOfAll } from '../../../src/apps/cli/config/config-view.js';
import { KeyName } from '../../../src/config/names/key-name.js';
import { lineOf } from '../../../src/config/problem.js';
import { configurationOf, readConfiguration } from '../../../src/config/configuration.js';
import { failureReport } from '../../../src/config/show/failure-report.js';
import { Inspection } from '../../../src/config/show/inspection.js';
import { PROPERTIES } from '../../../src/apps/server/properties.js';
import { describeBeans } from '../../../src/management/configprops/beans.js';
import { EXPIRED_CERTIFICATE } from '../../support/http/expired-certificate.js';
import { fc } from '../../support/runner/property.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { type Example, examples, registry } from '../keys/examples.js';

const secretKeys = examples.filter(({ isSecret }) => isSecret);

/** Keys whose value is a secret, or the path of a file with one. */
const mayNameFile = secretKeys.filter(({ name }) => registry.find(KeyName.parse(name))?.facts.mayBeFilePath);

/** Forms in which people give a secret, and texts that a parser may take for something else. */
const FORMS: Readonly<Record<string, (body: string) => string>> = {
  'the body of a PEM text': (body) => body,
  'base64: and the body': (body) => `base64:${body}`,
  'Base64 of a PEM text': (body) => Buffer.from(pem(body)).toString('base64'),
  'base64: and Base64 of a PEM text': (body) => `base64:${Buffer.from(pem(body)).toString('base64')}`,
  'a PEM text': pem,
  'a PEM text on one line': (body) => pem(body).replaceAll('\n', '\\n'),
  'file: and the body': (body) => `file:${body}`,
  'a path': (body) => `/${body}`,
  'a relative path': (body) => `./${body}`,
  'a location in the package': (body) => `classpath:${body}`,
  'a URL': (body) => `https://${body}/`,
  'a JSON web key': (body) => `{"kty":"EC","d":"${body}"}`,
  'a list': (body) => `${body},${body}`,
  'a number': (body) => `0${body}`,
  'a NUL byte': (body) => `${body}\0`,
};

function pem(body: string): string {
  return `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
}

/** Everything that `config check`, `config list`, a failed start, `env` and `configprops` print. */
async function everythingShown(args: readonly string[], folder: string): Promise<string> {
  const inputs = { args, variables: {}, workingFolder: folder, packageFolder: folder };
  const reading = readConfiguration(PROPERTIES, inputs);
  const { environment, registry } = reading;
  const violations = await checkRules(reading, inputs);
  const inspection = new Inspection(environment, registry);
  return [
    failureReport([...reading.problems, ...violations]),
    ...reading.warnings,
    ...violations.map(lineOf),
    ...viewOfAll(environment, registry, {}).lines,
    ...environment.sources.flatMap((source) => JSON.stringify([...inspection.valuesOf(source)])),
    ...(reading.problems.length === 0
      ? [JSON.stringify(describeBeans(configurationOf(reading), inspection, true))]
      : []),
  ].join('\n');
}

/** The listener reads the private key of this bundle, which needs a certificate. */
const WITH_BUNDLE = ['--server.ssl.bundle=web', `--app.ssl.bundle.pem.web.keystore.certificate=${EXPIRED_CERTIFICATE}`];

/** Other keys, so that something reads the value of the key. */
function companions({ entry, name }: Example): readonly string[] {
  if (!entry?.startsWith('app.ssl.bundle.')) return [];
  if (!entry.includes('.pem.')) return ['--server.ssl.bundle=web', `--${entry}.keystore.location=web.p12`];
  const encrypted = pem('AAAA').replace('PRIVATE', 'ENCRYPTED PRIVATE');
  const isItself = name.endsWith('.private-key');
  return [...WITH_BUNDLE, ...(isItself ? [] : [`--${entry}.keystore.private-key=${encrypted}`])];
}

/** A text without meaning, as long as the body of a short key. */
function digest(text: string): string {
  return createHash('sha512').update(text).digest('base64');
}

/** Parts of a text of this length are not shown either. */
const PART = 12;

function partsOf(text: string): readonly string[] {
  return Array.from({ length: Math.floor(text.length / PART) }, (_, index) =>
    text.slice(index * PART, (index + 1) * PART),
  );
}

/** Parts of the secret that a report shows; a report that does not name the key is one too. */
async function leaks(
  key: Example,
  form: (body: string) => string,
  secret: string,
  folder: string,
): Promise<readonly string[]> {
  const shown = await everythingShown([`--${key.name}=${form(secret)}`, ...companions(key)], folder);
  return [...partsOf(secret).filter((part) => shown.includes(part)), ...(shown.includes(key.name) ? [] : [shown])];
}

describe('S2: the value of a secret key', () => {
  const folder = temporaryFolder('secret-values');

  it('S2: the test covers the keys that hold private keys', () => {
    expect(secretKeys.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'app.security.token.signing-key',
        'app.security.token.verification-keys',
        'app.ssl.bundle.pem.web.keystore.private-key',
        'app.security.seal.keys.sample',
      ]),
    );
  });

  it.each(Object.entries(FORMS))('S2: is in no report of a key that may name a file if it is %s', async (_, form) => {
    for (const key of mayNameFile) expect(await leaks(key, form, digest(key.name), folder)).toEqual([]);
  });

  it('S2: is in no report of any key, whatever a parser takes it for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...secretKeys),
        fc.constantFrom(...Object.values(FORMS)),
        fc.string(),
        async (key, form, seed) => {
          expect(await leaks(key, form, digest(seed), folder)).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each(['pkcs8', 'sec1'] as const)('S2: a private key (%s) is masked in a key that is not secret', (type) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const der = privateKey.export({ format: 'der', type }).toString('base64');
    const text = Buffer.from(String(privateKey.export({ format: 'pem', type }))).toString('base64');
    const read = (value: string): string => {
      const args = [`--app.ssl.bundle.jks.web.keystore.location=${value}`];
      const { environment, registry } = readConfiguration(PROPERTIES, {
        ...{ args, variables: {}, workingFolder: folder, packageFolder: folder },
      });
      return viewOfAll(environment, registry, { prefix: 'app.ssl' }).lines.join('\n');
    };

    for (const value of [der, text, `base64:${der}`, `base64:${text}`]) {
      expect(read(value)).toContain('keystore.location = ******');
    }
  });
});

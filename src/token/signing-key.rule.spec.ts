import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { place } from '../../test/config/support.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { Configuration } from '../config/configuration.js';
import { lineOf } from '../config/problem.js';
import { RuleFacts } from '../config/rule.js';
import { MAKE_PRIVATE } from '../files/secret-file.js';
import { signingKeyKeptPrivate } from './signing-key.rule.js';

const PEM = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  format: 'pem',
  type: 'pkcs8',
}) as string;
const pemFile = (mode: number): string => {
  const file = join(temporaryFolder(), 'signing.pem');
  writeFileSync(file, PEM);
  chmodSync(file, mode);
  return file;
};
const findings = (yaml: string, variables: Readonly<Record<string, string>> = {}): readonly string[] => {
  const { environment, registry, instances } = place({ 'work/application.yml': yaml }).read({ variables });
  const inputs = { args: [], variables, workingFolder: '/', packageFolder: '/' };
  const facts = new RuleFacts(new Configuration(environment, registry, [], instances), inputs);
  return signingKeyKeptPrivate(facts).map(lineOf);
};

describe('the private key that signs tokens', () => {
  it.each([
    ['in a file for its owner alone', () => findings(`app.security.token.signing-key: file:${pemFile(0o600)}`)],
    ['in the environment', () => findings('app.security.token.signing-key: ${KEY}', { KEY: PEM })],
    ['nowhere', () => findings('')],
  ])('may be %s', (_, look) => {
    expect(look()).toEqual([]);
  });

  it('may not be in a file that others can read', () => {
    const file = pemFile(0o644);

    expect(findings(`app.security.token.signing-key: file:${file}`)).toEqual([
      `app.security.token.signing-key = file:${file} (file [application.yml] - 1:33): ` +
        `The file of the signing key is not private; File: ${file}; Mode: 644; Reason: every user has access. ${MAKE_PRIVATE}`,
    ]);
  });

  it.each(['signing-key', 'verification-keys'])('may not be in the configuration file itself (%s)', (name) => {
    const text = JSON.stringify(PEM);

    const [finding = ''] = findings(`app.security.token.${name}: ${text}`);

    expect(finding).toContain(`app.security.token.${name} = ****** (file [application.yml] - 1:`);
    expect(finding).toContain('A private key stands in a file in clear');
    expect(finding).not.toContain('BEGIN');
  });
});

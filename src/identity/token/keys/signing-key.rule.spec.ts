import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { place } from '../../../../test/config/support.js';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { Configuration } from '../../../config/configuration.js';
import { lineOf } from '../../../config/problem.js';
import { RuleFacts } from '../../../config/check/rule.js';
import { secretsByReference } from '../../../config/check/secrets.rule.js';
import { MAKE_PRIVATE } from '../../../kernel/files/secret-file.js';
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
/** A folder with one file, as a mounted secret. */
const mounted = (name: string, mode: number): string => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), PEM);
  chmodSync(join(folder, name), mode);
  return folder;
};
const problems = (
  yaml: string,
  variables: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  rule = signingKeyKeptPrivate,
): readonly string[] => {
  const { environment, registry, instances } = place({ 'work/application.yml': yaml }).read({ args, variables });
  const inputs = { args: [], variables, workingFolder: '/', packageFolder: '/' };
  const facts = new RuleFacts(new Configuration(environment, registry, [], instances), inputs);
  return rule.check(facts).map(lineOf);
};

describe('the rule about private keys for tokens', () => {
  it.each([
    [
      'in a file that only its owner can read',
      () => problems(`app.security.token.signing-key: file:${pemFile(0o600)}`),
    ],
    ['in the environment', () => problems('app.security.token.signing-key: ${KEY}', { KEY: PEM })],
    ['that is not configured', () => problems('')],
  ])('accepts a key %s', (_, look) => {
    expect(look()).toEqual([]);
  });

  it('rejects a signing key in a file that others can read', () => {
    const file = pemFile(0o644);

    expect(problems(`app.security.token.signing-key: file:${file}`)).toEqual([
      `app.security.token.signing-key = ****** (file [application.yml] - 1:33): ` +
        `The file of the signing key is not private; File: ${file}; Mode: 644; Reason: every user has access. ${MAKE_PRIVATE}`,
    ]);
  });

  it('A3: rejects a private verification key in a file that others can read, but not a public one', () => {
    const [next, own] = [pemFile(0o644), pemFile(0o600)];
    const spki = createPublicKey(PEM).export({ format: 'pem', type: 'spki' });
    const published = join(temporaryFolder(), 'public.pem');
    writeFileSync(published, spki, { mode: 0o644 });
    const yaml = (key: string): string => `app.security.token.verification-keys: file:${own},file:${key}`;

    expect(problems(yaml(published))).toEqual([]);
    expect(problems(yaml(next))).toEqual([
      `app.security.token.verification-keys = ****** (file [application.yml] - 1:39): ` +
        `The file of a private key for tokens is not private; File: ${next}; Mode: 644; Reason: every user has access. ${MAKE_PRIVATE}`,
    ]);
  });

  it.each([
    ['signing-key', 'signing-key', 'SIGNING_PEM', '${SIGNING_PEM}'],
    ['verification-keys', 'verification-keys', 'NEXT_PEM', '${NEXT_PEM}'],
  ])('A3: accepts a mounted key only if no other user can read it (%s)', (_, name, file, reference) => {
    const yaml = (mode: number): string => {
      const folder = mounted(file, mode);
      return `app.config.import: configtree:${folder}/\napp.security.token.${name}: ${reference}\n`;
    };

    expect(problems(yaml(0o400))).toEqual([]);
    const [problem = '', ...more] = problems(yaml(0o644));
    expect(more).toEqual([]);
    expect(problem).toContain(`${file} = ****** (file [`);
    expect(problem).toContain('The file of a private key for tokens is not private; File: ');
    expect(problem).toContain(`Mode: 644; Reason: every user has access. ${MAKE_PRIVATE}`);
  });

  it.each([
    ['SIGNING_KEY', 'app.security.token.signing-key: ${SIGNING_KEY}\n'],
    ['app.security.token.signing-key', ''],
  ])('A3: leaves the mounted file %s, which has the name of a secret, to rule 2', (name, yaml) => {
    const text = `app.config.import: configtree:${mounted(name, 0o644)}/\n${yaml}`;

    expect(problems(text)).toEqual([]);
    expect(problems(text, {}, [], secretsByReference)).toEqual([
      expect.stringMatching(/^\S+ = \*{6} .*A file with secrets is not private; File: .*; Mode: 644/),
    ]);
  });

  it('A3: rejects a key in an argument', () => {
    const [problem = ''] = problems('', {}, [`--app.security.token.signing-key=${PEM}`], secretsByReference);

    expect(problem).toContain('Every user of the machine can see a secret in an argument');
    expect(problem).not.toContain('BEGIN');
  });

  it.each(['signing-key', 'verification-keys'])('rejects a key in the configuration file itself (%s)', (name) => {
    const text = JSON.stringify(PEM);

    const [problem = ''] = problems(`app.security.token.${name}: ${text}`, {}, [], secretsByReference);

    expect(problem).toContain(`app.security.token.${name} = ****** (file [application.yml] - 1:`);
    expect(problem).toContain('A file contains a secret in plain text');
    expect(problem).not.toContain('BEGIN');
  });
});

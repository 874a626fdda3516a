import { type RuleProblem, Rule, type RuleFacts } from '../../config/check/rule.js';
import { exposureOfFile, MAKE_PRIVATE } from '../../kernel/files/secret-file.js';
import { fileOf, pathOf } from './bundle-reading.js';
import { SslBundleProperties } from './tls.properties.js';

/**
 * Warns if other users may read a file with a private key. It is not a breach: such a file often has mode 644 in a
 * folder that is closed to others. A key in clear text breaks rule 2.
 */
export const bundleKeysKeptPrivate = new Rule('security', (facts) => {
  const { pem, jks } = facts.get(SslBundleProperties);
  const keys = Array.from(pem, ([name, { keystorePrivateKey: value }]): readonly [string, string | undefined] => [
    `app.ssl.bundle.pem.${name}.keystore.private-key`,
    value === undefined ? undefined : fileOf(value),
  ]);
  const stores = Array.from(jks, ([name, { keystoreLocation: value }]): readonly [string, string | undefined] => [
    `app.ssl.bundle.jks.${name}.keystore.location`,
    value === undefined ? undefined : pathOf(value),
  ]);
  return [...keys, ...stores].flatMap(([key, file]) => exposed(facts, key, file));
});

function exposed(facts: RuleFacts, key: string, file: string | undefined): readonly RuleProblem[] {
  const exposure = file === undefined ? undefined : exposureOfFile(file);
  if (!exposure) return [];
  const what = 'The file of a private key is not private';
  const more = { File: file, ...exposure };
  return [facts.about(key, { severity: 'warning', what, action: MAKE_PRIVATE }, more)];
}

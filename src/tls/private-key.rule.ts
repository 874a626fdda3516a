import { statSync } from 'node:fs';
import type { Finding, Rule, RuleFacts } from '../config/rule.js';
import { fileOf, placeOf } from './place.js';
import { SslBundleProperties } from './ssl-bundle.properties.js';

/**
 * The file with the private key of a certificate is nobody else's to read. It is a warning and no breach: mounted
 * secrets often have mode 640 or 644, in a folder that is closed. A key in clear breaks rule 2.
 */
export const bundleKeysKeptPrivate: Rule = (facts) => {
  const { pem, jks } = facts.get(SslBundleProperties);
  const keys = Array.from(pem, ([name, { keystorePrivateKey: value }]): readonly [string, string | undefined] => [
    `app.ssl.bundle.pem.${name}.keystore.private-key`,
    value === undefined ? undefined : fileOf(value),
  ]);
  const stores = Array.from(jks, ([name, { keystoreLocation: value }]): readonly [string, string | undefined] => [
    `app.ssl.bundle.jks.${name}.keystore.location`,
    value === undefined ? undefined : placeOf(value),
  ]);
  return [...keys, ...stores].flatMap(([key, file]) => readableByOthers(facts, key, file));
};

function readableByOthers(facts: RuleFacts, key: string, file: string | undefined): readonly Finding[] {
  const mode = file === undefined ? 0 : modeOf(file);
  if ((mode & 0o077) === 0) return [];
  const what = 'Others may read the file of a private key';
  const action = 'Give it mode 600 or 400.';
  const more = { File: file, Mode: (mode & 0o777).toString(8) };
  return [facts.about(key, { rule: 'security', severity: 'warning', what, action }, more)];
}

/** 0 where it cannot be looked at: the start says so when it reads the file. */
function modeOf(file: string): number {
  try {
    return statSync(file).mode;
  } catch {
    return 0;
  }
}

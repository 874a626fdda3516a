import { statSync } from 'node:fs';
import { originText } from '../config/origin.js';
import type { Finding, Rule, WrittenEntry } from '../config/rule.js';
import { pemFile } from './configured-keys.js';
import { TokenProperties } from './token.properties.js';

/** A private key that signs tokens is nobody else's to read: not in a configuration file, not in a file others may open. */
export const signingKeyKeptPrivate: Rule = (facts) => {
  const written = facts.entries.filter(isPrivateKeyInClear).map(({ spelled, origin }) => {
    return breach(
      `${spelled} (${originText(origin)}): a private key in clear, write \${NAME} or the path of a PEM file`,
    );
  });
  const { ownKey } = facts.get(TokenProperties);
  const file = ownKey === undefined ? undefined : pemFile(ownKey);
  const mode = file === undefined ? 0 : modeOf(file);
  if ((mode & 0o077) === 0) return written;
  const text = `has mode ${(mode & 0o777).toString(8)}, must be 600 or 400`;
  return [...written, breach(`the file of app.security.token.signing-key ${text}`)];
};

/** 0 where it cannot be looked at: the start says so when it reads the file. */
function modeOf(file: string): number {
  try {
    return statSync(file).mode;
  } catch {
    return 0;
  }
}

function isPrivateKeyInClear({ key, text, isInFile, origin }: WrittenEntry): boolean {
  const isOurs = key.uniform.startsWith('app.security.token.');
  const isWholeFile = origin.kind === 'position' && origin.isWholeFile === true;
  return isOurs && isInFile && !isWholeFile && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text);
}

function breach(text: string): Finding {
  return { rule: 'security', severity: 'breach', text };
}

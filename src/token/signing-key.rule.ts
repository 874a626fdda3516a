import { statSync } from 'node:fs';
import { from } from '../config/problem.js';
import { finding, type Rule, type WrittenEntry } from '../config/rule.js';
import { MASK } from '../config/secrets.js';
import { pemFile } from './configured-keys.js';
import { TokenProperties } from './token.properties.js';

const KEY = 'app.security.token.signing-key';

/** A private key that signs tokens is nobody else's to read: not in a configuration file, not in a file others may open. */
export const signingKeyKeptPrivate: Rule = (facts) => {
  const written = facts.entries.filter(isPrivateKeyInClear).map(({ spelled, origin }) => {
    const what = 'A private key stands in a file in clear';
    const secret = { Property: spelled, Value: `"${MASK}"`, Origin: from(origin) };
    return finding({ rule: 'security', what, action: 'Write ${NAME} for it, or the path of a PEM file.' }, secret);
  });
  const { ownKey } = facts.get(TokenProperties);
  const file = ownKey === undefined ? undefined : pemFile(ownKey);
  const mode = file === undefined ? 0 : modeOf(file);
  if ((mode & 0o077) === 0) return written;
  const what = 'Others may read the file of the signing key';
  const more = { File: file, Mode: (mode & 0o777).toString(8) };
  return [...written, facts.about(KEY, { rule: 'security', what, action: 'Give it mode 600 or 400.' }, more)];
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

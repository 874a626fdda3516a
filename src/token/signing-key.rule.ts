import { from } from '../config/problem.js';
import { finding, type Rule, type WrittenEntry } from '../config/rule.js';
import { MASK } from '../config/secrets.js';
import { exposureAt, MAKE_PRIVATE } from '../files/secret-file.js';
import { pemFile } from './configured-keys.js';
import { TokenProperties } from './token.properties.js';

const KEY = 'app.security.token.signing-key';

/** A private key that signs tokens stands in no configuration file, and its own file is private to the service. */
export const signingKeyKeptPrivate: Rule = (facts) => {
  const written = facts.entries.filter(isPrivateKeyInClear).map(({ spelled, origin }) => {
    const what = 'A private key stands in a file in clear';
    const secret = { Property: spelled, Value: `"${MASK}"`, Origin: from(origin) };
    return finding({ rule: 'security', what, action: 'Write ${NAME} for it, or the path of a PEM file.' }, secret);
  });
  const { ownKey } = facts.get(TokenProperties);
  const file = ownKey === undefined ? undefined : pemFile(ownKey);
  const exposure = file === undefined ? undefined : exposureAt(file);
  if (!exposure) return written;
  const what = 'The file of the signing key is not private';
  const more = { File: file, ...exposure };
  return [...written, facts.about(KEY, { rule: 'security', what, action: MAKE_PRIVATE }, more)];
};

function isPrivateKeyInClear({ key, text, isInFile, origin }: WrittenEntry): boolean {
  const isOurs = key.uniform.startsWith('app.security.token.');
  const isWholeFile = origin.kind === 'position' && origin.isWholeFile === true;
  return isOurs && isInFile && !isWholeFile && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text);
}

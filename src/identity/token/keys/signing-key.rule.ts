import { readFileSync } from 'node:fs';
import { from } from '../../../config/problem.js';
import {
  type Facts,
  problemsOf,
  type RuleProblem,
  ruleProblem,
  Rule,
  type RuleFacts,
  type WrittenEntry,
} from '../../../config/check/rule.js';
import { containsPrivateKey, MASK } from '../../../kernel/redaction/secrets.js';
import { exposureOfFile, exposureFacts, MAKE_PRIVATE } from '../../../kernel/files/secret-file.js';
import { ConfiguredKeys, pemFile } from './configured-keys.js';
import { TokenProperties } from '../token.properties.js';

const KEY = 'app.security.token.signing-key';
const VERIFICATION = 'app.security.token.verification-keys';
const FILE_NOT_PRIVATE = 'The file of a private key for tokens is not private';

/** Configured keys for tokens must be readable and fit their use. */
export const tokenKeysUsable = new Rule('tokens', (facts) => {
  const properties = facts.get(TokenProperties);
  return problemsOf(() => new ConfiguredKeys(properties, (key) => facts.configuration.originOf(key)));
});

/**
 * Private keys for tokens must not appear in configuration files or arguments, and files that hold them must be private to
 * the service, whether a key names such a file or a mounted file is the value of the key.
 */
export const signingKeyKeptPrivate = new Rule('security', (facts) => {
  const { signingKey, verificationKeys } = facts.get(TokenProperties);
  const texts = new Set([signingKey ?? '', ...verificationKeys].map((text) => text.trim()).filter(containsPrivateKey));
  const written = facts.entries.flatMap((entry) => entryProblems(entry, texts));
  const next = verificationKeys.filter(leadsToPrivateKey);
  return [
    ...written,
    ...inFile(facts, KEY, 'The file of the signing key is not private', signingKey),
    ...next.flatMap((location) => inFile(facts, VERIFICATION, FILE_NOT_PRIVATE, location)),
  ];
});

function inFile(facts: RuleFacts, key: string, what: string, location: string | undefined): readonly RuleProblem[] {
  const file = location === undefined ? undefined : pemFile(location);
  const exposure = file === undefined ? undefined : exposureOfFile(file);
  return exposure ? [facts.about(key, { what, action: MAKE_PRIVATE }, { File: file, ...exposure })] : [];
}

/** True for a file with a private key; verification keys are mostly public. */
function leadsToPrivateKey(location: string): boolean {
  const file = pemFile(location);
  try {
    return file !== undefined && containsPrivateKey(readFileSync(file, 'utf8'));
  } catch {
    // `ConfiguredKeys` reports unreadable files.
    return false;
  }
}

/** `texts` are the private keys in use, wherever placeholders resolved them. Rule 2 covers entries with secret names. */
function entryProblems(
  { spelled, text, isSecret, origin }: WrittenEntry,
  texts: ReadonlySet<string>,
): readonly RuleProblem[] {
  if (isSecret || !texts.has(text.trim())) return [];
  const secret = { Property: spelled, Value: `"${MASK}"`, Origin: from(origin) };
  if (origin.kind !== 'position') {
    const what = 'Every user of the machine can see a private key in an argument';
    return breach(what, 'Set the key to the path of a PEM file, or in the environment.', secret);
  }
  const { access, path } = origin.resource;
  const exposure = access && exposureFacts(access);
  if (!exposure) return [];
  return breach(FILE_NOT_PRIVATE, MAKE_PRIVATE, { ...secret, File: path, ...exposure });
}

function breach(what: string, action: string, facts: Facts): readonly RuleProblem[] {
  return [ruleProblem({ what, action }, facts)];
}

import { readFileSync } from 'node:fs';
import { ConfigurationFailure, type Problem, problem } from '../../../config/problem.js';
import { existingPath } from '../../../kernel/files/secret-file.js';
import { MASK } from '../../../kernel/redaction/secrets.js';
import { keyOfPem, type SigningAlgorithm, type UsableKey } from './key-material.js';

const SIGNING_KEY = 'app.security.token.signing-key';
const VERIFICATION_KEYS = 'app.security.token.verification-keys';

interface Values {
  readonly signingKey?: string | undefined;
  readonly verificationKeys: readonly string[];
  readonly algorithm: SigningAlgorithm;
}

/** Keys for access tokens that the configuration provides in place of the database. */
export class ConfiguredKeys {
  /** The signing key, which replaces those in the database. */
  readonly signs: UsableKey | undefined;
  /** All verification keys, the signing key first. */
  readonly all: readonly UsableKey[];

  /**
   * `originOf` returns the origin of a key.
   * @throws ConfigurationFailure with all PEM texts that cannot be used
   */
  constructor({ signingKey, verificationKeys, algorithm }: Values, originOf: (key: string) => string) {
    const problems: Problem[] = [];
    const read = (key: string, location: string): UsableKey | undefined => {
      const found = readKey(location);
      if (typeof found !== 'string') return found;
      problems.push(unusable(key, location, found, originOf(key)));
      return undefined;
    };
    this.signs = signingKey === undefined ? undefined : read(SIGNING_KEY, signingKey);
    const others = verificationKeys.flatMap((location) => read(VERIFICATION_KEYS, location) ?? []);
    this.all = this.signs ? [this.signs, ...others] : others;
    const unfit = this.signs && unfitness(this.signs, algorithm);
    if (unfit !== undefined) problems.push(unusable(SIGNING_KEY, signingKey ?? '', unfit, originOf(SIGNING_KEY)));
    if (problems.length > 0) throw new ConfigurationFailure(problems);
  }
}

function unfitness({ sign, algorithm }: UsableKey, wanted: SigningAlgorithm): string | undefined {
  if (!sign) return 'it is a public key, and signing needs a private one';
  return algorithm === wanted
    ? undefined
    : `it is a key for ${algorithm}, and app.security.token.algorithm is ${wanted}`;
}

/** The file that a location names; undefined for a PEM text. */
export function pemFile(location: string): string | undefined {
  return location.includes('-----BEGIN ') ? undefined : location.replace(/^file:(?:\/\/(?=\/))?/, '');
}

/** Returns the key, or the reason why it cannot be used. */
function readKey(location: string): UsableKey | string {
  try {
    const file = pemFile(location);
    return keyOfPem(file === undefined ? location : readFileSync(file, 'utf8'));
  } catch (error) {
    // System messages contain paths, and messages of the cryptography library its internals; the code is enough.
    const { code, message } = error as NodeJS.ErrnoException;
    return code === undefined ? message : `it cannot be read as a key in PEM form (${code})`;
  }
}

function unusable(key: string, location: string, reason: string, origin: string): Problem {
  const action = `Set ${key} to a PEM file or text: an EC key on P-256, an Ed25519 key, or an RSA key of 2048 bits or more.`;
  const file = pemFile(location);
  const File = file === undefined ? undefined : existingPath(file);
  return problem(`The key of ${key} cannot be used`, action, {
    ...{ Property: key, Value: `"${MASK}"`, File, Origin: origin, Reason: reason },
  });
}

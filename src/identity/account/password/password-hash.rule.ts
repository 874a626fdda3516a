import { Rule } from '../../../config/check/rule.js';
import { OWASP_ARGON2 } from './hash-strength.js';
import { HashProperties } from '../account.properties.js';

const KIBIBYTE = 1024;

/** Cheap password hashes are for tests and benches: production has at least the OWASP minimum. */
export const strongPasswordHashes = new Rule('security', (facts) => {
  if (!facts.activeProfiles.includes('prod')) return [];
  const { memory, iterations } = facts.get(HashProperties);
  const isStrong = OWASP_ARGON2.some(
    (minimum) => memory.bytes >= minimum.memoryKib * KIBIBYTE && iterations >= minimum.iterations,
  );
  if (isStrong) return [];
  const key = 'app.security.password.hash.memory';
  const what = `With ${iterations} iterations the memory of a password hash is below the OWASP minimum`;
  return [facts.about(key, { what, action: `Set ${key} to 19MB and iterations to 2, or to more.` })];
});

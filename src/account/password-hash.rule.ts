import type { Rule } from '../config/rule.js';
import { PasswordHashProperties } from './password-hash.properties.js';

const KIBIBYTE = 1024;
/** Memory in KiB and passes, each as strong as the others (OWASP Password Storage Cheat Sheet, Argon2id). */
const MINIMA = [
  { memoryKib: 47_104, iterations: 1 },
  { memoryKib: 19_456, iterations: 2 },
  { memoryKib: 12_288, iterations: 3 },
  { memoryKib: 9_216, iterations: 4 },
  { memoryKib: 7_168, iterations: 5 },
];

/** Cheap password hashes are for tests and benches: production has at least the OWASP minimum. */
export const strongPasswordHashes: Rule = (facts) => {
  if (!facts.activeProfiles.includes('prod')) return [];
  const { memory, iterations } = facts.get(PasswordHashProperties);
  const isStrong = MINIMA.some(
    (minimum) => memory.bytes >= minimum.memoryKib * KIBIBYTE && iterations >= minimum.iterations,
  );
  if (isStrong) return [];
  const key = 'app.security.password.hash.memory';
  const what = `With ${iterations} iterations the memory of a password hash is below the OWASP minimum`;
  return [facts.about(key, { rule: 'security', what, action: `Set ${key} to 19MB and iterations to 2, or to more.` })];
};

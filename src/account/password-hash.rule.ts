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
  const advice = `with ${iterations} iterations it is below the OWASP minimum; 19MB with 2 iterations is enough`;
  return isStrong ? [] : [facts.about('security', 'app.security.password.hash.memory', advice)];
};

import { runInNewContext } from 'node:vm';

/** Longer ones are nobody's question about keys. */
const MAX_PATTERN_LENGTH = 200;
/**
 * An expression that runs backwards through every way to fail would hold the whole process otherwise. Honest ones take
 * less than a millisecond; as long as this, everybody else waits.
 */
const LIMIT_MILLIS = 50;

/** Keys in which the expression matches anywhere; undefined for one that is no expression, too long or too slow. */
export function keysMatching(pattern: string, keys: readonly string[]): ReadonlySet<string> | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  try {
    const code = 'const expression = new RegExp(pattern); keys.filter((key) => expression.test(key))';
    return new Set(runInNewContext(code, { pattern, keys }, { timeout: LIMIT_MILLIS }) as readonly string[]);
  } catch {
    return undefined;
  }
}

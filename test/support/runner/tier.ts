import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** True in the tier `full`, which is the Vitest mode `full`. */
    readonly isFull: boolean;
  }
}

/**
 * The members of a family of tests that run: all in the tier `full`, otherwise those that represent the family, since all
 * members execute the same code. A family that no member represents is an error, because its tests would silently vanish.
 */
export function membersOf<Member>(
  family: readonly Member[],
  represents: (member: Member) => boolean,
  isFull = inject('isFull'),
): readonly Member[] {
  if (isFull) return family;
  const chosen = family.filter(represents);
  if (family.length > 0 && chosen.length === 0) throw new Error('no member represents this family of tests');
  return chosen;
}

/** How many times a test repeats its experiment: a few times, and as often as `inFull` in the tier `full`. */
export function roundsInTier(few: number, { inFull }: { readonly inFull: number }): number {
  return inject('isFull') ? inFull : few;
}

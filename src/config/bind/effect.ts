/**
 * Degree to which a key has the effect that its name promises (docs/reference/configuration): full, near, accepted with a
 * limited effect, or unused.
 */
type EffectLevel = 'F' | 'N' | 'A' | 'U';

export interface Effect {
  readonly level: EffectLevel;
  /** The difference from what the name promises; always present for A and U. */
  readonly note?: string;
  /** The value that describes what the service always does, so that setting it needs no warning. */
  readonly trueValue?: unknown;
}

export const full: Effect = { level: 'F' };

export function near(note: string): Effect {
  return { level: 'N', note };
}

export function acceptedOnly(note: string): Effect {
  return { level: 'A', note };
}

/** The value is read and checked, but never used; `note` gives the reason. */
export function noEffect(note: string): Effect {
  return { level: 'U', note };
}

/** One value describes what the service always does; every other value has no effect, for the reason in `note`. */
export function onlyValue(trueValue: unknown, note: string): Effect {
  return { level: 'U', note, trueValue };
}

/** True if an operator who sets the key needs a warning that it has little or no effect. */
export function needsWarning(effect: Effect): boolean {
  return effect.level === 'A' || effect.level === 'U';
}

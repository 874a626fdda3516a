/** How something is. */
export interface Health {
  /** `UP`, `DOWN`, `OUT_OF_SERVICE`, or a word of its own. */
  readonly status: string;
  /** What the status alone does not say. */
  readonly description?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Looks at one thing that the service needs. */
export interface HealthIndicator {
  /** As it stands in answers and keys, e.g. `diskSpace`. */
  readonly name: string;
  /** True for another system: a restart of this process would not end its outage. */
  readonly isExternal?: boolean;
  /** Longest time of a check, where it is not the usual one. */
  readonly limitMillis?: number;
  /** Details that every answer has, also where the check says nothing: what it looks at. */
  readonly subject?: Readonly<Record<string, unknown>>;
  /** What is thrown means `DOWN`; at `signal` nobody waits any more. */
  check(signal: AbortSignal): Health | Promise<Health>;
}

/** Several things under one name. */
export interface HealthComposite {
  readonly name: string;
  readonly parts: readonly HealthComponent[];
}

export type HealthComponent = HealthIndicator | HealthComposite;

export function isComposite(component: HealthComponent): component is HealthComposite {
  return 'parts' in component;
}

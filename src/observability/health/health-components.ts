/** The result of a check. */
export interface Health {
  /** `UP`, `DOWN`, `OUT_OF_SERVICE`, or a status of its own. */
  readonly status: string;
  readonly description?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Checks one thing that the service needs. */
export interface HealthIndicator {
  /** The name in responses and keys, e.g. `diskSpace`. */
  readonly name: string;
  /** True for another system: a restart of this process would not end its outage. */
  readonly isExternal?: boolean;
  /** The timeout of a check, if it is not the default. */
  readonly limitMillis?: number;
  /** Details that identify the checked resource; every response carries them, even after a timeout. */
  readonly subject?: Readonly<Record<string, unknown>>;
  /** An exception means `DOWN`; `signal` is aborted at the timeout. */
  check(signal: AbortSignal): Health | Promise<Health>;
}

/** Several components under one name. */
export interface HealthComposite {
  readonly name: string;
  readonly parts: readonly HealthComponent[];
}

export type HealthComponent = HealthIndicator | HealthComposite;

export function isComposite(component: HealthComponent): component is HealthComposite {
  return 'parts' in component;
}

/** The registry of health components: each indicator adds itself when it is created. */
export class HealthComponents {
  private readonly added: HealthComponent[] = [];

  /** Complete once all modules are initialised. */
  get all(): readonly HealthComponent[] {
    return this.added;
  }

  add(...components: readonly HealthComponent[]): void {
    this.added.push(...components);
  }
}

const declared = new Set<string>();

/**
 * Declares the name of a component beside the keys of its subject, so that configuration rules know it before the
 * service is built, whether or not the subject is configured.
 */
export function healthComponent(name: string): string {
  declared.add(name);
  return name;
}

/** Complete once all properties classes are loaded. */
export function declaredComponents(): readonly string[] {
  return [...declared];
}

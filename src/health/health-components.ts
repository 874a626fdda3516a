import type { HealthComponent } from './indicator.js';

/** Everything whose health can be asked for. */
export class HealthComponents {
  private readonly added: HealthComponent[] = [];

  /** Complete once all modules are made. */
  get all(): readonly HealthComponent[] {
    return this.added;
  }

  add(...components: readonly HealthComponent[]): void {
    this.added.push(...components);
  }
}

import { Injectable } from '@nestjs/common';
import {
  declaredComponents,
  type HealthComponent,
  HealthComponents,
} from '../../observability/health/health-components.js';
import { HealthSwitchProperties, SWITCH } from './health.properties.js';

/** Divides the registered components into enabled and disabled ones. */
@Injectable()
export class EnabledComponents {
  constructor(
    private readonly registered: HealthComponents,
    private readonly switches: HealthSwitchProperties,
  ) {}

  get all(): readonly HealthComponent[] {
    return this.registered.all.filter(({ name }) => this.isEnabled(name));
  }

  get disabled(): readonly HealthComponent[] {
    return this.registered.all.filter(({ name }) => !this.isEnabled(name));
  }

  /** Names of declared components whose subject is not configured. */
  get unconfigured(): readonly string[] {
    const names = this.registered.all.map(({ name }) => name);
    return declaredComponents().filter((name) => !names.includes(name));
  }

  /** A component without a switch, such as the state of the process, is always enabled. */
  private isEnabled(name: string): boolean {
    const { defaults } = this.switches;
    const key = SWITCH[name];
    return key === undefined || (this.switches[key] ?? defaults);
  }
}

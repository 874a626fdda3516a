import { Injectable } from '@nestjs/common';
import { Availability } from '../../health/availability.js';
import { declaredComponents } from '../../health/declared-components.js';
import { HealthComponents } from '../../health/health-components.js';
import type { HealthComponent } from '../../health/indicator.js';
import { DiskSpaceIndicator } from './disk-space.indicator.js';
import { HealthSwitchProperties, ProbesProperties, SWITCH } from './health.properties.js';
import { PING } from './ping.indicator.js';
import { stateIndicators } from './state.indicator.js';

/** The components that are switched on, and those that are not. */
@Injectable()
export class EnabledComponents {
  private readonly own: readonly HealthComponent[];

  constructor(
    private readonly added: HealthComponents,
    private readonly switches: HealthSwitchProperties,
    probes: ProbesProperties,
    availability: Availability,
  ) {
    const { diskspacePath, diskspaceThreshold } = switches;
    this.own = [
      PING,
      new DiskSpaceIndicator(diskspacePath, diskspaceThreshold.bytes),
      ...(probes.enabled ? stateIndicators(availability) : []),
    ];
  }

  get all(): readonly HealthComponent[] {
    return this.known.filter(({ name }) => this.isSwitchedOn(name));
  }

  get disabled(): readonly HealthComponent[] {
    return this.known.filter(({ name }) => !this.isSwitchedOn(name));
  }

  /** Names of components whose subject is not configured. */
  get unconfigured(): readonly string[] {
    const names = this.known.map(({ name }) => name);
    return declaredComponents().filter((name) => !names.includes(name));
  }

  private get known(): readonly HealthComponent[] {
    return [...this.own, ...this.added.all];
  }

  /** Those without a switch, such as the states of the process, are on. */
  private isSwitchedOn(name: string): boolean {
    const { defaults } = this.switches;
    const key = SWITCH[name];
    return key === undefined || (this.switches[key] ?? defaults);
  }
}

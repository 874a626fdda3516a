import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Configuration } from '../../config/configuration.js';
import { requestedKey } from '../../config/names/key-lookup.js';
import { KeyName } from '../../config/names/key-name.js';
import { isPackaged } from '../../config/read/origin.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { componentPaths, filterComponents } from './component-tree.js';
import { HealthEndpointProperties, ProbesProperties } from './health.properties.js';
import {
  activeGroups,
  type HealthGroup,
  healthGroups,
  type HealthScope,
  isInScope,
  isMember,
  LIVENESS,
  overallScope,
} from './health-scope.js';
import { EnabledComponents } from './enabled-components.service.js';

/** The overall health and the groups of the configuration. */
@Injectable()
export class HealthGroups implements OnModuleInit {
  readonly overall: HealthScope;
  private readonly byName: ReadonlyMap<string, HealthGroup>;

  constructor(
    properties: HealthEndpointProperties,
    probes: ProbesProperties,
    private readonly present: EnabledComponents,
    private readonly configuration: Configuration,
    private readonly loggers: Loggers,
  ) {
    this.overall = overallScope(properties);
    const configured = activeGroups(properties.group, probes, (name) => this.isPackaged(name));
    this.byName = healthGroups(properties, configured, probes);
  }

  /** Groups by name. */
  get all(): readonly HealthGroup[] {
    return [...this.byName.values()];
  }

  find(name: string): HealthGroup | undefined {
    return this.byName.get(name);
  }

  /** Logs members that have no effect; a configuration rule has rejected unknown ones (groups.rule.ts). */
  onModuleInit(): void {
    const log = this.loggers.get('management.health');
    for (const line of this.warnings()) log.warn(line);
    const unconfigured = this.present.unconfigured;
    for (const { name, membership } of this.all) {
      const missing = membership.include.filter((path) => unconfigured.includes(path));
      if (missing.length > 0) log.info(`The health group ${name} has no ${missing.join(', ')}: it is not configured`);
    }
  }

  /** True if the members of the group come from the packaged configuration. */
  private isPackaged(group: string): boolean {
    const { environment, registry } = this.configuration;
    const key = KeyName.parse(`management.endpoint.health.group.${group}.include`);
    const [assignment] = requestedKey(environment, registry, key)?.state.assignments ?? [];
    return assignment !== undefined && isPackaged(assignment.origin);
  }

  private warnings(): readonly string[] {
    const names = this.present.all.map(({ name }) => name);
    const off = componentPaths(this.present.disabled);
    return this.all.flatMap((group) => {
      const { name, membership } = group;
      const lines = names.includes(name)
        ? [`The health group ${name} hides the component of the same name at health/${name}`]
        : [];
      const missing = membership.include.filter((path) => off.includes(path));
      if (missing.length > 0) lines.push(`The health group ${name} omits ${missing.join(', ')}: disabled`);
      const external = this.externalMembers(group);
      if (external.length > 0) {
        lines.push(
          `The health group ${name} omits ${external.join(', ')}: a restart would not end the outage of another system`,
        );
      }
      return lines;
    });
  }

  /** Configured members of liveness that are external, and therefore excluded. */
  private externalMembers(group: HealthGroup): readonly string[] {
    if (group.name !== LIVENESS) return [];
    const external = filterComponents(
      this.present.all,
      (path, isExternal) => isMember(path, group.membership) && !isInScope(group, path, isExternal),
    );
    return componentPaths(external);
  }
}

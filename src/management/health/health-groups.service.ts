import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Configuration } from '../../config/configuration.js';
import { allStates } from '../../config/key-state.js';
import { isPackaged, type Origin, originText } from '../../config/origin.js';
import { ConfigurationFailure, type Problem, problem } from '../../config/problem.js';
import { Loggers } from '../../logging/loggers.js';
import { chosenFrom, pathsIn } from './component-tree.js';
import { HealthEndpointProperties } from './health-endpoint.properties.js';
import {
  type GroupSettings,
  groupsOf,
  type HealthGroup,
  type HealthScope,
  isPart,
  LIVENESS,
  PROBE_STATES,
  wholeOf,
} from './health-scope.js';
import { isMember, unknownIn } from './membership.js';
import { PresentComponents } from './present-components.service.js';
import { ProbesProperties } from './probes.properties.js';

const PREFIX = 'management.endpoint.health.group';

/** The views on health that the configuration makes. */
@Injectable()
export class HealthGroups implements OnModuleInit {
  readonly whole: HealthScope;
  private readonly byName: ReadonlyMap<string, HealthGroup>;

  constructor(
    private readonly properties: HealthEndpointProperties,
    probes: ProbesProperties,
    private readonly present: PresentComponents,
    private readonly configuration: Configuration,
    private readonly loggers: Loggers,
  ) {
    this.whole = wholeOf(properties);
    this.byName = groupsOf(properties, this.configured(probes), probes);
  }

  /** By name. */
  get all(): readonly HealthGroup[] {
    return [...this.byName.values()];
  }

  named(name: string): HealthGroup | undefined {
    return this.byName.get(name);
  }

  /** @throws ConfigurationFailure where a group cannot be what it is meant to be */
  onModuleInit(): void {
    const problems = [...(this.properties.validateGroupMembership ? this.unknownMembers() : []), ...this.sharedPaths()];
    if (problems.length > 0) throw new ConfigurationFailure(problems);
    const log = this.loggers.get('management.health');
    for (const line of this.notes()) log.warn(line);
  }

  /** Without the packaged groups of probes where there are no probes: who switched these off named no group. */
  private configured({ enabled }: ProbesProperties): ReadonlyMap<string, GroupSettings> {
    const { group } = this.properties;
    if (enabled) return group;
    const isLeftOut = (name: string, { include = [] }: GroupSettings): boolean => {
      if (!include.some((path) => PROBE_STATES.includes(path))) return false;
      const { origin } = this.assignmentOf(name, 'include');
      return origin !== undefined && isPackaged(origin);
    };
    return new Map([...group].filter(([name, settings]) => !isLeftOut(name, settings)));
  }

  private unknownMembers(): readonly Problem[] {
    const present = [...pathsIn(this.present.all)].sort();
    const known = [...present, ...pathsIn(this.present.switchedOff)];
    return this.all.flatMap(({ name, membership }) =>
      unknownIn(membership, known).map((unknown) => {
        const member = membership.include.includes(unknown) ? 'include' : 'exclude';
        return problem(
          `The health group "${name}" names the unknown component "${unknown}"`,
          `Correct ${PREFIX}.${name}.${member}, or set management.endpoint.health.validate-group-membership=false.`,
          {
            ...this.placeOf(name, member),
            Reason: `the components are ${present.join(', ')}`,
          },
        );
      }),
    );
  }

  private sharedPaths(): readonly Problem[] {
    const taken = this.all.flatMap((group) => group.additionalPaths.map((path) => ({ path, group })));
    const byPath = Map.groupBy(taken, ({ path }) => path);
    return Array.from(byPath.values(), (all) => all.map(({ group }) => group)).flatMap(([first, second]) =>
      !first || !second
        ? []
        : [
            problem(
              `The health groups "${first.name}" and "${second.name}" have the same additional path`,
              `Give one of them another ${PREFIX}.<name>.additional-path.`,
              this.placeOf(second.name, 'additional-path'),
            ),
          ],
    );
  }

  private placeOf(group: string, member: string): Readonly<Record<string, string>> {
    const { name, origin } = this.assignmentOf(group, member);
    return { Property: name, Origin: origin ? originText(origin) : 'default value' };
  }

  private assignmentOf(group: string, member: string): { readonly name: string; readonly origin: Origin | undefined } {
    const { environment, registry } = this.configuration;
    const usual = `${PREFIX}.${group}.${member}`;
    const keys = [usual, `${PREFIX}[${group}].${member}`];
    const state = allStates(environment, registry).find(({ name }) => keys.includes(name));
    return { name: state?.name ?? usual, origin: state?.assignments[0]?.origin };
  }

  private notes(): readonly string[] {
    const names = this.present.all.map(({ name }) => name);
    const off = pathsIn(this.present.switchedOff);
    return this.all.flatMap((group) => {
      const { name, membership } = group;
      const lines = names.includes(name)
        ? [`The health group ${name} hides the component of the same name at health/${name}`]
        : [];
      const missing = membership.include.filter((path) => off.includes(path));
      if (missing.length > 0) lines.push(`The health group ${name} goes without ${missing.join(', ')}: switched off`);
      const refused = this.refusedBy(group);
      if (refused.length > 0) {
        lines.push(`The health group ${name} goes without ${refused.join(', ')}: a restart ends no outage elsewhere`);
      }
      return lines;
    });
  }

  /** What the configuration asks liveness to look at, and it never does. */
  private refusedBy(group: HealthGroup): readonly string[] {
    if (group.name !== LIVENESS) return [];
    const refused = chosenFrom(
      this.present.all,
      (path, isExternal) => isMember(path, group.membership) && !isPart(group, path, isExternal),
    );
    return pathsIn(refused);
  }
}

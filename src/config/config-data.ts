import leven from 'leven';
import type { Document } from './document.js';
import { candidatesOf, exists, type Surroundings } from './config-file.js';
import { Environment, type Profiles } from './environment.js';
import { KeyName } from './key-name.js';
import type { KeyRegistry } from './key-registry.js';
import { type Location, type LocationGroup, parseGroup, parseLocations } from './location.js';
import { Mismatch } from './mismatch.js';
import { type Resource, resourceText } from './origin.js';
import { ConfigurationFailure, from, type Problem, problem } from './problem.js';
import { parseProfileExpression, type ProfileExpression } from './profile-expression.js';
import { chooseProfiles, definitionOf, one, unknownProfiles, valueOf } from './profiles.js';
import { evaluateSetting, stateOf } from './setting.js';
import { ConfigSource, type Entry } from './source.js';

/** Lowest first; locations of one group are read as one (configuration.md b.1). */
const DEFAULT_LOCATIONS: readonly LocationGroup[] = [
  parseGroup('optional:classpath:/;optional:classpath:/config/'),
  parseGroup('optional:file:./;optional:file:./config/;optional:file:./config/*/'),
];

const IMPORT = KeyName.parse('app.config.import');
const ON_PROFILE = KeyName.parse('app.config.activate.on-profile');
const ON_CLOUD = KeyName.parse('app.config.activate.on-cloud-platform');
const PROFILES = KeyName.parse('app.profiles');
/** Keys that choose profiles: not where profiles already chose. */
const CHOOSING = ['app.profiles.active', 'app.profiles.include', 'app.profiles.default', 'app.profiles.group'];

/** Somebody who imports: the two kinds of documents it brought, lowest first. */
class Importer {
  readonly plain: FileDocument[] = [];
  readonly ofProfiles: FileDocument[] = [];
  hasPlain = false;
  hasOfProfiles = false;
  private found: readonly LocationGroup[] | undefined;

  constructor(private readonly find: () => readonly LocationGroup[]) {}

  /** What is imported, decided once: the variants of a profile belong to the same files. */
  groups(): readonly LocationGroup[] {
    this.found ??= this.find();
    return this.found;
  }
}

/** One document of one file. */
class FileDocument {
  readonly importer: Importer;

  constructor(
    readonly source: ConfigSource,
    readonly conditions: readonly ProfileExpression[],
    readonly isOnThisPlatform: boolean,
    groups: () => readonly LocationGroup[],
  ) {
    this.importer = new Importer(groups);
  }

  /** Without profiles chosen yet, a document with a condition does not count. */
  isActive(profiles: ReadonlySet<string> | undefined): boolean {
    if (!this.isOnThisPlatform) return false;
    if (this.conditions.length === 0) return true;
    return profiles !== undefined && this.conditions.some(({ test }) => test(profiles));
  }
}

/**
 * Reads all configuration files there are, in two phases: first to learn the profiles, then with them
 * (configuration.md b.1 and b.4).
 */
export class ConfigData {
  private readonly roots: readonly Importer[];
  private readonly read = new Set<string>();
  private readonly knownProfiles = new Set<string>();
  private readonly problems: Problem[] = [];
  private readonly names: readonly string[];
  private profiles: Profiles | undefined;
  private readonly failsOnNotFound: boolean;

  constructor(
    private readonly processSources: readonly ConfigSource[],
    private readonly registry: KeyRegistry,
    private readonly surroundings: Surroundings,
  ) {
    const environment = new Environment(processSources);
    const ask = <T>(name: string): T | undefined => valueOf<T>(environment, one(environment, registry, name));
    this.names = ask<readonly string[]>('app.config.name') ?? ['application'];
    this.failsOnNotFound = ask('app.config.on-not-found') !== 'ignore';
    const located = (name: string): readonly LocationGroup[] | undefined => {
      const state = one(environment, registry, name);
      const text = valueOf<string>(environment, state);
      return text === undefined ? undefined : parseLocations(text, state.settings[0]?.origin);
    };
    const base = located('app.config.location') ?? DEFAULT_LOCATIONS;
    const additional = located('app.config.additional-location') ?? [];
    const imports = processSources.toReversed().flatMap((source) => this.importsOf(source, environment));
    this.roots = [...base, ...additional, ...imports].map((group) => new Importer(() => [group]));
  }

  /** Reads everything; what could not be read is told beside what could, for one report. */
  load(): { readonly environment: Environment; readonly problems: readonly Problem[] } {
    this.expand();
    const choice = chooseProfiles(this.environment(), this.registry);
    this.profiles = choice.profiles;
    this.expand();
    const unknown = unknownProfiles(choice, this.knownProfiles, (name) =>
      [...this.knownProfiles, ...choice.groups.keys()].find((known) => leven(known, name) <= 2),
    );
    return { environment: this.environment(), problems: [...this.problems, ...unknown] };
  }

  /** The sources as they stand, highest first. */
  private environment(): Environment {
    const documents = this.roots.flatMap((root) => active(root, acceptedOf(this.profiles))).reverse();
    return new Environment([...this.processSources, ...documents.map(({ source }) => source)], this.profiles);
  }

  /** Follows imports until nothing new turns up. */
  private expand(): void {
    const accepted = acceptedOf(this.profiles);
    const visit = (importer: Importer): void => {
      if (!importer.hasPlain) {
        importer.hasPlain = true;
        for (const group of this.collected(() => importer.groups())) {
          importer.plain.push(...this.readGroup(group, undefined));
        }
      }
      for (const document of importer.plain) if (document.isActive(accepted)) visit(document.importer);
      if (accepted && !importer.hasOfProfiles) {
        importer.hasOfProfiles = true;
        for (const group of this.collected(() => importer.groups())) {
          for (const profile of accepted) importer.ofProfiles.push(...this.readGroup(group, profile));
        }
      }
      for (const document of importer.ofProfiles) if (document.isActive(accepted)) visit(document.importer);
    };
    this.roots.forEach(visit);
  }

  /** Runs one piece of the reading; a failure is kept for the report, and the rest goes on. */
  private collected<T>(piece: () => readonly T[]): readonly T[] {
    try {
      return piece();
    } catch (error) {
      if (!(error instanceof ConfigurationFailure)) throw error;
      this.problems.push(...error.problems);
      return [];
    }
  }

  private readGroup(group: LocationGroup, profile: string | undefined): readonly FileDocument[] {
    return group.flatMap((location) => this.collected(() => this.readLocation(location, profile)));
  }

  private readLocation(location: Location, profile: string | undefined): readonly FileDocument[] {
    const isDemanded = profile === undefined && !location.isOptional && this.failsOnNotFound;
    if (isDemanded && !exists(location, this.surroundings)) throw new ConfigurationFailure([notFound(location)]);
    return candidatesOf(location, this.names, profile, this.surroundings).flatMap((candidate) => {
      if (this.read.has(candidate.id)) return [];
      return this.collected(() => {
        const documents = candidate.read(location.origin);
        if (!documents) return [];
        this.read.add(candidate.id);
        if (profile !== undefined) this.knownProfiles.add(profile);
        return documents.flatMap((entries, index) =>
          this.collected(() => [
            this.document(entries, candidate.resource, location, documents.length > 1 ? index : undefined, profile),
          ]),
        );
      });
    });
  }

  private document(
    entries: Document,
    resource: Resource,
    location: Location,
    index: number | undefined,
    profile: string | undefined,
  ): FileDocument {
    const number = index === undefined ? '' : ` (document #${index})`;
    const name = `Config resource '${resourceText(resource)}' via location '${location.text}'${number}`;
    const source = new ConfigSource('file', name, entries);
    const conditions = conditionsOf(source);
    for (const { names } of conditions) for (const known of names) this.knownProfiles.add(known);
    // Once profiles are chosen, a document that comes late cannot change the choice any more.
    const isChosenByProfile = profile !== undefined || this.profiles !== undefined || conditions.length > 0;
    this.problems.push(...this.misplaced(source, isChosenByProfile));
    return new FileDocument(source, conditions, this.isOnPlatform(source), () =>
      this.importsOf(source, this.environment()),
    );
  }

  /** Keys that must not stand in this document. */
  private misplaced(source: ConfigSource, isChosenByProfile: boolean): readonly Problem[] {
    return source.entries.flatMap((entry) => {
      const definition = this.registry.find(entry.key);
      if (entry.key.uniform === PROFILES.uniform) {
        return [illegal(entry, 'it is a section', 'Use app.profiles.active, set by the environment or an argument.')];
      }
      if (definition?.facts.fromProcessOnly) {
        return [illegal(entry, 'it is read before any file is', `Set ${definition.name} as an argument or an environment variable.`)];
      }
      if (isChosenByProfile && CHOOSING.some((name) => isAtOrBelow(entry.key, KeyName.parse(name)))) {
        return [
          illegal(
            entry,
            'the document itself counts only with certain profiles',
            `Move ${entry.spelled} to a document without profile, or better to the environment.`,
          ),
        ];
      }
      return [];
    });
  }

  private importsOf(source: ConfigSource, environment: Environment): readonly LocationGroup[] {
    const definition = definitionOf(this.registry, String(IMPORT));
    const alone = stateOf(new Environment([source]), definition);
    const [setting] = alone.settings;
    if (!setting) return [];
    const evaluation = evaluateSetting(environment, alone, setting);
    if (evaluation.kind === 'problem') throw new ConfigurationFailure([evaluation.problem]);
    if (evaluation.kind === 'unset') return [];
    const entries = Array.isArray(setting.content) ? (setting.content as readonly Entry[]) : [setting.content as Entry];
    return (evaluation.value as readonly string[])
      .map((text, index) => parseGroup(text, (entries[index] ?? entries[0])?.origin))
      .filter((group) => group.length > 0);
  }

  private isOnPlatform(source: ConfigSource): boolean {
    const wanted = elementsOf(source, ON_CLOUD);
    if (wanted.length === 0) return true;
    const { variables } = this.surroundings;
    const isKubernetes = Boolean(variables['KUBERNETES_SERVICE_HOST'] && variables['KUBERNETES_SERVICE_PORT']);
    return wanted.some(({ text }) => text.trim().toLowerCase() === (isKubernetes ? 'kubernetes' : 'none'));
  }
}

/** Lowest first: what an importer brought, and behind each document what that one imported. */
function active(importer: Importer, accepted: ReadonlySet<string> | undefined): readonly FileDocument[] {
  return [...importer.plain, ...importer.ofProfiles]
    .filter((document) => document.isActive(accepted))
    .flatMap((document) => [document, ...active(document.importer, accepted)]);
}

function acceptedOf(profiles: Profiles | undefined): ReadonlySet<string> | undefined {
  return profiles && new Set(profiles.active.length > 0 ? profiles.active : profiles.default);
}

/** A list of conditions is an OR. */
function conditionsOf(source: ConfigSource): readonly ProfileExpression[] {
  return elementsOf(source, ON_PROFILE).map(({ text, origin }) => {
    const expression = parseProfileExpression(text);
    if (!(expression instanceof Mismatch)) return expression;
    throw new ConfigurationFailure([
      problem(`The condition "${text}" is no profile expression`, 'Write names with !, & and |, and parentheses where & and | meet.', {
        Property: 'app.config.activate.on-profile',
        Value: `"${text}"`,
        Origin: from(origin),
        Reason: expression.reason,
      }),
    ]);
  });
}

function elementsOf(source: ConfigSource, key: KeyName): readonly Pick<Entry, 'text' | 'origin'>[] {
  const entry = source.find(key);
  if (!entry) return source.below(key);
  return entry.text
    .split(',')
    .filter((text) => text.trim() !== '')
    .map((text) => ({ text: text.trim(), origin: entry.origin }));
}

function isAtOrBelow(key: KeyName, ancestor: KeyName): boolean {
  return key.uniformFrom(0, ancestor.length) === ancestor.uniform;
}

function notFound(location: Location): Problem {
  return problem(
    `The location ${location.text} does not exist`,
    `Check ${location.text}, or write optional:${location.text} if it need not be there; app.config.on-not-found=ignore makes every place optional.`,
    { Property: 'app.config', Value: `"${location.text}"`, Origin: from(location.origin) },
  );
}

function illegal({ spelled, origin }: Entry, reason: string, action: string): Problem {
  return problem(`The key ${spelled} may not stand here`, action, { Property: spelled, Origin: from(origin), Reason: reason });
}

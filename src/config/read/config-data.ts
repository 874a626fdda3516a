import leven from 'leven';
import { type Candidate, candidatesOf, exists, profilesWithFiles, type ConfigContext } from './config-file.js';
import { Environment, type Profiles } from './environment.js';
import { FileDocument, Importer } from './file-document.js';
import { stateOfKey } from '../names/key-lookup.js';
import type { KeyRegistry } from '../names/key-registry.js';
import {
  unusableReason,
  type Location,
  type LocationGroup,
  notFound,
  parseGroup,
  parseLocations,
  unusable,
  withoutFiles,
  type ConfiguredText,
} from './location.js';
import { type Origin, resourceText } from './origin.js';
import { ConfigurationFailure, type Problem, unreadable } from '../problem.js';
import { chooseProfiles, unknownProfiles } from './profiles.js';
import { MASK } from '../../kernel/redaction/secrets.js';
import { evaluateAssignment, hasValue } from '../bind/evaluation.js';
import { ConfigSource, type Entry } from './source.js';
import { misplacedKeys } from './misplaced-keys.js';
import { Activation } from './activation.js';

/** The built-in locations, lowest first; those of one group are read as one (configuration-sources.md, "Precedence"). */
const DEFAULT_LOCATIONS: readonly LocationGroup[] = [
  parseGroup('optional:classpath:/;optional:classpath:/config/'),
  parseGroup('optional:file:./;optional:file:./config/;optional:file:./config/*/'),
];

/** Maximum length of a chain of imports, for the stack; longer ones are mistakes. */
const MAX_IMPORT_DEPTH = 100;

/**
 * Reads all configuration files there are, in two phases: first to learn the profiles, then with them
 * (configuration-sources.md, "Precedence" and "Files, profiles, imports").
 */
export class ConfigData {
  private readonly roots: readonly Importer[];
  /** Every file that was read, with the root that holds it; undefined if it could not be read. */
  private readonly holders = new Map<string, Importer | undefined>();
  private readonly knownProfiles = new Set<string>();
  private readonly problems: Problem[] = [];
  /** The configured locations that must exist, and whether a file was found there. */
  private readonly isFound = new Map<Location, boolean>();
  private readonly names: readonly string[];
  private readonly failsOnNotFound: boolean;
  private profiles: Profiles | undefined;

  constructor(
    private readonly processSources: readonly ConfigSource[],
    private readonly registry: KeyRegistry,
    private readonly context: ConfigContext,
  ) {
    const process = new Environment(processSources);
    const texts = (name: string): readonly ConfiguredText[] =>
      this.collectProblems(() => this.textsOf(processSources, name, process));
    const located = (name: string): readonly LocationGroup[] =>
      texts(`app.config.${name}`).flatMap((value) => parseLocations(value.text, value));
    const isSet = (name: string): boolean => hasValue(process, stateOfKey(process, registry, name));

    this.names = isSet('app.config.name') ? texts('app.config.name').map(({ text }) => text) : ['application'];
    this.failsOnNotFound = texts('app.config.on-not-found')[0]?.text !== 'ignore';
    const base = isSet('app.config.location') ? located('location') : DEFAULT_LOCATIONS;
    // The imports of the process are one importer: the variants of all of them rank above all of them.
    this.roots = [...[...base, ...located('additional-location')].map((group) => [group]), located('import')].map(
      (groups) => new Importer(() => groups),
    );
  }

  /** Reads everything; problems are collected for one report. */
  load(): {
    readonly environment: Environment;
    readonly problems: readonly Problem[];
    readonly warnings: readonly string[];
  } {
    this.expand();
    const [choice] = this.collectProblems(() => [chooseProfiles(this.environment(), this.registry)]);
    if (!choice) return { environment: this.environment(), problems: this.problems, warnings: [] };
    this.profiles = choice.profiles;
    this.expand();
    const unknown = unknownProfiles(choice, this.knownProfiles, (name) =>
      [...this.knownProfiles, ...choice.groups.keys(), ...profilesWithFiles(this.names, this.context)].find(
        (known) => leven(known, name) <= 2,
      ),
    );
    const empty = Array.from(this.isFound, ([location, isFound]) => (isFound ? [] : [withoutFiles(location)])).flat();
    return { environment: this.environment(), problems: [...this.problems, ...unknown], warnings: empty };
  }

  /** The sources read so far, highest first. */
  private environment(): Environment {
    const documents = this.roots.flatMap((root) => root.active(acceptedOf(this.profiles))).reverse();
    return new Environment([...this.processSources, ...documents.map(({ source }) => source)], this.profiles);
  }

  /**
   * Reads until there are no new files, highest first: a file with several importers belongs to the one with the highest
   * precedence. Files that no document imports come first, so that they can resolve the placeholders of imports.
   */
  private expand(): void {
    const accepted = acceptedOf(this.profiles);
    const roots = this.roots.toReversed();
    for (const root of roots) if (!root.isRead) root.storeEarly(this.readGroups(root.groups, [undefined], root));
    for (const root of roots) {
      for (let importer = root.next(accepted); importer; importer = root.next(accepted)) {
        const { groups, isRead } = importer;
        if (!accepted) importer.storeEarly(this.readGroups(groups, [undefined], root));
        else importer.storeLate(this.readGroups(groups, isRead ? [...accepted] : [undefined, ...accepted], root));
      }
    }
  }

  /** Reads the files of each group, and of each its variants for the profiles; `undefined` is the file itself. */
  private readGroups(
    groups: readonly LocationGroup[],
    profiles: readonly (string | undefined)[],
    root: Importer,
  ): readonly FileDocument[] {
    return highestFirst(groups, (group) =>
      highestFirst(profiles, (profile) =>
        highestFirst(group, (location) => this.collectProblems(() => this.readLocation(location, profile, root))),
      ),
    );
  }

  /** Runs one step of reading; a failure is collected for the report, and reading continues. */
  private collectProblems<T>(piece: () => readonly T[]): readonly T[] {
    try {
      return piece();
    } catch (error) {
      if (!(error instanceof ConfigurationFailure)) throw error;
      this.problems.push(...error.problems);
      return [];
    }
  }

  private readLocation(location: Location, profile: string | undefined, root: Importer): readonly FileDocument[] {
    const reason = unusableReason(location);
    if (reason !== undefined) throw new ConfigurationFailure([unusable(location, reason)]);
    const isRequired = profile === undefined && !location.isOptional && this.failsOnNotFound;
    if (isRequired && !exists(location, this.context)) throw new ConfigurationFailure([notFound(location)]);
    const candidates = candidatesOf(location, this.names, profile, this.context);
    if (location.key !== undefined && !location.isOptional && this.failsOnNotFound) {
      const isFound = this.isFound.get(location) === true || candidates.some((candidate) => candidate.exists());
      this.isFound.set(location, isFound);
    }
    return candidates.flatMap((candidate) =>
      this.collectProblems(() => this.readCandidate(candidate, location, profile, root)),
    );
  }

  private readCandidate(
    candidate: Candidate,
    location: Location,
    profile: string | undefined,
    root: Importer,
  ): readonly FileDocument[] {
    if (!candidate.exists()) return [];
    if (profile !== undefined) this.knownProfiles.add(profile);
    if (!this.claim(candidate, root)) return [];
    const documents = candidate.read(location.origin);
    this.holders.set(candidate.id, root);
    return documents.flatMap((entries, index) => {
      if (entries.length === 0) return [];
      const number = documents.length > 1 ? ` (document #${index})` : '';
      const place = `'${resourceText(candidate.resource)}' via location '${location.shown}'`;
      const source = new ConfigSource('file', `Config resource ${place}${number}`, entries);
      return this.collectProblems(() => [this.document(source, candidate.id, profile)]);
    });
  }

  /**
   * False if the file is read already. Before the profiles are known, a root that imports a file takes it from a lower
   * root, which was only read first to resolve placeholders.
   */
  private claim({ id }: Candidate, root: Importer): boolean {
    const holder = this.holders.get(id);
    const isLower = holder !== undefined && this.roots.indexOf(holder) < this.roots.indexOf(root);
    if (this.holders.has(id) && (this.profiles || !isLower)) return false;
    holder?.drop(id);
    // A file that cannot be read is reported once.
    this.holders.set(id, undefined);
    return true;
  }

  private document(source: ConfigSource, file: string, profile: string | undefined): FileDocument {
    const activation = new Activation(
      this.textsOf([source], 'app.config.activate.on-profile'),
      this.textsOf([source], 'app.config.activate.on-cloud-platform'),
      this.context.variables,
    );
    for (const known of activation.profileNames) this.knownProfiles.add(known);
    // Once profiles are chosen, a document that comes late cannot change the choice any more.
    const isChosenByProfile = profile !== undefined || this.profiles !== undefined || activation.dependsOnProfiles;
    this.problems.push(...misplacedKeys(source, this.registry, isChosenByProfile));
    const isImporting =
      stateOfKey(new Environment([source]), this.registry, 'app.config.import').assignments.length > 0;
    return new FileDocument(
      source,
      file,
      profile !== undefined,
      activation,
      isImporting ? new Importer(() => this.importsOf(source)) : undefined,
    );
  }

  private importsOf(source: ConfigSource): readonly LocationGroup[] {
    return this.collectProblems(() => {
      const texts = this.textsOf([source], 'app.config.import');
      const tooDeep = texts.find(({ origin }) => importDepth(origin) >= MAX_IMPORT_DEPTH);
      if (tooDeep) throw unreadable(tooDeep.origin, `more than ${MAX_IMPORT_DEPTH} files import each other in a row`);
      return texts.map((value) => parseGroup(value.text, value)).filter((group) => group.length > 0);
    });
  }

  /** Values of a key that reading itself needs, with placeholders resolved. */
  private textsOf(sources: readonly ConfigSource[], name: string, process?: Environment): readonly ConfiguredText[] {
    const state = stateOfKey(new Environment(sources), this.registry, name);
    const [assignment] = state.assignments;
    if (!assignment) return [];
    const evaluation = evaluateAssignment(process ?? this.environment(), state, assignment);
    if (evaluation.kind === 'problem') throw new ConfigurationFailure([evaluation.problem]);
    if (evaluation.kind !== 'value') return [];
    const entries = Array.isArray(assignment.content) ? (assignment.content as readonly Entry[]) : [];
    const values = (Array.isArray(evaluation.value) ? evaluation.value : [evaluation.value]) as readonly string[];
    const isSecret = evaluation.shown === MASK;
    return values.map((text, index) => {
      return { text, key: name, origin: entries[index]?.origin ?? assignment.origin, isSecret };
    });
  }
}

/** Processes the list from its end, which has the highest precedence, and keeps its order. */
function highestFirst<T, R>(items: readonly T[], piece: (item: T) => readonly R[]): readonly R[] {
  return items.toReversed().map(piece).reverse().flat();
}

function acceptedOf(profiles: Profiles | undefined): ReadonlySet<string> | undefined {
  return profiles && new Set(profiles.active.length > 0 ? profiles.active : profiles.default);
}

function importDepth(origin: Origin): number {
  let count = 0;
  for (let at: Origin | undefined = origin; at?.kind === 'position'; at = at.parent) count += 1;
  return count;
}

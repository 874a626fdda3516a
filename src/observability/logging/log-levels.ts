import { type Clock, SystemClock } from '../../kernel/clock/clock.js';
import { Duration } from '../../config/bind/duration.js';
import { withoutContext } from './log-context.js';
import type { Level } from './level.js';
import type { Logger } from './logger.js';
import { isRoot, type Loggers, ROOT } from './loggers.js';

/** Loggers whose level is set together. */
export interface LogGroup {
  readonly members: readonly string[];
  /** The level last set for all of them; undefined if none was set. */
  readonly configuredLevel: Level | undefined;
}

/** A change of a level: logger or group, level, operator and duration. */
export interface LevelChange {
  readonly name: string;
  /** Undefined removes the logger's own level, so that it inherits one. */
  readonly level: Level | undefined;
  readonly by: string;
  /** Duration in milliseconds; if undefined, the level lasts until the next change or the end of the process. */
  readonly forMillis?: number | undefined;
}

/** A changed level of one logger; `old` and `new` also name an inherited level. */
export interface LevelChanged {
  readonly logger: string;
  readonly old: string;
  readonly new: string;
}

/** Records who changed which level. The product provides it. */
export abstract class LevelAudit {
  /** Records the changes that took effect; never fails. */
  abstract record(changes: readonly LevelChanged[], by: string, reason?: string): Promise<void>;
}

/** Levels and groups of the configuration. */
export interface ConfiguredLevels {
  /** Levels by the name of a logger or group. */
  readonly levels?: ReadonlyMap<string, Level>;
  /** Members by the name of a group, in addition to the built-in groups. */
  readonly groups?: ReadonlyMap<string, readonly string[]>;
}

/** Maximum number of loggers that requests may create. */
const MAX_CREATED_LOGGERS = 1000;
/** Interval at which temporary levels are checked for expiry. */
const CHECK_INTERVAL_MILLIS = 1000;
const BUILT_IN: Readonly<Record<string, readonly string[]>> = { web: ['http'], sql: ['orm.sql', 'mapper'] };

/** A level that is restored at `until`, in milliseconds since 1970. */
interface TemporaryLevel {
  readonly before: Level | undefined;
  readonly until: number;
  /** `until` on the monotonic clock, in case the clock of the machine is set back. */
  readonly steadyUntil: number;
}

interface Group {
  readonly members: readonly string[];
  level: Level | undefined;
}

/** The levels of loggers and groups: the configured ones, and those that operators set at run time. */
export class LogLevels {
  private readonly groups = new Map<string, Group>();
  private readonly temporaryOfLoggers = new Map<string, TemporaryLevel>();
  private readonly temporaryOfGroups = new Map<string, TemporaryLevel>();
  private readonly rootLevel: Level;
  private readonly log: Logger;
  private created = 0;
  private timer: NodeJS.Timeout | undefined;
  private reportEnd: (changed: LevelChanged) => void = () => undefined;

  constructor(
    private readonly loggers: Loggers,
    { levels = new Map<string, Level>(), groups = new Map<string, readonly string[]>() }: ConfiguredLevels = {},
    private readonly clock: Clock = new SystemClock(),
  ) {
    this.log = loggers.get('management');
    for (const [name, members] of [...Object.entries(BUILT_IN), ...groups]) {
      const level = levels.get(name);
      this.groups.set(name, { members, level });
      for (const member of members) loggers.get(member);
    }
    // The level of a logger takes precedence over that of its group.
    for (const { members, level } of this.groups.values()) {
      if (level !== undefined) for (const member of members) loggers.setLevel(member, level);
    }
    for (const [name, level] of levels) if (!this.groups.has(name)) loggers.setLevel(name, level);
    this.rootLevel = loggers.get(ROOT).effectiveLevel;
  }

  /** All groups, sorted by name. */
  get allGroups(): readonly (readonly [string, LogGroup])[] {
    return [...this.groups]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, { members, level }]) => [name, { members, configuredLevel: level }]);
  }

  group(name: string): LogGroup | undefined {
    const group = this.groups.get(name);
    return group && { members: group.members, configuredLevel: group.level };
  }

  /** Registers the listener for temporary levels that expire. */
  onEnd(report: (changed: LevelChanged) => void): void {
    this.reportEnd = report;
  }

  /**
   * Changes a level from the next line on. Returns the affected loggers, or undefined if the logger is new and requests
   * have created as many as they may.
   */
  change({ name, level, by, forMillis }: LevelChange): readonly LevelChanged[] | undefined {
    const group = this.groups.get(name);
    if (!group && !this.loggers.find(name)) {
      if (this.created >= MAX_CREATED_LOGGERS) return undefined;
      this.created += 1;
    }
    const cause = forMillis === undefined ? `by ${by}` : `by ${by} for ${Duration.ofMillis(forMillis).toString()}`;
    if (group) {
      this.setTemporarily(this.temporaryOfGroups, name, group.level, forMillis);
      group.level = level;
    }
    return (group?.members ?? [isRoot(name) ? ROOT : name]).map((member) => {
      this.setTemporarily(this.temporaryOfLoggers, member, this.loggers.get(member).configuredLevel, forMillis);
      return this.set(member, level, cause);
    });
  }

  /** Replaces an earlier temporary level; at the end, the level before the first of them is restored. */
  private setTemporarily(
    temporary: Map<string, TemporaryLevel>,
    name: string,
    present: Level | undefined,
    forMillis: number | undefined,
  ): void {
    const before = temporary.has(name) ? temporary.get(name)?.before : present;
    temporary.delete(name);
    if (forMillis === undefined) return;
    const until = this.clock.millis() + forMillis;
    temporary.set(name, { before, until, steadyUntil: performance.now() + forMillis });
    // The level expires outside the request that set it.
    this.timer ??= withoutContext(() =>
      setInterval(() => {
        this.restoreExpired();
      }, CHECK_INTERVAL_MILLIS).unref(),
    );
  }

  private restoreExpired(): void {
    for (const [name, expiring] of this.temporaryOfGroups) {
      if (!this.isExpired(expiring)) continue;
      this.temporaryOfGroups.delete(name);
      const group = this.groups.get(name);
      if (group) group.level = expiring.before;
    }
    for (const [name, expiring] of this.temporaryOfLoggers) {
      if (!this.isExpired(expiring)) continue;
      this.temporaryOfLoggers.delete(name);
      this.reportEnd(this.set(name, expiring.before, 'because its duration has expired'));
    }
    if (this.temporaryOfGroups.size + this.temporaryOfLoggers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private isExpired({ until, steadyUntil }: TemporaryLevel): boolean {
    return this.clock.millis() >= until || performance.now() >= steadyUntil;
  }

  private set(name: string, level: Level | undefined, cause: string): LevelChanged {
    const logger = this.loggers.get(name);
    const own = level ?? (logger.name === ROOT ? this.rootLevel : undefined);
    const shown = (each: Level | undefined): string => each ?? `${this.loggers.inherited(name)} (inherited)`;
    const [before, after] = [shown(logger.configuredLevel), shown(own)];
    const what = before === after ? `stays ${after}` : `changes from ${before} to ${after}`;
    this.loggers.setLevel(name, own);
    this.log.always('WARN', `The level of logger ${logger.name} ${what}, ${cause}`);
    return { logger: logger.name, old: before, new: after };
  }
}

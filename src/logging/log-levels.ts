import { type Clock, SystemClock } from '../clock/clock.js';
import { Duration } from '../config/bind/duration.js';
import { withoutRequestContext } from '../principal/request-context.js';
import type { Level } from './level.js';
import type { Logger } from './logger.js';
import { isRoot, type Loggers, ROOT } from './loggers.js';

/** Loggers whose level is set together. */
export interface LogGroup {
  readonly members: readonly string[];
  /** The level last set for all of them; undefined where none was. */
  readonly configuredLevel: Level | undefined;
}

/** What to set, whom to name in the log, and for how long. */
export interface LevelChange {
  readonly name: string;
  /** Undefined takes its own level from a logger. */
  readonly level: Level | undefined;
  readonly by: string;
  /** Undefined lasts until the next change or the end of the process. */
  readonly forMillis?: number | undefined;
}

/** What became of the level of one logger; `old` and `new` also tell an inherited level. */
export interface LevelChanged {
  readonly logger: string;
  readonly old: string;
  readonly new: string;
}

/** Levels as the configuration sets them. */
export interface ConfiguredLevels {
  /** By the name of a logger or group. */
  readonly levels?: ReadonlyMap<string, Level>;
  /** Over those that there are in any case. */
  readonly groups?: ReadonlyMap<string, readonly string[]>;
}

/** Loggers that requests have made, at most. */
export const MOST_CREATED = 1000;
/** How often is looked whether a level has had its time. */
const LOOK_MILLIS = 1000;
const BUILT_IN: Readonly<Record<string, readonly string[]>> = { web: ['http'], sql: ['orm.sql', 'mapper'] };

/** A level that goes back by itself at `until`, in milliseconds since 1970. */
interface Loan {
  readonly before: Level | undefined;
  readonly until: number;
  /** The same on the clock of `performance.now`, for a machine whose clock is set back. */
  readonly steadyUntil: number;
}

interface Group {
  readonly members: readonly string[];
  level: Level | undefined;
}

/** The levels of loggers and their groups: those of the start, and what operators change. */
export class LogLevels {
  private readonly groups = new Map<string, Group>();
  private readonly loansOfLoggers = new Map<string, Loan>();
  private readonly loansOfGroups = new Map<string, Loan>();
  private readonly rootLevel: Level;
  private readonly log: Logger;
  private created = 0;
  private timer: NodeJS.Timeout | undefined;
  private tellEnd: (changed: LevelChanged) => void = () => undefined;

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
    // What is said of a logger itself beats what is said of its group.
    for (const { members, level } of this.groups.values()) {
      if (level !== undefined) for (const member of members) loggers.setLevel(member, level);
    }
    for (const [name, level] of levels) if (!this.groups.has(name)) loggers.setLevel(name, level);
    this.rootLevel = loggers.get(ROOT).effectiveLevel;
  }

  /** By name, sorted. */
  get allGroups(): readonly (readonly [string, LogGroup])[] {
    return [...this.groups]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, { members, level }]) => [name, { members, configuredLevel: level }]);
  }

  group(name: string): LogGroup | undefined {
    const group = this.groups.get(name);
    return group && { members: group.members, configuredLevel: group.level };
  }

  /** Sets who is told when a level goes back because its time is over. */
  onEnd(tell: (changed: LevelChanged) => void): void {
    this.tellEnd = tell;
  }

  /**
   * From the next line on. Answers the loggers concerned, or undefined where the logger would be one too many of those
   * that requests have made.
   */
  change({ name, level, by, forMillis }: LevelChange): readonly LevelChanged[] | undefined {
    const group = this.groups.get(name);
    if (!group && !this.loggers.find(name)) {
      if (this.created >= MOST_CREATED) return undefined;
      this.created += 1;
    }
    const how = forMillis === undefined ? `by ${by}` : `by ${by} for ${Duration.ofMillis(forMillis).toString()}`;
    if (group) {
      this.lend(this.loansOfGroups, name, group.level, forMillis);
      group.level = level;
    }
    return (group?.members ?? [isRoot(name) ? ROOT : name]).map((member) => {
      this.lend(this.loansOfLoggers, member, this.loggers.get(member).configuredLevel, forMillis);
      return this.set(member, level, how);
    });
  }

  /** Any change ends what was lent before; of a loan upon a loan, what was before the first one comes back. */
  private lend(
    loans: Map<string, Loan>,
    name: string,
    present: Level | undefined,
    forMillis: number | undefined,
  ): void {
    const before = loans.has(name) ? loans.get(name)?.before : present;
    loans.delete(name);
    if (forMillis === undefined) return;
    const until = this.clock.millis() + forMillis;
    loans.set(name, { before, until, steadyUntil: performance.now() + forMillis });
    // The end of a loan is no part of the request that began it.
    this.timer ??= withoutRequestContext(() =>
      setInterval(() => {
        this.endLoans();
      }, LOOK_MILLIS).unref(),
    );
  }

  private endLoans(): void {
    for (const [name, loan] of this.loansOfGroups) {
      if (!this.isOver(loan)) continue;
      this.loansOfGroups.delete(name);
      const group = this.groups.get(name);
      if (group) group.level = loan.before;
    }
    for (const [name, loan] of this.loansOfLoggers) {
      if (!this.isOver(loan)) continue;
      this.loansOfLoggers.delete(name);
      this.tellEnd(this.set(name, loan.before, 'by itself, as its time is over'));
    }
    if (this.loansOfGroups.size + this.loansOfLoggers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private isOver({ until, steadyUntil }: Loan): boolean {
    return this.clock.millis() >= until || performance.now() >= steadyUntil;
  }

  private set(name: string, level: Level | undefined, how: string): LevelChanged {
    const logger = this.loggers.get(name);
    const own = level ?? (logger.name === ROOT ? this.rootLevel : undefined);
    const shown = (each: Level | undefined): string => each ?? `${this.loggers.inherited(name)} (inherited)`;
    const [before, after] = [shown(logger.configuredLevel), shown(own)];
    const what = before === after ? `stays ${after}` : `changes from ${before} to ${after}`;
    this.loggers.setLevel(name, own);
    this.log.always('WARN', `The level of logger ${logger.name} ${what}, ${how}`);
    return { logger: logger.name, old: before, new: after };
  }
}

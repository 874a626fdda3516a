import type { Family, MeterKind } from '../../metrics/family.js';
import type { Statistic } from '../../metrics/meter.js';

/** One family of the exposition; a family of ours can be two of them. */
export interface ExposedFamily {
  /** In OpenMetrics, and what the names of samples begin with. */
  readonly name: string;
  /** In the text format, where the family of a counter has the name of its samples. */
  readonly textName: string;
  /** Undefined where Prometheus knows no type for it. */
  readonly type: 'counter' | 'gauge' | 'summary' | 'histogram' | undefined;
  readonly help: string;
  /** What the name of a sample ends in, by what it says. */
  readonly suffixes: Partial<Record<Statistic, string>>;
  /** Names that nobody else may have: its own and those of its samples. */
  readonly allNames: readonly string[];
  /** Names by which a reader may ask for it. */
  readonly calledNames: readonly string[];
}

interface Part {
  readonly suffix: string;
  readonly type: ExposedFamily['type'];
  readonly suffixes: ExposedFamily['suffixes'];
}

const ADDED_UP: Part['suffixes'] = { COUNT: '_count', TOTAL: '_sum', TOTAL_TIME: '_sum' };
const LARGEST: Part = { suffix: '_max', type: 'gauge', suffixes: { MAX: '' } };

/**
 * How many tasks go on, and for how long, can fall, so it is no summary; and only a summary may have names that end in
 * `_count` and `_sum`, unless no type is told.
 */
const LONG_TASKS: readonly Part[] = [
  { suffix: '_active_count', type: undefined, suffixes: { ACTIVE_TASKS: '' } },
  { suffix: '_duration_sum', type: undefined, suffixes: { DURATION: '' } },
];

const PARTS: Readonly<Record<MeterKind, readonly Part[]>> = {
  counter: [{ suffix: '', type: 'counter', suffixes: { COUNT: '_total' } }],
  gauge: [{ suffix: '', type: 'gauge', suffixes: { VALUE: '' } }],
  timer: [{ suffix: '', type: 'summary', suffixes: ADDED_UP }, LARGEST],
  summary: [{ suffix: '', type: 'summary', suffixes: ADDED_UP }, LARGEST],
  'long-task-timer': LONG_TASKS,
};

/** What the exposition makes of a family: dots become `_`, and the unit comes behind (management API, "prometheus"). */
export function exposedFamilies({ name, kind, facts, hasBuckets }: Family): readonly ExposedFamily[] {
  const base = baseName(name, facts.baseUnit, kind);
  return PARTS[kind].map(({ suffix, type, suffixes }) => {
    const own = `${base}${suffix}`;
    const shown = type === 'summary' && hasBuckets ? 'histogram' : type;
    const samples = [...Object.values(suffixes), ...(shown === 'histogram' ? ['_bucket'] : [])];
    const names = [...new Set([own, ...samples.map((sample) => `${own}${sample}`)])];
    return {
      name: own,
      textName: type === 'counter' ? `${own}_total` : own,
      type: shown,
      // Prometheus wants a word on each; the name by which the metrics endpoint knows it is one.
      help: facts.description ?? name,
      suffixes,
      allNames: names,
      calledNames: type === 'counter' ? names : [own],
    };
  });
}

/** Characters that Prometheus does not take become `_`; a digit cannot be the first. */
export function labelName(tag: string): string {
  return plain(tag);
}

function baseName(name: string, unit: string | undefined, kind: MeterKind): string {
  const base = kind === 'counter' ? plain(name).replace(/_total$/, '') : plain(name);
  const ending = unit === undefined ? '' : `_${plain(unit)}`;
  return base.endsWith(ending) ? base : `${base}${ending}`;
}

function plain(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=\d)/, '_');
}

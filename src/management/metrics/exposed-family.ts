import type { Family, MeterKind } from '../../observability/metrics/family.js';
import type { Statistic } from '../../observability/metrics/meter.js';

/** One family of the exposition; a family of meters can result in two. */
export interface ExposedFamily {
  /** Name in OpenMetrics and prefix of the names of samples. */
  readonly name: string;
  /** Name in the text format, in which the family of a counter has the name of its samples. */
  readonly textName: string;
  /** Undefined if Prometheus has no type for it. */
  readonly type: 'counter' | 'gauge' | 'summary' | 'histogram' | undefined;
  readonly help: string;
  /** Suffix of the name of a sample by its statistic. */
  readonly suffixes: Partial<Record<Statistic, string>>;
  /** Names that no other family may have: its own and those of its samples. */
  readonly allNames: readonly string[];
  /** Names by which a caller may request it. */
  readonly requestNames: readonly string[];
}

interface Part {
  readonly suffix: string;
  readonly type: 'counter' | 'gauge' | 'summary';
  readonly suffixes: ExposedFamily['suffixes'];
}

const TOTALS: Part['suffixes'] = { COUNT: '_count', TOTAL: '_sum', TOTAL_TIME: '_sum' };
const MAXIMUM: Part = { suffix: '_max', type: 'gauge', suffixes: { MAX: '' } };

/** Endings that Prometheus keeps for samples of other types: a gauge of such a name has no type. */
const RESERVED_SUFFIX = /_(?:count|sum|bucket|total)$/;

const PARTS: Readonly<Record<MeterKind, readonly Part[]>> = {
  counter: [{ suffix: '', type: 'counter', suffixes: { COUNT: '_total' } }],
  gauge: [{ suffix: '', type: 'gauge', suffixes: { VALUE: '' } }],
  timer: [{ suffix: '', type: 'summary', suffixes: TOTALS }, MAXIMUM],
  summary: [{ suffix: '', type: 'summary', suffixes: TOTALS }, MAXIMUM],
  // Like Micrometer since 1.13: both numbers are current values and can decrease.
  'long-task-timer': [{ suffix: '', type: 'summary', suffixes: { ACTIVE_TASKS: '_count', DURATION: '_sum' } }, MAXIMUM],
};

/** Converts a family for the exposition: dots become `_`, and the unit is appended (management API, "prometheus"). */
export function exposedFamilies({ name, kind, facts, hasBuckets }: Family): readonly ExposedFamily[] {
  const base = baseName(name, facts.baseUnit, kind);
  return PARTS[kind].map(({ suffix, type, suffixes }) => {
    const own = `${base}${suffix}`;
    const shown = shownType(type, own, hasBuckets);
    const samples = [...Object.values(suffixes), ...(shown === 'histogram' ? ['_bucket'] : [])];
    const names = [...new Set([own, ...samples.map((sample) => `${own}${sample}`)])];
    return {
      name: own,
      textName: type === 'counter' ? `${own}_total` : own,
      type: shown,
      // Prometheus expects a help text; the name in the metrics endpoint is the default.
      help: facts.description ?? name,
      suffixes,
      allNames: names,
      requestNames: type === 'counter' ? names : [own],
    };
  });
}

function shownType(type: Part['type'], name: string, hasBuckets: boolean): ExposedFamily['type'] {
  if (type === 'summary') return hasBuckets ? 'histogram' : 'summary';
  return type === 'gauge' && RESERVED_SUFFIX.test(name) ? undefined : type;
}

/** Characters that Prometheus does not take become `_`; a digit cannot be the first. */
export function plainName(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=\d)/, '_');
}

function baseName(name: string, unit: string | undefined, kind: MeterKind): string {
  const base = kind === 'counter' ? plainName(name).replace(/_total$/, '') : plainName(name);
  const ending = unit === undefined ? '' : `_${plainName(unit)}`;
  return base.endsWith(ending) ? base : `${base}${ending}`;
}

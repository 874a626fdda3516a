import type { Family, Series } from '../../observability/metrics/family.js';
import type { Statistic } from '../../observability/metrics/meter.js';

/** A tag with the value that a series must have to count. */
export type TagFilter = readonly [tag: string, value: string];

/** The merged series of a family (management API, "metrics"). */
export interface MetricView {
  readonly name: string;
  readonly description?: string;
  readonly baseUnit?: string;
  readonly measurements: readonly { readonly statistic: Statistic; readonly value: number }[];
  readonly availableTags: readonly { readonly tag: string; readonly values: readonly string[] }[];
}

/** Splits `key:value` at the first colon; the value may contain colons and commas. Undefined without a colon. */
export function parseTag(text: string): TagFilter | undefined {
  const at = text.indexOf(':');
  return at < 0 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}

/** Merges the series with all of the tags; undefined if there are none. */
export function drillDown({ name, facts, series }: Family, wanted: readonly TagFilter[]): MetricView | undefined {
  const fitting = series.filter(({ tags }) => wanted.every(([tag, value]) => tags[tag] === value));
  if (fitting.length === 0) return undefined;
  const used = new Set(wanted.map(([tag]) => tag));
  return { name, ...facts, measurements: merged(fitting), availableTags: tagsOf(fitting, used) };
}

/** Omits unknown numbers, which JSON cannot represent. */
function merged(series: readonly Series[]): MetricView['measurements'] {
  const values = new Map<Statistic, number>();
  for (const { statistic, value } of series.flatMap(({ meter }) => meter.measure())) {
    if (!Number.isFinite(value)) continue;
    const known = values.get(statistic);
    if (known === undefined) values.set(statistic, value);
    else values.set(statistic, statistic === 'MAX' ? Math.max(known, value) : known + value);
  }
  return [...values].map(([statistic, value]) => ({ statistic, value }));
}

function tagsOf(series: readonly Series[], used: ReadonlySet<string>): MetricView['availableTags'] {
  const values = new Map<string, Set<string>>();
  for (const [tag, value] of series.flatMap(({ tags }) => Object.entries(tags))) {
    if (used.has(tag)) continue;
    const known = values.get(tag) ?? new Set();
    values.set(tag, known.add(value));
  }
  return [...values].map(([tag, known]) => ({ tag, values: [...known] }));
}

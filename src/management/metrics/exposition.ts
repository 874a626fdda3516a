import type { Family, Series, Tags } from '../../observability/metrics/family.js';
import { type HistogramBucket, Summary } from '../../observability/metrics/meter.js';
import { type ExposedFamily, exposedFamilies, plainName } from './exposed-family.js';

/** Prometheus' own text format 0.0.4, or OpenMetrics 1.0.0. */
export type ExpositionFormat = 'text' | 'openmetrics';

/**
 * Writes families in a format of Prometheus (management API, "prometheus"). If names are given, writes only the families
 * of the output with these names.
 */
export function exposition(
  families: Iterable<Family>,
  format: ExpositionFormat,
  names: ReadonlySet<string> = new Set(),
): string {
  const isOpenMetrics = format === 'openmetrics';
  const lines: string[] = [];
  const taken = new Set<string>();
  for (const family of families) {
    const { series } = family;
    const exposed = exposedFamilies(family);
    if (series.length === 0) continue;
    // Two families with the same name would make the whole response invalid, so the first one keeps the name.
    const own = exposed.flatMap(({ allNames }) => allNames);
    if (own.some((name) => taken.has(name))) continue;
    for (const name of own) taken.add(name);
    for (const part of exposed) {
      if (names.size === 0 || part.requestNames.some((name) => names.has(name)))
        write(lines, part, series, isOpenMetrics);
    }
  }
  if (isOpenMetrics) lines.push('# EOF');
  return lines.map((line) => `${line}\n`).join('');
}

function write(lines: string[], part: ExposedFamily, series: readonly Series[], isOpenMetrics: boolean): void {
  const { help, type } = part;
  const name = isOpenMetrics ? part.name : part.textName;
  const noType = isOpenMetrics ? 'unknown' : 'untyped';
  lines.push(`# HELP ${name} ${escaped(help, isOpenMetrics)}`, `# TYPE ${name} ${type ?? noType}`);
  for (const { tags, meter } of series) {
    const labels = labelsOf(tags);
    const measured = meter.measure();
    const buckets = type === 'histogram' && meter instanceof Summary ? meter.buckets : [];
    if (buckets.length > 0) {
      const count = measured.find(({ statistic }) => statistic === 'COUNT')?.value ?? 0;
      lines.push(...bucketLines(part.name, labels, [...buckets, { upTo: Infinity, count }]));
    }
    // OpenMetrics has no sum that can fall, and buckets without a sum have no count either.
    const hasNoSum = isOpenMetrics && (buckets[0]?.upTo ?? 0) < 0;
    for (const { statistic, value } of measured) {
      const suffix = part.suffixes[statistic];
      if (suffix === undefined || (hasNoSum && suffix !== '') || (isOpenMetrics && suffix === '_sum' && value < 0))
        continue;
      lines.push(sample(`${part.name}${suffix}`, labels, value));
    }
  }
}

function bucketLines(name: string, labels: readonly string[], buckets: readonly HistogramBucket[]): readonly string[] {
  return buckets.map(({ upTo, count }) => {
    // OpenMetrics requires 1.0, and the text format accepts it: the same spelling keeps one series.
    const bound = Number.isInteger(upTo) ? upTo.toFixed(1) : written(upTo);
    return sample(`${name}_bucket`, [...labels, `le="${bound}"`], count);
  });
}

function sample(name: string, labels: readonly string[], value: number): string {
  return `${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`} ${written(value)}`;
}

function written(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

/** Writes labels sorted by name; of two tags with the same label name, the first is used. */
function labelsOf(tags: Tags): readonly string[] {
  const labels = new Map<string, string>();
  for (const [tag, value] of Object.entries(tags)) {
    const name = plainName(tag);
    if (!labels.has(name)) labels.set(name, escaped(value, true));
  }
  return [...labels].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, value]) => `${name}="${value}"`);
}

/** Escapes a text for a label or help. NUL is replaced, because it ends the input of one parser. */
function escaped(text: string, withQuotes: boolean): string {
  const lines = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\u0000', '\ufffd');
  return withQuotes ? lines.replaceAll('"', '\\"') : lines;
}

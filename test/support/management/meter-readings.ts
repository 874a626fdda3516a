import type { Statistic } from '../../../src/observability/metrics/meter.js';
import type { Meters } from '../../../src/observability/metrics/meters.js';

/** Current values of all series of a meter, by their tag values joined with spaces. */
export function readings(
  meters: Meters,
  name: string,
  statistic: Statistic = 'COUNT',
): Readonly<Record<string, number>> {
  const family = [...meters.families].find((each) => each.name === name);
  const all = [...(family?.series ?? [])].map(({ tags, meter }): [string, number] => {
    const measured = meter.measure().find((each) => each.statistic === statistic);
    return [Object.values(tags).join(' '), measured?.value ?? NaN];
  });
  return Object.fromEntries(all);
}

/** Differences of the series of `readings` that changed since `before`. */
export function rises(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const changed = Object.entries(after).map(([tags, value]): [string, number] => [tags, value - (before[tags] ?? 0)]);
  return Object.fromEntries(changed.filter(([, by]) => by !== 0));
}

/** Value of a meter without tags; a gauge by default. */
export function reading(meters: Meters, name: string, statistic: Statistic = 'VALUE'): number | undefined {
  return readings(meters, name, statistic)[''];
}

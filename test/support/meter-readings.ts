import type { Statistic } from '../../src/metrics/meter.js';
import type { Meters } from '../../src/metrics/meters.js';

/** What every series of a name says now, by the values of its tags with a space between them; empty for no tags. */
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

/** The series of `readings` that have changed from `before` on, and by how much. */
export function rises(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const changed = Object.entries(after).map(([tags, value]): [string, number] => [tags, value - (before[tags] ?? 0)]);
  return Object.fromEntries(changed.filter(([, by]) => by !== 0));
}

/** What a name without tags says; a gauge by default. */
export function reading(meters: Meters, name: string, statistic: Statistic = 'VALUE'): number | undefined {
  return readings(meters, name, statistic)[''];
}

import { ConversionProblem } from '../problem.js';

const MILLIS_PER_UNIT = { ns: 1e-6, us: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export type DurationUnit = keyof typeof MILLIS_PER_UNIT;

const SIMPLE = /^([+-]?\d+)(ns|us|ms|s|m|h|d)?$/i;
const ISO = /^([+-]?)P(?:([+-]?\d+)D)?(?:T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+(?:\.\d{1,9})?)S)?)?$/i;

/** A length of time; configuration-sources.md, "Types" lists the forms it is written in. */
export class Duration {
  private constructor(readonly milliseconds: number) {}

  static ofMillis(milliseconds: number): Duration {
    return new Duration(milliseconds);
  }

  static ofSeconds(seconds: number): Duration {
    return new Duration(seconds * MILLIS_PER_UNIT.s);
  }

  /** Reads `20s`, a bare integer in `unit`, or ISO 8601 such as `PT20S`; one unit only, no blanks. */
  static parse(text: string, unit: DurationUnit = 'ms'): Duration | ConversionProblem {
    const simple = SIMPLE.exec(text);
    const milliseconds = simple
      ? Number(simple[1]) * MILLIS_PER_UNIT[(simple[2]?.toLowerCase() ?? unit) as DurationUnit]
      : isoMilliseconds(text);
    if (milliseconds === null)
      return new ConversionProblem('not a duration: one whole number and one unit, without blanks');
    if (!Number.isSafeInteger(Math.trunc(milliseconds))) return new ConversionProblem('the duration is too long');
    return new Duration(milliseconds === 0 ? 0 : milliseconds);
  }

  get seconds(): number {
    return this.milliseconds / MILLIS_PER_UNIT.s;
  }

  /** The shortest simple form that is parsed as the same duration, e.g. `90s`, `10m`. */
  toString(): string {
    if (this.milliseconds === 0) return '0s';
    for (const unit of ['d', 'h', 'm', 's', 'ms', 'us'] as const) {
      const amount = this.milliseconds / MILLIS_PER_UNIT[unit];
      if (Number.isInteger(amount)) return `${amount}${unit}`;
    }
    return `${Math.round(this.milliseconds / MILLIS_PER_UNIT.ns)}ns`;
  }

  /** ISO 8601 as management clients read it, with hours as the largest unit, e.g. `PT1M30S`. */
  toIso(): string {
    const sign = this.milliseconds < 0 ? '-' : '';
    const total = Math.abs(this.milliseconds);
    const hours = Math.floor(total / MILLIS_PER_UNIT.h);
    const minutes = Math.floor((total % MILLIS_PER_UNIT.h) / MILLIS_PER_UNIT.m);
    // Nanoseconds, which are the smallest unit, in plain decimals.
    const seconds = Number(((total % MILLIS_PER_UNIT.m) / MILLIS_PER_UNIT.s).toFixed(9));
    const text = seconds.toFixed(9).replace(/\.?0+$/, '');
    const parts = [
      hours > 0 && `${sign}${hours}H`,
      minutes > 0 && `${sign}${minutes}M`,
      seconds > 0 && `${sign}${text}S`,
    ];
    return `PT${parts.filter((part) => part !== false).join('') || '0S'}`;
  }

  toJSON(): string {
    return this.toString();
  }
}

function isoMilliseconds(text: string): number | null {
  const parts = ISO.exec(text);
  if (!parts || !/\d/.test(text) || /t$/i.test(text)) return null;
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0'] = parts;
  const total =
    Number(days) * MILLIS_PER_UNIT.d +
    Number(hours) * MILLIS_PER_UNIT.h +
    Number(minutes) * MILLIS_PER_UNIT.m +
    Number(seconds) * MILLIS_PER_UNIT.s;
  return sign === '-' ? -total : total;
}

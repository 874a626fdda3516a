import { ConversionProblem } from '../../config/problem.js';
import { Duration } from '../../config/bind/duration.js';
import type { ScalarType } from '../../config/bind/key-type.js';

const FORM = /^(\d{1,9})\/(\S+)$/;
const MIN_WINDOW_MILLIS = 1000;

/** A number of requests in a sliding window of time; `off` permits any number. */
export class Rate {
  static readonly OFF = new Rate(Infinity, Duration.ofSeconds(1));

  private constructor(
    readonly quota: number,
    private readonly window: Duration,
  ) {}

  static of(quota: number, seconds: number): Rate {
    return new Rate(quota, Duration.ofSeconds(seconds));
  }

  /** Reads `60/1m`, `off` or `0`. */
  static parse(text: string): Rate | ConversionProblem {
    if (text === 'off' || text === '0') return Rate.OFF;
    const [, quota = '', length = ''] = FORM.exec(text) ?? [];
    if (quota === '') return new ConversionProblem('not a number of requests, a slash and a duration, such as 60/1m');
    const window = Duration.parse(length, 's');
    if (window instanceof ConversionProblem) return window;
    if (Number(quota) === 0) return Rate.OFF;
    return window.milliseconds < MIN_WINDOW_MILLIS
      ? new ConversionProblem('the window must be at least 1s')
      : new Rate(Number(quota), window);
  }

  get isOff(): boolean {
    return this.quota === Infinity;
  }

  /** Length of the window in whole milliseconds, which stores need. */
  get windowMillis(): number {
    return Math.ceil(this.window.milliseconds);
  }

  get windowSeconds(): number {
    return Math.ceil(this.window.seconds);
  }

  toString(): string {
    return this.isOff ? 'off' : `${this.quota}/${this.window.toString()}`;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** The largest rate that a key accepts, beside `off`. */
export interface RateLimits {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** The type of a key whose value is a rate. */
export function rate(limits?: RateLimits): ScalarType<Rate> {
  return {
    shape: 'scalar',
    name: 'rate',
    emptyMeansDefault: true,
    expects: `a number of requests and a window such as 60/1m${limits ? limitsText(limits) : ''}, or off`,
    parse: (text) => {
      const parsed = Rate.parse(text.trim().toLowerCase());
      return limits && parsed instanceof Rate ? within(parsed, limits) : parsed;
    },
    format: String,
  };
}

function limitsText({ quota, windowSeconds }: RateLimits): string {
  return `, with at most ${quota} requests in at most ${Duration.ofSeconds(windowSeconds).toString()}`;
}

function within(parsed: Rate, { quota, windowSeconds }: RateLimits): Rate | ConversionProblem {
  if (parsed.isOff) return parsed;
  if (parsed.quota > quota) return new ConversionProblem(`the number must not be above ${quota}`);
  const maxWindow = Duration.ofSeconds(windowSeconds);
  return parsed.windowMillis > maxWindow.milliseconds
    ? new ConversionProblem(`the window must not be longer than ${maxWindow.toString()}`)
    : parsed;
}

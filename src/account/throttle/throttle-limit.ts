/** Failures of one login id, device or address, as of the last one. */
export interface Failures {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
}

export const NO_FAILURES: Failures = { count: 0, lastAt: 0 };

/** How failures slow down the tries that follow; the two kinds are below. */
export interface Limit {
  /** How many failures still count; a part of one is left where they are forgotten little by little. */
  remembered(failures: Failures, now: number): number;
  /** Milliseconds until the next try may be looked at; 0 or less: now. */
  waitMillis(failures: Failures, now: number): number;
  /** Failures that cost nothing. */
  readonly free: number;
  readonly isForgottenAtSuccess: boolean;
}

/**
 * Beyond the free failures there is one try per delay, which doubles up to a longest one: guessing goes on for years,
 * and whoever knows the password is let in after seconds. All is forgotten at a success or some time after the last
 * failure.
 */
export class GrowingDelay implements Limit {
  readonly isForgottenAtSuccess = true;

  constructor(
    readonly free: number,
    private readonly firstMillis: number,
    private readonly longestMillis: number,
    private readonly forgottenAfterMillis: number,
  ) {}

  remembered({ count, lastAt }: Failures, now: number): number {
    return now - lastAt >= this.forgottenAfterMillis ? 0 : count;
  }

  waitMillis(failures: Failures, now: number): number {
    const doublings = this.remembered(failures, now) - this.free;
    if (doublings < 0) return 0;
    return failures.lastAt + Math.min(this.firstMillis * 2 ** Math.min(doublings, 30), this.longestMillis) - now;
  }
}

/**
 * So many failures within so long, forgotten one by one and evenly. A success forgets nothing: whoever has one account
 * could go on guessing at others. For an address, behind which there may be many users.
 */
export class Budget implements Limit {
  readonly isForgottenAtSuccess = false;

  constructor(
    readonly free: number,
    private readonly withinMillis: number,
  ) {}

  remembered({ count, lastAt }: Failures, now: number): number {
    return Math.max(0, count - ((now - lastAt) * this.free) / this.withinMillis);
  }

  waitMillis(failures: Failures, now: number): number {
    return ((this.remembered(failures, now) - this.free + 1) * this.withinMillis) / this.free;
  }
}

/** Counts like a growing delay and refuses nobody: tells whether a login id is guessed at from many addresses. */
export class Count implements Limit {
  readonly isForgottenAtSuccess = false;
  readonly free = Infinity;

  constructor(private readonly forgottenAfterMillis: number) {}

  remembered({ count, lastAt }: Failures, now: number): number {
    return now - lastAt >= this.forgottenAfterMillis ? 0 : count;
  }

  waitMillis(): number {
    return 0;
  }
}

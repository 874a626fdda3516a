import { withTimeout } from '../../../kernel/clock/with-timeout.js';
import type { Logger } from '../../../observability/logging/logger.js';
import type { Random } from '../../../kernel/random/random.js';
import { LeakWatch } from './leak-watch.js';
import type { PoolMeters, PoolState } from './pool-meters.js';
import type { PoolSettings } from './pool-settings.js';
import { type Borrower, WaitingCallers } from './waiting-callers.js';

/** Connection as the pool sees it. */
export interface PoolableConnection {
  /** Resolves if the server responds; the pool limits the wait. */
  test(): Promise<void>;
  /** Ends the connection in an orderly way; resolves once its session has ended at the server. */
  end(): Promise<void>;
  /**
   * Closes the connection at once; statements that wait for a response fail. Resolves once its session has ended at the server,
   * or the server does not respond.
   */
  destroy(): Promise<void>;
  /** Calls the listener when the connection is lost. */
  onLost(listener: () => void): void;
}

export interface PoolParts<C> {
  /** Opens a connection, or rejects within a limit of its own. */
  readonly open: () => Promise<C>;
  readonly settings: PoolSettings;
  readonly random: Random;
  readonly logger: Logger;
}

export interface BorrowOptions<C> {
  readonly failsAtOutage?: boolean;
  readonly prefers?: (connection: C) => boolean;
}

/** Unused time up to which a connection is lent without a test, as HikariCP does. */
const TRUSTED_MILLIS = 500;
const HOUSEKEEPING_MILLIS = 30_000;
/** Connections end up to this part of their lifetime earlier, so that those opened together do not end together. */
const LIFETIME_JITTER = 0.025;
/** While no connection opens, the pool tries one at a time, with a growing delay. */
const MIN_RETRY_MILLIS = 100;
const MAX_RETRY_MILLIS = 500;
/** Limit for connections that are still lent when the pool is closed. */
const CLOSE_LIMIT_MILLIS = 5000;
/** Limit for canceling the statements of these connections. */
const CANCEL_LIMIT_MILLIS = 1000;

/** Thrown if a unit of work gets no connection within `connection-timeout`; `cause` is the last error of opening one. */
export class PoolTimeout extends Error {
  readonly code = 'POOL_TIMEOUT';

  constructor(
    settings: PoolSettings,
    readonly state: PoolState,
    cause: unknown,
  ) {
    const { open, idle, pending } = state;
    const counts = `total=${open}, active=${state.active}, idle=${idle}, waiting=${pending}`;
    super(`${settings.name} had no connection within ${settings.connectionTimeout} ms (${counts})`, { cause });
    this.name = 'PoolTimeout';
  }
}

class PoolClosed extends Error {
  readonly code = 'POOL_CLOSED';

  constructor(name: string) {
    super(`${name} is closed`);
    this.name = 'PoolClosed';
  }
}

/** An open connection of the pool. */
interface Member<C> {
  readonly connection: C;
  /** Reading of `performance.now` at its last use. */
  usedAt: number;
  /** True if it must not be lent again: too old, lost, or evicted. */
  isRetired: boolean;
  lifetime?: NodeJS.Timeout;
}

/** A connection that is lent to one caller. */
export class Lease<C> {
  private isReturned = false;

  constructor(
    readonly connection: C,
    private readonly returnToPool: (isUsable: boolean) => void,
  ) {}

  /** Returns the connection; further calls have no effect. */
  release(): void {
    this.end(true);
  }

  /** Closes the connection, which is in an unknown state. */
  discard(): void {
    this.end(false);
  }

  private end(isUsable: boolean): void {
    if (this.isReturned) return;
    this.isReturned = true;
    this.returnToPool(isUsable);
  }
}

/**
 * Lends each connection to one caller at a time, by the rules of HikariCP. Callers that wait are served in their order, and
 * each has one absolute deadline. A connection that opens or returns after the deadline of its caller stays in the pool.
 */
export class ConnectionPool<C extends PoolableConnection> {
  private readonly members = new Set<Member<C>>();
  /** Idle connections; the most recently used one is the last. */
  private readonly idle: Member<C>[] = [];
  private readonly waiting: WaitingCallers<Lease<C>>;
  private readonly meters = new Set<PoolMeters>();
  private readonly empty = Promise.withResolvers<undefined>();
  private opening = 0;
  private testing = 0;
  /** Connections that are closed while the server still has their sessions. */
  private leaving = 0;
  private isWarm = false;
  private isClosed = false;
  private housekeeping: NodeJS.Timeout | undefined;
  /** Set while connections cannot be opened: the error, the next delay, and the timer of the next attempt. */
  private outage: { readonly error: unknown; readonly delayMillis: number; timer?: NodeJS.Timeout } | undefined;

  constructor(private readonly parts: PoolParts<C>) {
    this.waiting = new WaitingCallers(parts.settings.connectionTimeout, () => {
      for (const meters of this.meters) meters.timedOut();
      return new PoolTimeout(parts.settings, this.state, this.outage?.error);
    });
  }

  get settings(): PoolSettings {
    return this.parts.settings;
  }

  get state(): PoolState {
    const { minimumIdle, maximumPoolSize } = this.settings;
    const open = this.members.size;
    const idle = this.idle.length;
    const active = open - idle - this.testing;
    return { open, idle, active, pending: this.waiting.size, min: minimumIdle, max: maximumPoolSize };
  }

  /** All open connections, lent or idle. */
  get connections(): readonly C[] {
    return Array.from(this.members, ({ connection }) => connection);
  }

  /** Records the further use of the pool in these meters. */
  addMeters(meters: PoolMeters): void {
    this.meters.add(meters);
    meters.observe(() => this.state);
  }

  /** Opens the first connection, so that a wrong address or password is reported at startup. */
  async openFirst(): Promise<void> {
    this.add(await this.parts.open());
  }

  /** From now on, keeps `minimum-idle` connections open. */
  keepWarm(): void {
    if (this.isClosed || this.isWarm) return;
    this.isWarm = true;
    this.housekeeping = setInterval(() => {
      this.closeLongIdle();
      this.grow();
    }, HOUSEKEEPING_MILLIS).unref();
    this.grow();
  }

  /**
   * With `failsAtOutage`, for a health check, the wait ends with the error of the next connection that cannot be opened. Of
   * idle connections in recent use, one that the caller `prefers` is lent first.
   * @throws PoolTimeout after `connection-timeout`
   */
  borrow({ failsAtOutage = false, prefers = () => true }: BorrowOptions<C> = {}): Promise<Lease<C>> {
    if (this.isClosed) return Promise.reject(new PoolClosed(this.settings.name));
    const { settings, logger } = this.parts;
    const borrower: Borrower = {
      requestedAt: performance.now(),
      leakWatch: settings.leakDetectionThreshold > 0 ? new LeakWatch(settings, logger) : undefined,
      failsAtOutage,
    };
    const last = this.waiting.size === 0 ? this.idle.at(-1) : undefined;
    if (last === undefined || !isTrusted(last)) return this.wait(borrower);
    // `findLastIndex` returns -1 if none matches; `splice` then takes the last one.
    const place = this.idle.findLastIndex((member) => isTrusted(member) && prefers(member.connection));
    const [member = last] = this.idle.splice(place, 1);
    return Promise.resolve(this.lend(member, borrower));
  }

  /** Closes the connections that match: idle ones at once, lent ones when they return. */
  evict(matches: (connection: C) => boolean): void {
    for (const member of this.members) if (matches(member.connection)) this.retire(member);
    this.serve();
  }

  /** Ends all connections; callers that wait fail, and lent connections have some seconds to return. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.housekeeping);
    clearTimeout(this.outage?.timer);
    this.waiting.fail(() => new PoolClosed(this.settings.name));
    for (const member of this.members) this.retire(member);
    this.noteEmpty();
    await withTimeout(this.empty.promise, CLOSE_LIMIT_MILLIS, () => {
      for (const member of this.members) this.drop(member);
      return withTimeout(this.empty.promise, CANCEL_LIMIT_MILLIS, () => undefined);
    });
  }

  private wait(borrower: Borrower): Promise<Lease<C>> {
    const lease = this.waiting.wait(borrower);
    this.serve();
    return lease;
  }

  /** Tests one idle connection for each caller that waits, and opens further ones if these are not enough. */
  private serve(): void {
    while (this.waiting.size > this.testing) {
      const member = this.idle.pop();
      if (member === undefined) break;
      void this.test(member);
    }
    this.grow();
  }

  private async test(member: Member<C>): Promise<void> {
    this.testing += 1;
    const succeeds = member.connection.test().then(
      () => true,
      () => false,
    );
    const isAlive = await withTimeout(succeeds, this.settings.validationTimeout, () => undefined);
    this.testing -= 1;
    if (isAlive === true) {
      member.usedAt = performance.now();
      this.offer(member);
    } else this.drop(member);
    // If one gets no response, the others have probably vanished with it, and each would cost its caller the same wait.
    if (isAlive === undefined) for (const other of [...this.idle]) if (!isTrusted(other)) this.retire(other);
    this.serve();
  }

  /** Opens the connections that callers wait for, or that `minimum-idle` lacks. */
  private grow(): void {
    if (this.isClosed) return;
    const { minimumIdle, maximumPoolSize } = this.settings;
    const forCallers = this.waiting.size - this.testing;
    const forIdle = this.isWarm ? minimumIdle - this.idle.length : 0;
    const room = maximumPoolSize - this.members.size - this.opening - this.leaving;
    let missing = Math.min(Math.max(forCallers, forIdle) - this.opening, room);
    if (this.outage) missing = this.opening === 0 && this.outage.timer === undefined ? Math.min(missing, 1) : 0;
    for (; missing > 0; missing -= 1) void this.open();
  }

  private async open(): Promise<void> {
    this.opening += 1;
    const begun = performance.now();
    const [opened] = await Promise.allSettled([this.parts.open()]);
    this.opening -= 1;
    if (opened.status === 'fulfilled') {
      this.outage = undefined;
      for (const meters of this.meters) meters.created(begun);
      this.add(opened.value);
      this.serve();
    } else this.tryLater(opened.reason, begun);
    this.noteEmpty();
  }

  /** `begun` is a reading of `performance.now` at the start of the attempt that failed. */
  private tryLater(error: unknown, begun: number): void {
    // An attempt that began before the request of the caller may show an outage that is over.
    this.waiting.fail(
      () => error as Error,
      ({ failsAtOutage, requestedAt }) => failsAtOutage && requestedAt <= begun,
    );
    if (this.isClosed || this.outage?.timer) return;
    const { delayMillis } = this.outage ?? { delayMillis: MIN_RETRY_MILLIS };
    const outage: NonNullable<typeof this.outage> = {
      error,
      delayMillis: Math.min(2 * delayMillis, MAX_RETRY_MILLIS),
    };
    this.outage = outage;
    // Replicas do not all try at the same moment.
    outage.timer = setTimeout(
      () => {
        delete outage.timer;
        this.grow();
      },
      delayMillis * (0.5 + this.parts.random.fraction() / 2),
    ).unref();
  }

  private add(connection: C): void {
    const member: Member<C> = { connection, usedAt: performance.now(), isRetired: false };
    this.members.add(member);
    connection.onLost(() => {
      this.retire(member);
      this.grow();
    });
    const { maxLifetime } = this.settings;
    if (maxLifetime > 0) {
      const lifetime = maxLifetime * (1 - LIFETIME_JITTER * this.parts.random.fraction());
      member.lifetime = setTimeout(() => {
        this.retire(member);
        this.grow();
      }, lifetime).unref();
    }
    this.offer(member);
  }

  /** Lends a connection to the caller that has waited longest, or keeps it idle. */
  private offer(member: Member<C>): void {
    if (member.isRetired || this.isClosed) {
      this.end(member);
      return;
    }
    const isLent = this.waiting.serveFirst((borrower) => this.lend(member, borrower));
    if (!isLent) this.idle.push(member);
  }

  private lend(member: Member<C>, { requestedAt, leakWatch }: Borrower): Lease<C> {
    const since = performance.now();
    for (const meters of this.meters) meters.acquired(requestedAt);
    const endWatch = leakWatch?.begin();
    return new Lease(member.connection, (isUsable) => {
      endWatch?.();
      for (const meters of this.meters) meters.released(since);
      member.usedAt = performance.now();
      if (isUsable) this.offer(member);
      else this.drop(member);
      this.grow();
    });
  }

  /** Closes idle connections above `minimum-idle`, those unused for longest first. */
  private closeLongIdle(): void {
    const { idleTimeout, minimumIdle } = this.settings;
    if (idleTimeout === 0) return;
    const before = performance.now() - idleTimeout;
    for (const member of [...this.idle]) {
      if (this.idle.length <= minimumIdle) return;
      if (member.usedAt < before) this.retire(member);
    }
  }

  /** Ends a connection now if it is idle, otherwise when it returns. */
  private retire(member: Member<C>): void {
    member.isRetired = true;
    const place = this.idle.indexOf(member);
    if (place === -1) return;
    this.idle.splice(place, 1);
    this.end(member);
  }

  private end(member: Member<C>): void {
    if (this.forget(member)) void this.untilEnded(member.connection.end());
  }

  private drop(member: Member<C>): void {
    member.isRetired = true;
    if (this.forget(member)) void this.untilEnded(member.connection.destroy());
  }

  private forget(member: Member<C>): boolean {
    clearTimeout(member.lifetime);
    return this.members.delete(member);
  }

  /** No other connection takes the place of a session before that has ended: `maximum-pool-size` is a limit of sessions. */
  private async untilEnded(ended: Promise<void>): Promise<void> {
    this.leaving += 1;
    await ended;
    this.leaving -= 1;
    this.noteEmpty();
    this.grow();
  }

  private noteEmpty(): void {
    if (this.isClosed && this.members.size + this.opening + this.leaving === 0) this.empty.resolve(undefined);
  }
}

/** A connection in recent use is lent without a test. */
function isTrusted(member: Member<PoolableConnection>): boolean {
  return performance.now() - member.usedAt <= TRUSTED_MILLIS;
}

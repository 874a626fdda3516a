import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import type { Family } from '../../observability/metrics/family.js';
import type { Counter } from '../../observability/metrics/meter.js';
import { Meters } from '../../observability/metrics/meters.js';
import { ChargeQueue } from './charge-queue.js';
import { MemoryLimits } from './memory-limits.js';
import { type Policy, rateLimitHeaders, seconds } from './rate-limit-headers.js';
import { RouteLimitProperties } from './rate-limit.properties.js';
import { type Dimension, DIMENSIONS, ROUTE_GROUPS, type RouteGroup } from './route-group.js';
import { SharedLimits } from './shared-limits.js';
import { SharedStore } from './shared-store.service.js';
import type { LimitVerdict } from './sliding-window.js';
import { WriteBehindCharges } from './write-behind-charges.js';

/** A limit of a request: the group of its route, and by what and by which value it counts. */
export interface Subject {
  readonly group: RouteGroup;
  readonly by: Dimension;
  readonly value: string;
  /** The account of a browser that signed in before: its requests are counted apart. */
  readonly deviceOwner?: string | undefined;
}

/** The part of a response that limits write. */
export interface LimitedReply {
  getHeader(name: string): unknown;
  header(name: string, value: string): unknown;
}

/** Admits requests to routes within the limits of their groups (decision 0072). */
@Injectable()
export class RateLimiter implements BeforeApplicationShutdown {
  private readonly memory: MemoryLimits;
  private readonly shared: ChargeQueue | WriteBehindCharges | undefined;
  private readonly log: Logger;
  private readonly rejected: Family<Counter>;
  /** Time of the next possible log line about a limit, in epoch seconds. */
  private readonly quietUntil = new Map<string, number>();

  constructor(
    private readonly properties: RouteLimitProperties,
    { shared }: SharedStore,
    private readonly clock: Clock,
    loggers: Loggers,
    meters: Meters,
  ) {
    this.log = loggers.get('limits');
    this.memory = new MemoryLimits(clock);
    this.rejected = meters.counter('rate.limit.rejected', {
      description: 'Requests rejected by a limit of their route.',
    });
    // A series for each limit, so that an alert sees its first increment.
    for (const group of ROUTE_GROUPS) {
      for (const by of DIMENSIONS) if (this.applies(group, by)) this.rejected.of({ group, by });
    }
    if (!shared) return;
    const limits = new SharedLimits(shared.limits, this.memory, shared.availability);
    const send = limits.charge.bind(limits);
    // A charge of the key-value store costs no commit.
    this.shared = shared.kind === 'database' ? new WriteBehindCharges(send, clock) : new ChargeQueue(send);
    meters.gauge(
      'rate.limit.shared',
      { description: 'Whether the limits of routes are shared with other replicas now.' },
      () => (shared.availability.isAvailable ? 1 : 0),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.shared instanceof WriteBehindCharges) await this.shared.flush();
  }

  /** True if the group has a limit for this dimension. */
  applies(group: RouteGroup, by: Dimension): boolean {
    return this.properties.rateOf(group, by) !== undefined;
  }

  /**
   * Counts a request under one limit after the other before any work is done for it, and adds the headers about them. A
   * limit that rejects the request does not count it, and later limits are not charged; earlier ones have counted it.
   * @throws ServiceError `RATE_LIMITED` if one of them is used up
   */
  async admit(subjects: readonly Subject[], reply: LimitedReply): Promise<void> {
    const applied: Applied[] = [];
    for (const subject of subjects) {
      const charged = await this.charge(subject);
      if (charged) applied.push(charged);
      if (charged?.verdict.admitted === 0) break;
    }
    const last = applied.at(-1);
    if (!last) return;
    for (const [name, value] of Object.entries(rateLimitHeaders(applied))) {
      const known = reply.getHeader(name);
      reply.header(name, typeof known === 'string' ? `${known}, ${value}` : value);
    }
    if (last.verdict.admitted > 0) return;
    this.report(last);
    throw new ServiceError('RATE_LIMITED', { reason: 'route', retryAfterSeconds: seconds(last.verdict.retryMillis) });
  }

  private charge(subject: Subject): Promise<Applied> | undefined {
    const { group, by, value, deviceOwner } = subject;
    const rate = this.properties.rateOf(group, by);
    if (!rate) return undefined;
    const lane = deviceOwner === undefined ? by : 'device';
    const { quota, windowMillis, windowSeconds } = rate;
    const policy = { name: `${group}-${lane}`, quota, windowSeconds };
    // The length of the window is a part of the key, so that a changed key begins anew.
    const key = `${group}:${windowMillis}:${lane}:${deviceOwner ?? value}`;
    const charge = { key, quota, windowMillis, hits: 1 };
    if (!this.shared) return Promise.resolve({ subject, policy, verdict: this.memory.charge(charge) });
    return this.shared.charge(charge).then((verdict) => ({ subject, policy, verdict }));
  }

  /**
   * Counts and logs a rejection; at most one line for a limit in each window, so that an attack from many addresses
   * does not fill the log.
   */
  private report({ subject: { group, by }, policy: { windowSeconds } }: Applied): void {
    this.rejected.of({ group, by }).increment();
    const limit = `${group} ${by}`;
    const now = this.clock.seconds();
    if (now < (this.quietUntil.get(limit) ?? 0)) return;
    this.quietUntil.set(limit, now + windowSeconds);
    this.log.warn('A rate limit is exceeded', { group, by });
  }
}

interface Applied {
  readonly subject: Subject;
  readonly policy: Policy;
  readonly verdict: LimitVerdict;
}

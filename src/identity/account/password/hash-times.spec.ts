import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { Admission, type Slot } from '../../../platform/http/admission/admission.js';
import { passwordLimit } from '../../../platform/http/admission/password-limit.js';
import { Duration } from '../../../config/bind/duration.js';
import { HashTimes } from './hash-times.js';

const WORKERS = 2;
const TARGET = 300;

/** Times of two workers after `count` hashes of `millis` each. */
function after(count: number, millis: number): HashTimes {
  const times = new HashTimes(WORKERS);
  for (let done = 0; done < count; done += 1) times.record(millis);
  return times;
}

describe('the capacity of the workers for password hashes', () => {
  it('is unknown before four hashes of each worker, which has just started', () => {
    expect(after(7, 10).capacityWithin(100)).toBeUndefined();
    expect(after(8, 10).capacityWithin(100)).toBe(20);
  });

  it('follows a step of the hash time in either direction within 16 hashes of each worker', () => {
    const times = after(100, 10);
    for (let done = 0; done < 32; done += 1) times.record(40);
    expect(times.capacityWithin(400)).toBe(20);
    for (let done = 0; done < 32; done += 1) times.record(5);
    expect(times.capacityWithin(400)).toBe(160);
  });

  it('forgets one slow hash after 16 more of each worker', () => {
    const times = after(32, 10);
    times.record(5000);
    expect(times.capacityWithin(400)).toBe(4);
    for (let done = 0; done < 31; done += 1) times.record(10);
    expect(times.capacityWithin(400)).toBe(4);
    times.record(10);
    expect(times.capacityWithin(400)).toBe(80);
  });

  it('is smaller for times that vary than for equal times of the same mean', () => {
    const varying = new HashTimes(WORKERS);
    for (let done = 0; done < 16; done += 1) [5, 15].forEach((millis) => varying.record(millis));

    expect(varying.capacityWithin(300)).toBe(40);
    expect(after(32, 10).capacityWithin(300)).toBe(60);
  });

  it('is never below two for each worker, so that no worker is idle', () => {
    expect(after(32, 100_000).capacityWithin(300)).toBe(4);
  });

  it('lies between what the slowest and the fastest of the latest hashes permit', () => {
    const millis = fc.array(fc.double({ min: 0.01, max: 10_000, noNaN: true }), { minLength: 64, maxLength: 300 });
    fc.assert(
      fc.property(millis, fc.integer({ min: 1, max: 16 }), (all, workers) => {
        const times = new HashTimes(workers);
        for (const each of all) times.record(each);
        const latest = all.slice(-16 * workers);
        const capacity = times.capacityWithin(1000) ?? NaN;
        expect(capacity).toBeGreaterThanOrEqual(Math.floor((0.999 * workers * 1000) / Math.max(...latest)));
        expect(capacity).toBeGreaterThanOrEqual(2 * workers);
        const most = Math.ceil((1.001 * workers * 1000) / Math.min(...latest));
        expect(capacity).toBeLessThanOrEqual(Math.max(2 * workers, most));
      }),
    );
  });
});

interface Event {
  readonly at: number;
  readonly happen: () => void;
}

const NEVER: Event = { at: Infinity, happen: () => undefined };

/** Logins in simulated milliseconds: admission, a look-up in the database, then a hash by the next free worker. */
class Simulation {
  hashMillis = 10;
  databaseMillis = 1;
  rejected = 0;
  /** From admission to the end of each login. */
  durations: number[] = [];
  readonly admission: Admission;
  private now = 0;
  private idleWorkers = WORKERS;
  private readonly times = new HashTimes(WORKERS);
  private readonly waiting: (() => void)[] = [];
  private due: Event[] = [];

  constructor(slots = 200, places = 100) {
    const limit = passwordLimit(Duration.ofMillis(TARGET), (millis) => this.times.capacityWithin(millis));
    this.admission = new Admission(slots, places, limit);
  }

  /** Logins that arrive at the same moment. */
  arrive(count: number): void {
    for (let arrived = 0; arrived < count; arrived += 1) this.arriveOnce();
  }

  /** Logins that arrive evenly for this time. */
  flow(millis: number, perMilli: number): void {
    for (let passed = 0; passed < millis; passed += 1) {
      this.arrive(Math.floor((passed + 1) * perMilli) - Math.floor(passed * perMilli));
      this.pass(1);
    }
  }

  pass(millis: number): void {
    const until = this.now + millis;
    for (let next = this.next(until); next; next = this.next(until)) {
      this.now = next.at;
      next.happen();
    }
    this.now = until;
  }

  private arriveOnce(): void {
    const since = this.now;
    const end = (slot: Slot): void => {
      slot.leave();
      this.durations.push(this.now - since);
    };
    const begin = (): void => {
      this.later(this.databaseMillis, () => {
        this.hash(() => {
          if (slot) end(slot);
        });
      });
    };
    const slot = this.admission.enter(begin, true);
    if (!slot) this.rejected += 1;
    else if (!slot.isWaiting) begin();
  }

  private hash(done: () => void): void {
    if (this.idleWorkers === 0) {
      this.waiting.push(() => {
        this.hash(done);
      });
      return;
    }
    this.idleWorkers -= 1;
    const { hashMillis } = this;
    this.later(hashMillis, () => {
      this.idleWorkers += 1;
      this.times.record(hashMillis);
      this.waiting.shift()?.();
      done();
    });
  }

  private later(millis: number, happen: () => void): void {
    this.due.push({ at: this.now + millis, happen });
  }

  /** Takes the first event until then; of several at one moment, the oldest. */
  private next(until: number): Event | undefined {
    const first = this.due.reduce((one, other) => (other.at < one.at ? other : one), NEVER);
    if (first.at > until) return undefined;
    this.due = this.due.filter((each) => each !== first);
    return first;
  }
}

describe('admission of logins by the measured time of a hash', () => {
  /** A simulation whose workers have hashed passwords before, one at a time. */
  function warm(): Simulation {
    const service = new Simulation();
    service.flow(2000, 0.02);
    service.pass(100);
    service.durations = [];
    return service;
  }

  it('at ten times the capacity, admitted logins end within the target and the workers stay busy', () => {
    const service = warm();

    service.flow(2000, 2);

    expect(Math.max(...service.durations)).toBeLessThanOrEqual(TARGET);
    expect(service.durations.length).toBeGreaterThanOrEqual(0.98 * 2000 * (WORKERS / service.hashMillis));
    expect(service.rejected).toBeGreaterThan(3000);
  });

  it.each([25, 4])('admitted logins end within the target again after the hash time has become %i ms', (millis) => {
    const service = warm();
    service.flow(1000, 2);
    service.hashMillis = millis;
    service.flow(1000, 2);
    service.durations = [];

    service.flow(2000, 2);

    expect(Math.max(...service.durations)).toBeLessThanOrEqual(TARGET);
    expect(service.durations.length).toBeGreaterThanOrEqual(0.98 * 2000 * (WORKERS / millis));
  });

  it('an idle service accepts a burst that ends within the target', () => {
    const service = warm();

    service.arrive(45);
    service.pass(1000);

    expect(service.rejected).toBe(0);
    expect(service.durations).toHaveLength(45);
    expect(Math.max(...service.durations)).toBeLessThanOrEqual(TARGET);
  });

  it('a service that has hashed no password yet accepts a burst of fifty logins', () => {
    const service = new Simulation();

    service.arrive(50);
    service.pass(1000);

    expect(service.rejected).toBe(0);
    expect(service.durations).toHaveLength(50);
  });

  it('an outage of the database does not change the limit, and logins end within the target right after it', () => {
    const service = warm();
    const limit = service.admission.passwordLimit;
    service.databaseMillis = 3000;
    service.flow(3000, 1);
    expect(service.rejected).toBeGreaterThan(0);
    service.databaseMillis = 1;
    service.pass(3300);
    expect(service.admission.passwordLimit).toBe(limit);
    [service.rejected, service.durations] = [0, []];

    service.flow(1000, 0.15);
    service.pass(1000);

    expect(service.rejected).toBe(0);
    expect(service.durations).toHaveLength(150);
    expect(Math.max(...service.durations)).toBeLessThanOrEqual(TARGET);
  });

  it('after hashes that took far longer than the target, the full limit returns with the next hashes', () => {
    const service = warm();
    const limit = service.admission.passwordLimit;
    service.hashMillis = 2000;
    service.flow(10_000, 0.01);
    expect(service.admission.passwordLimit).toBe(2 * WORKERS);
    service.hashMillis = 10;
    service.pass(5000);

    service.flow(500, 1);

    expect(service.admission.passwordLimit).toBe(limit);
  });

  it('in any schedule, the limit stays between its least value and the keys, and no login is lost', () => {
    const step = fc.record({
      logins: fc.nat({ max: 60 }),
      millis: fc.nat({ max: 200 }),
      hashMillis: fc.integer({ min: 1, max: 100 }),
      databaseMillis: fc.integer({ min: 1, max: 100 }),
    });
    const size = { min: 1, max: 50 };
    fc.assert(
      fc.property(fc.integer(size), fc.nat({ max: 50 }), fc.array(step, { maxLength: 30 }), (slots, places, steps) => {
        const service = new Simulation(slots, places);
        const { admission } = service;
        let arrived = 0;
        for (const { logins, millis, ...costs } of steps) {
          Object.assign(service, costs).arrive(logins);
          arrived += logins;
          expect(admission.passwordLimit).toBeLessThanOrEqual(slots + places);
          expect(admission.passwordLimit).toBeGreaterThanOrEqual(Math.min(2 * WORKERS, slots + places));
          expect(admission.running).toBeLessThanOrEqual(slots);
          expect(admission.waiting).toBeLessThanOrEqual(places);
          service.pass(millis);
        }
        service.pass(100_000);
        expect(service.durations.length + service.rejected).toBe(arrived);
        expect(admission.running + admission.waiting).toBe(0);
      }),
    );
  });
});

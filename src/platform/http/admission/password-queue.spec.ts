import { beforeEach, describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import type { Slot } from './admission.js';
import { PasswordQueue } from './password-queue.js';

const WORKERS = 2;
const LENGTH = 100;
const MAX_WAIT = 3000;
const TARGET = 300;

interface Event {
  readonly at: number;
  readonly happen: () => void;
}

const NEVER: Event = { at: Infinity, happen: () => undefined };

/** Sign-ins in simulated milliseconds: the queue, a look-up in the database, then a hash by the next free worker. */
class Simulation {
  hashMillis = 10;
  databaseMillis = 1;
  rejected = 0;
  /** From the arrival to the end of each sign-in. */
  durations: number[] = [];
  readonly started: string[] = [];
  readonly queue: PasswordQueue;
  private now = 0;
  private idleWorkers = WORKERS;
  private readonly waiting: (() => void)[] = [];
  private due: Event[] = [];

  constructor(length = LENGTH, { maxWaitMillis = MAX_WAIT, targetMillis = TARGET } = {}) {
    this.queue = new PasswordQueue({
      pace: () => ({ workers: WORKERS, millis: this.hashMillis / WORKERS }),
      slots: 200,
      length,
      maxWaitMillis,
      targetMillis,
      now: () => this.now,
      later: (happen, millis) => {
        this.later(millis, happen);
      },
    });
  }

  /** Sign-ins that arrive at the same moment. */
  arrive(count: number): void {
    for (let arrived = 0; arrived < count; arrived += 1) this.arriveOnce();
  }

  /** Sign-ins that need not wait, as many as possible. */
  fillWindow(): void {
    while (this.queue.hasRoom) this.arriveOnce();
  }

  /** Sign-ins that arrive evenly for this time. */
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

  /** Returns the place of a sign-in; undefined if it was rejected. */
  arriveOnce(name = '', owner?: string): Slot | undefined {
    const since = this.now;
    const begin = (): void => {
      this.started.push(name);
      this.later(this.databaseMillis, () => {
        this.hash(() => {
          place?.leave();
          this.durations.push(this.now - since);
        });
      });
    };
    const onTurn = (isAdmitted: boolean): void => {
      if (isAdmitted) begin();
      else this.rejected += 1;
    };
    const place = this.queue.enter(onTurn, owner);
    if (!place) this.rejected += 1;
    else if (!place.isWaiting) begin();
    return place;
  }

  private hash(done: () => void): void {
    if (this.idleWorkers === 0) {
      this.waiting.push(() => {
        this.hash(done);
      });
      return;
    }
    this.idleWorkers -= 1;
    this.later(this.hashMillis, () => {
      this.idleWorkers += 1;
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

let service: Simulation;

beforeEach(() => {
  service = new Simulation();
});

describe('a burst of sign-ins', () => {
  it('a burst of 100 people is served completely, the last one when the workers have hashed all passwords', () => {
    service.arrive(100);
    service.pass(5000);

    expect(service.rejected).toBe(0);
    expect(service.durations).toHaveLength(100);
    expect(Math.max(...service.durations)).toBeLessThanOrEqual(1.05 * 100 * (service.hashMillis / WORKERS));
  });

  it('a burst is served completely while hashes take three times as long as usual', () => {
    service.hashMillis = 30;

    service.arrive(100);
    service.pass(5000);

    expect(service.rejected).toBe(0);
  });

  it('a burst that drains for longer than a second is no reason to reject those who come meanwhile', () => {
    service.hashMillis = 40;
    service.arrive(100);
    service.pass(1700);

    service.arrive(20);

    expect(service.rejected).toBe(0);
  });

  it('a burst is limited by the length of the queue, besides one sign-in for each worker', () => {
    service.arrive(200);

    expect(service.queue.limit).toBe(LENGTH + WORKERS);
    expect(service.rejected).toBe(200 - LENGTH - WORKERS);
  });

  it('a burst is limited by the expected wait', () => {
    service.hashMillis = 100;

    service.arrive(100);
    service.pass(10_000);

    expect(service.rejected).toBeGreaterThan(30);
    expect(Math.max(...service.durations)).toBeLessThanOrEqual(MAX_WAIT + 2 * service.hashMillis);
  });

  it('without a wait, a burst is served as far as the workers have work at hand', () => {
    service = new Simulation(LENGTH, { maxWaitMillis: 0 });

    service.arrive(100);
    service.pass(1000);

    expect(service.durations).toHaveLength(100 / (service.hashMillis / WORKERS));
    expect(service.queue.waiting).toBe(0);
  });

  it('a burst is served in the order of its arrival', () => {
    const names = Array.from({ length: 50 }, (_, index) => String(index));
    for (const name of names) service.arriveOnce(name);
    service.pass(1000);

    expect(service.started).toEqual(names);
  });
});

describe('sustained overload', () => {
  it('sustained overload shortens the wait to the target after a second, and keeps the workers busy', () => {
    service.flow(3000, 2);
    service.durations = [];

    service.flow(10_000, 2);

    expect(Math.max(...service.durations)).toBeLessThanOrEqual(TARGET + 20);
    expect(service.durations.length).toBeGreaterThanOrEqual(0.99 * 10_000 * (WORKERS / service.hashMillis));
  });

  it('overload leaves no trace as soon as the queue is empty', () => {
    service.flow(10_000, 2);
    service.pass(TARGET + 100);
    service.rejected = 0;

    service.arrive(100);
    service.pass(1000);

    expect(service.rejected).toBe(0);
  });

  it('with a target of 0, overload leaves the longest wait in force', () => {
    service = new Simulation(LENGTH, { targetMillis: 0 });

    service.flow(10_000, 2);

    expect(service.queue.limit).toBe(LENGTH + WORKERS);
  });

  it('a load below the capacity makes nobody wait for long and rejects nobody', () => {
    service.flow(10_000, 0.19);

    expect(service.rejected).toBe(0);
    expect(Math.max(...service.durations)).toBeLessThanOrEqual(TARGET);
  });
});

describe('known devices', () => {
  const owners = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `owner-${index}`);

  it('sign-ins from known devices go before others, who get every fourth turn', () => {
    service.fillWindow();
    const first = service.started.length;
    for (let index = 0; index < 8; index += 1) service.arriveOnce('other');
    for (const owner of owners(8)) service.arriveOnce('known', owner);
    service.pass(1000);

    const order = service.started.slice(first);
    expect(order.slice(0, 8).filter((name) => name === 'known')).toHaveLength(6);
    expect(order.filter((name) => name === 'other')).toHaveLength(8);
  });

  it('sign-ins from known devices replace the newest of the others in a full queue, up to half of it', () => {
    service.arrive(200);
    const { waiting } = service.queue;

    for (const owner of owners(LENGTH)) service.arriveOnce('known', owner);
    service.pass(2000);

    expect(service.started.filter((name) => name === 'known')).toHaveLength(waiting / 2);
    expect(service.queue.waiting).toBe(0);
  });

  it('two waiting sign-ins of one account have priority, and further ones do not', () => {
    service.fillWindow();
    const first = service.started.length;
    service.arriveOnce('other');
    for (let index = 0; index < 5; index += 1) service.arriveOnce('known', 'owner');
    service.pass(1000);

    expect(service.started.slice(first)).toEqual(['known', 'known', 'other', 'known', 'known', 'known']);
  });

  it('sign-ins from known devices do not hide that the queue stands', () => {
    let owner = 0;
    for (let second = 0; second < 30; second += 1) {
      service.flow(100, 2);
      service.arriveOnce('known', `owner-${(owner += 1)}`);
    }
    service.durations = [];

    service.flow(5000, 2);

    expect(Math.max(...service.durations)).toBeLessThanOrEqual(TARGET + 20);
  });
});

it('a sign-in whose client leaves while it waits is never begun and frees its place', () => {
  service.arrive(service.queue.limit - 1);
  const gone = service.arriveOnce('gone');
  expect(service.queue.isRejecting()).toBe(true);

  gone?.leave();

  expect(service.queue.isRejecting()).toBe(false);
  service.arriveOnce('next');
  service.pass(2000);
  expect(service.started).not.toContain('gone');
  expect(service.started).toContain('next');
});

it('while the database is silent, no sign-in waits longer than the longest wait, and those after it are served', () => {
  service.databaseMillis = 60_000;
  service.arrive(LENGTH);
  const { waiting } = service.queue;
  service.pass(MAX_WAIT);

  expect(service.rejected).toBe(waiting);
  expect(service.queue.waiting).toBe(0);

  service.pass(100_000);
  service.databaseMillis = 1;
  [service.rejected, service.durations] = [0, []];
  service.flow(1000, 0.15);
  service.pass(1000);

  expect(service.rejected).toBe(0);
  expect(service.durations).toHaveLength(150);
});

it('in any schedule, no sign-in is lost and no limit is exceeded', () => {
  const step = fc.record({
    signIns: fc.nat({ max: 60 }),
    owner: fc.option(fc.constantFrom('ada', 'ben'), { nil: undefined }),
    leaving: fc.nat({ max: 5 }),
    millis: fc.nat({ max: 200 }),
    hashMillis: fc.integer({ min: 1, max: 100 }),
    databaseMillis: fc.integer({ min: 1, max: 100 }),
  });
  fc.assert(
    fc.property(fc.nat({ max: 50 }), fc.array(step, { maxLength: 30 }), (length, steps) => {
      const simulation = new Simulation(length);
      let arrived = 0;
      for (const { signIns, owner, leaving, millis, ...costs } of steps) {
        Object.assign(simulation, costs);
        const places = Array.from({ length: signIns }, () => simulation.arriveOnce('', owner));
        const gone = places.filter((place) => place?.isWaiting).slice(0, leaving);
        for (const place of gone) place?.leave();
        arrived += signIns - gone.length;
        expect(simulation.queue.waiting).toBeLessThanOrEqual(length);
        simulation.pass(millis);
      }
      simulation.pass(100_000);
      expect(simulation.durations.length + simulation.rejected).toBe(arrived);
      expect(simulation.queue.waiting).toBe(0);
    }),
  );
});

// Replicas of the service with a database server, as the simulation sees them.
import { PasswordQueue } from '../../dist/platform/http/admission/password-queue.js';
import { Cores, CommitLog, Places } from './resources.mjs';
import { randomNumbers, Timeline } from './timeline.mjs';

const SEED = 20_261_130;
/** A hash takes nearly the same time each time. */
const HASH_SPREAD = 0.1;
/** Packaged values of `server.embedded`. */
const PACKAGED = { slots: 200, length: 100, maxWaitMillis: 3000, targetMillis: 300 };
const WITHOUT_LIMITS = { slots: Infinity, length: Infinity, maxWaitMillis: Infinity, targetMillis: 0 };

export class System {
  /**
   * `times` are those of `measuredPart`, `plan` has the number of `replicas`, their `cores` and `connections`,
   * `databaseCores`, and `networkMillis` from a statement to its result without the work of the database.
   */
  constructor(times, plan, { isLimited }) {
    this.timeline = new Timeline();
    this.random = randomNumbers(SEED);
    this.database = {
      cores: new Cores(this.timeline, plan.databaseCores),
      log: new CommitLog(this.timeline, times.flushMillis),
    };
    this.replicas = Array.from({ length: plan.replicas }, () => new Replica(this, times, plan, { isLimited }));
  }

  /** A proxy without knowledge of the replicas: the arrivals at each of them fluctuate as those of all. */
  anyReplica() {
    return this.replicas[Math.floor(this.random.between(0, this.replicas.length))];
  }

  /** Time for which each kind of resource was used so far, by the names of `limitsOf`. */
  busyMillis() {
    const sum = (of) => this.replicas.reduce((total, replica) => total + of(replica), 0);
    return {
      cores: sum((replica) => replica.cores.busyMillis),
      'event loops': sum((replica) => replica.loopMillis),
      database: this.database.cores.busyMillis,
      connections: sum((replica) => replica.connectionMillis),
    };
  }
}

class Replica {
  #system;
  #times;
  #networkMillis;
  #queue;
  #loop = new Places(1);
  #workers;
  #connections;
  loopMillis = 0;
  connectionMillis = 0;

  constructor(system, times, { cores, connections, networkMillis }, { isLimited }) {
    this.#system = system;
    this.#times = times;
    this.#networkMillis = networkMillis;
    this.#workers = new Places(cores);
    this.#connections = new Places(connections);
    this.cores = new Cores(system.timeline, cores);
    // All workers and the event loop share the cores, as the service measures it.
    const loopMillis = times.steps[0].loopMillis + times.steps[1].loopMillis;
    const pace = { workers: cores, millis: (times.hashMillis + loopMillis) / cores };
    this.#queue = new PasswordQueue({
      ...(isLimited ? PACKAGED : WITHOUT_LIMITS),
      pace: () => pace,
      now: () => system.timeline.now,
      later: (overdue, millis) => {
        if (isLimited) system.timeline.schedule(system.timeline.now + millis, overdue);
      },
    });
  }

  /** True if the person gets to the second step. */
  *passwordStep() {
    const { hashMillis, steps } = this.#times;
    const [{ statements, commits }] = steps;
    const place = yield this.#turn();
    if (place === undefined) return false;
    for (let read = commits; read < statements; read += 1) yield* this.#unit(steps[0], { statements: 1 });
    yield this.#workers.take();
    yield this.cores.use(hashMillis * this.#system.random.between(1 - HASH_SPREAD, 1 + HASH_SPREAD));
    this.#workers.giveBack();
    place.leave();
    yield* this.#units(steps[0], commits);
    return true;
  }

  *secondStep() {
    const [, step] = this.#times.steps;
    yield* this.#units(step, step.statements);
  }

  /** The wait for a turn to hash; undefined if the sign-in is rejected. */
  #turn() {
    return (resume) => {
      const place = this.#queue.enter((isAdmitted) => resume(isAdmitted ? place : undefined));
      if (!place?.isWaiting) resume(place);
    };
  }

  /** `statements` in as many transactions as the step has commits: all but the last one have one statement. */
  *#units(step, statements) {
    for (let unit = 1; unit < step.commits; unit += 1) yield* this.#unit(step, { statements: 1, isStored: true });
    yield* this.#unit(step, { statements: statements - step.commits + 1, isStored: true });
  }

  /** Statements on one connection, each after its part of the work of the event loop. */
  *#unit(step, { statements, isStored = false }) {
    const { random, database, timeline } = this.#system;
    yield this.#connections.take();
    const since = timeline.now;
    for (let statement = 0; statement < statements; statement += 1) {
      yield* this.#onLoop(random.exponential(step.loopMillis / step.statements));
      yield timeline.wait(this.#networkMillis);
      yield database.cores.use(random.exponential(step.databaseMillis / step.statements));
    }
    if (isStored) yield database.log.flush();
    this.connectionMillis += timeline.now - since;
    this.#connections.giveBack();
  }

  *#onLoop(millis) {
    yield this.#loop.take();
    yield this.cores.use(millis);
    this.loopMillis += millis;
    this.#loop.giveBack();
  }
}

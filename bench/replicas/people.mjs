// People who sign in at the simulated system.
import { System } from './system.mjs';

/** From the password to the code of the authenticator app. */
const TYPING_MILLIS = [5000, 15_000];
/** A rejected form is sent again by the browser after the delayed response (docs/explanation/overload.md). */
const REPEATS = 8;
const REJECTION_DELAY_MILLIS = 1000;
/** Enough that some always wait for the resource that is the limit. */
const CLIENTS_OF_REPLICA = 100;

/** Logins at random times, `perSecond` on average, which no queue rejects. */
export function steadyLogins(times, plan, { perSecond, seconds }) {
  const system = new System(times, plan, { isLimited: false });
  const { timeline, random } = system;
  const millis = [];
  function* login() {
    const start = timeline.now;
    yield* system.anyReplica().passwordStep();
    const typing = random.between(...TYPING_MILLIS);
    yield timeline.wait(typing);
    yield* system.anyReplica().secondStep();
    millis.push(timeline.now - start - typing);
  }
  function* arrivals() {
    for (;;) {
      yield timeline.wait(random.exponential(1000 / perSecond));
      timeline.start(login());
    }
  }
  timeline.start(arrivals());
  return observed(system, plan, millis, { warmUpSeconds: 20, seconds });
}

/** Clients that log in again at once: as many logins as the system can carry. */
export function saturatedLogins(times, plan, { seconds }) {
  const system = new System(times, plan, { isLimited: false });
  const { timeline } = system;
  const millis = [];
  function* client() {
    for (;;) {
      const start = timeline.now;
      yield* system.anyReplica().passwordStep();
      yield* system.anyReplica().secondStep();
      millis.push(timeline.now - start);
    }
  }
  for (let index = 0; index < CLIENTS_OF_REPLICA * plan.replicas; index += 1) timeline.start(client());
  return observed(system, plan, millis, { warmUpSeconds: 3, seconds });
}

/**
 * The completed logins per second, their times in milliseconds, and the use of each resource between 0 and 1, after a time in
 * which the system comes to its usual state.
 */
function observed(system, plan, millis, { warmUpSeconds, seconds }) {
  system.timeline.run(1000 * warmUpSeconds);
  millis.length = 0;
  const before = system.busyMillis();
  system.timeline.run(1000 * (warmUpSeconds + seconds));
  const busy = system.busyMillis();
  const use = (name, count) => (busy[name] - before[name]) / (1000 * seconds * count);
  return {
    rate: millis.length / seconds,
    millis,
    uses: {
      cores: use('cores', plan.replicas * plan.cores),
      'event loops': use('event loops', plan.replicas),
      database: use('database', plan.databaseCores),
      connections: use('connections', plan.replicas * plan.connections),
    },
  };
}

/** `people` who send the form within `seconds`: how many the first response rejects, and how many get the error page. */
export function burst(times, plan, { people, seconds }) {
  const system = new System(times, plan, { isLimited: true });
  const { timeline, random } = system;
  const result = { rejected: 0, lost: 0 };
  function* person() {
    yield timeline.wait(random.between(0, 1000 * seconds));
    for (let repeat = 0; !(yield* system.anyReplica().passwordStep()); repeat += 1) {
      if (repeat === 0) result.rejected += 1;
      if (repeat === REPEATS) {
        result.lost += 1;
        return;
      }
      yield timeline.wait(REJECTION_DELAY_MILLIS);
    }
    yield timeline.wait(random.between(...TYPING_MILLIS));
    yield* system.anyReplica().secondStep();
  }
  for (let index = 0; index < people; index += 1) timeline.start(person());
  timeline.run();
  return result;
}

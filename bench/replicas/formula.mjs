// The formulas of docs/how-to/deploy/sizing.md.

/** Share of each resource that a plan uses; the rest is for fluctuations. */
const PLANNED_USE = 0.7;
/** In a shorter burst, nearly all second steps come after its end. */
const SHORT_BURST_SECONDS = 10;

/** What one login needs; `networkMillis` is the time from a statement to its result without the work of the database. */
export function needsOf({ hashMillis, flushMillis, steps }, { networkMillis }) {
  const sum = (name) => steps.reduce((total, step) => total + step[name], 0);
  const [loopMillis, databaseMillis] = [sum('loopMillis'), sum('databaseMillis')];
  // At a commit, another flush may be in progress.
  const waitMillis = sum('statements') * networkMillis + 1.5 * sum('commits') * flushMillis;
  const connectionMillis = loopMillis + databaseMillis + waitMillis;
  return {
    loopMillis,
    databaseMillis,
    connectionMillis,
    coreMillis: loopMillis + hashMillis,
    idleMillis: connectionMillis + hashMillis,
  };
}

/** Logins per second that each resource can carry. */
export function limitsOf(needs, { replicas, cores, connections, databaseCores }) {
  return {
    cores: (1000 * replicas * cores) / needs.coreMillis,
    'event loops': (1000 * replicas) / needs.loopMillis,
    database: (1000 * databaseCores) / needs.databaseMillis,
    connections: (1000 * replicas * connections) / needs.connectionMillis,
  };
}

/** Logins per second that one replica can carry if the database can. */
export function limitOfReplica(needs, size) {
  return Math.min(...Object.values(limitsOf(needs, { ...size, replicas: 1, databaseCores: Infinity })));
}

/** Replicas and cores of the database for `perSecond` logins. */
export function planFor(needs, size, perSecond) {
  const replicas = Math.ceil(perSecond / (PLANNED_USE * limitOfReplica(needs, size)));
  return { ...size, replicas, databaseCores: databaseCoresFor(needs, perSecond) };
}

export function databaseCoresFor(needs, perSecond) {
  return Math.ceil((perSecond * needs.databaseMillis) / 1000 / PLANNED_USE);
}

/** People per second that one replica serves in a burst. */
export function burstRateOfReplica({ steps, ...times }, size, seconds) {
  const within = seconds > SHORT_BURST_SECONDS ? steps : steps.slice(0, 1);
  return limitOfReplica(needsOf({ ...times, steps: within }, size), size);
}

/** Use of each resource between 0 and 1. A connection is also held while its request waits for another resource. */
export function usesOf(needs, plan, perSecond) {
  const waits = waitsOf(needs, plan, perSecond);
  const held = needs.connectionMillis + waits.loopMillis + waits.databaseMillis;
  const limits = limitsOf({ ...needs, connectionMillis: held }, plan);
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, perSecond / limit]));
}

/** Time of the slowest of a hundred logins: the idle time, the mean waits for event loop and database, a rare one for cores. */
export function slowestMillis(needs, plan, perSecond) {
  const { loopMillis, databaseMillis, rareCoreMillis } = waitsOf(needs, plan, perSecond);
  return needs.idleMillis + loopMillis + databaseMillis + rareCoreMillis;
}

function waitsOf(needs, plan, perSecond) {
  const { cores, 'event loops': loops, database } = limitsOf(needs, plan);
  const loopUse = perSecond / loops;
  // Hashes take the same time each, so that waits are half as long as for random times.
  const leavingPerMilli = (2 * plan.cores * (1 - perSecond / cores)) / needs.coreMillis;
  const freePerMilli = (plan.databaseCores * (1 - perSecond / database)) / needs.databaseMillis;
  return {
    loopMillis: (needs.loopMillis * loopUse) / (1 - loopUse),
    databaseMillis: shareThatWaits(plan.databaseCores, perSecond / database) / freePerMilli,
    rareCoreMillis: Math.max(0, Math.log(100 * shareThatWaits(plan.cores, perSecond / cores))) / leavingPerMilli,
  };
}

/** Erlang C. */
function shareThatWaits(servers, use) {
  let blocked = 1;
  for (let server = 1; server <= servers; server += 1) {
    blocked = (use * servers * blocked) / (server + use * servers * blocked);
  }
  return blocked / (1 - use * (1 - blocked));
}

// The number of replicas for a burst of people, by the formula and in the simulation, which uses the queue of the service.
import { goal } from '../measure.mjs';
import { burstRateOfReplica, databaseCoresFor, limitOfReplica, needsOf } from './formula.mjs';
import { burst } from './people.mjs';

const SIZES = [2, 4].map((cores) => ({ cores, connections: 10, networkMillis: 0.3 }));
const PEOPLE = [500, 2000, 10_000];
const WITHIN_SECONDS = [5, 10, 30];
/**
 * What must happen to nobody: by which count of `burst`, how many seconds longer than the burst the replicas may take, and what
 * factor of the people that the formula allows is too many.
 */
const FATES = {
  'is rejected': { count: 'rejected', extraSeconds: 0, tooMany: 1.1 },
  // The browser sends the form again for up to eight seconds, but which forms find a place then is chance.
  'gets an error page': { count: 'lost', extraSeconds: 2, tooMany: 1.35 },
};
const FEW_ENOUGH = 0.9;

export function burstPart(times) {
  for (const size of SIZES) for (const fate of Object.keys(FATES)) table(times, size, fate);
  for (const fate of Object.keys(FATES)) for (const seconds of WITHIN_SECONDS) judge(times, fate, seconds);
}

function table(times, size, fate) {
  console.log(`  replicas of ${size.cores} cores, so that nobody ${fate}: by the formula, in the simulation`);
  for (const people of PEOPLE) {
    const cells = WITHIN_SECONDS.map((seconds) => {
      const formula = Math.ceil(people / mostPeople(times, size, { seconds, fate }));
      return `${formula}, ${fewest(times, size, { people, seconds, fate, from: formula })} for ${seconds} s`;
    });
    console.log(`    ${String(people).padStart(6)} people: ${cells.join('; ')}`);
  }
}

/** Most people for one replica by the formula. */
function mostPeople(times, size, { seconds, fate }) {
  return burstRateOfReplica(times, size, seconds) * (seconds + FATES[fate].extraSeconds);
}

/** Fewest replicas that suffice in the simulation. */
function fewest(times, size, { people, seconds, fate, from }) {
  const suffice = (replicas) => affected(times, { ...size, replicas }, { people, seconds, fate }) === 0;
  let replicas = from;
  while (!suffice(replicas)) replicas += 1;
  while (replicas > 1 && suffice(replicas - 1)) replicas -= 1;
  return replicas;
}

function judge(times, fate, seconds) {
  const { tooMany } = FATES[fate];
  const plan = { ...SIZES.at(-1), replicas: 2 };
  const most = plan.replicas * mostPeople(times, plan, { seconds, fate });
  const [few, many] = [FEW_ENOUGH, tooMany].map((factor) =>
    affected(times, plan, { people: Math.round(factor * most), seconds, fate }),
  );
  goal(
    `nobody of ${most.toFixed(0)} within ${seconds} s ${fate} by the formula; in the simulation ${few} of ${FEW_ENOUGH} times, ` +
      `${many} of ${tooMany} times as many`,
    few === 0 && many > 0,
  );
}

/** How many people have the fate in the simulation, with a database that is planned for what the replicas let through. */
function affected(times, plan, { people, seconds, fate }) {
  const needs = needsOf(times, plan);
  const perSecond = Math.min(people / seconds, plan.replicas * limitOfReplica(needs, plan));
  const databaseCores = databaseCoresFor(needs, perSecond);
  return burst(times, { ...plan, databaseCores }, { people, seconds })[FATES[fate].count];
}

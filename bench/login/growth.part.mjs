// (f) Compares the cost of a login with a thousand times as many users.
import { join } from 'node:path';
import { Crowd } from '../load/crowd.mjs';
import { fullLogin } from '../load/story.mjs';
import { goal } from '../measure.mjs';
import { REAL, Stand } from '../target/stand.mjs';
import { inTurns, medianRate } from '../turns.mjs';

const SECONDS = 2.5;
const FEW = 1000;
const MANY = 1_000_000;

export async function growthPart({ folder }) {
  const stands = {};
  for (const size of [FEW, MANY]) {
    const start = performance.now();
    stands[size] = await Stand.withUsers({ folder: join(folder, `users-${size}`), size, cost: REAL });
    console.log(`  ${size} users imported in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
  const services = {};
  const crowds = {};
  for (const size of [FEW, MANY]) {
    services[size] = await stands[size].start();
    crowds[size] = await Crowd.of(services[size].address);
  }
  try {
    const rateOf = (size) => crowds[size].rate((connection) => fullLogin(connection, stands[size].population), SECONDS);
    // Each user has three codes at first and one more every 30 seconds: further rounds would have to wait.
    const rates = await inTurns({ [FEW]: () => rateOf(FEW), [MANY]: () => rateOf(MANY) }, { rounds: 5 });
    const withFew = medianRate(`full login with ${FEW} users`, rates[FEW]);
    const part = medianRate(`full login with ${MANY} users`, rates[MANY]) / withFew;
    goal(`full logins with 10^6 users at 0.97 of those with 10^3 or more: ${part.toFixed(3)}`, part >= 0.97);
  } finally {
    for (const crowd of Object.values(crowds)) crowd.close();
    await Promise.all(Object.values(services).map((service) => service.stop()));
  }
}

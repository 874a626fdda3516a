// (a) Measures logins as a share of the rate of the bare password hash, and the same for a program without a framework that
// stores the same: the maximum that this machine permits.
import { join } from 'node:path';
import { BareHash } from '../hash/bare-rate.mjs';
import { Crowd } from '../load/crowd.mjs';
import { PASSWORD } from '../load/population.mjs';
import { fullLogin, passwordStep } from '../load/story.mjs';
import { goal } from '../measure.mjs';
import { readyHash, REAL, Stand, startYardstick } from '../target/stand.mjs';
import { inTurns, medianRate } from '../turns.mjs';

const SECONDS = 3;
const WARM_UP_SECONDS = 20;
const WARM_UP_TURNS = 4;
const USERS = 10_000;

export async function hashPart({ folder }) {
  const standOf = (role) => Stand.withUsers({ folder: join(folder, `hash-${role}`), size: USERS, cost: REAL });
  const stands = { service: await standOf('service'), yardstick: await standOf('yardstick') };
  const programs = { service: await stands.service.start(), yardstick: await startYardstick(stands.yardstick) };
  const crowds = {
    service: await Crowd.of(programs.service.address),
    yardstick: await Crowd.of(programs.yardstick.address),
  };
  const bareHash = new BareHash();
  const hash = readyHash(REAL);
  const passwordSteps = (role, seconds = SECONDS) =>
    crowds[role].rate((connection) => passwordStep(connection, stands[role].population.next()), seconds);
  const fullLogins = (role, seconds = SECONDS) =>
    crowds[role].rate((connection) => fullLogin(connection, stands[role].population), seconds);
  try {
    // Warm-up, as a service in use has its code compiled. In turns, because the service closes idle connections.
    for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) {
      for (const role of Object.keys(crowds)) await fullLogins(role, WARM_UP_SECONDS / WARM_UP_TURNS);
    }
    const rates = await inTurns(
      {
        bare: () => bareHash.rate({ hash, password: PASSWORD, seconds: SECONDS }),
        password: () => passwordSteps('service'),
        full: () => fullLogins('service'),
        yardstickPassword: () => passwordSteps('yardstick'),
        yardstickFull: () => fullLogins('yardstick'),
      },
      { rounds: 7 },
    );
    const most = medianRate('bare Argon2id', rates.bare);
    const partOf = (name, rounds) => medianRate(name, rounds) / most;
    const passwordPart = partOf('password step', rates.password);
    const fullPart = partOf('full login', rates.full);
    const yardstickPassword = partOf('yardstick, password step', rates.yardstickPassword);
    const yardstickFull = partOf('yardstick, full login', rates.yardstickFull);
    console.log(
      `  of the bare hash the yardstick has ${yardstickFull.toFixed(3)} as full logins, ${yardstickPassword.toFixed(3)} as password steps`,
    );
    goal(`full logins at 0.88 of the bare hash or more: ${fullPart.toFixed(3)}`, fullPart >= 0.88);
    goal(`password steps at 0.95 of the bare hash or more: ${passwordPart.toFixed(3)}`, passwordPart >= 0.95);
  } finally {
    for (const crowd of Object.values(crowds)) crowd.close();
    bareHash.stop();
    await Promise.all(Object.values(programs).map((program) => program.stop()));
  }
}

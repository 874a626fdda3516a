// (a) Measures logins as a share of the rate of the bare password hash, and of a program without a framework that stores the
// same: the maximum that this machine permits.
import { join } from 'node:path';
import { BareHash } from '../hash/bare-rate.mjs';
import { Crowd } from '../load/crowd.mjs';
import { PASSWORD } from '../load/population.mjs';
import { fullLogin, passwordStep } from '../load/story.mjs';
import { goal } from '../measure.mjs';
import { readyHash, REAL, Stand, startYardstick } from '../target/stand.mjs';
import { inTurns, medianRate, partOf } from '../turns.mjs';

const SECONDS = 3;
const WARM_UP_SECONDS = 20;
const WARM_UP_TURNS = 4;
const USERS = 10_000;

export async function hashPart({ folder, mariadb }) {
  await onEngine('SQLite', folder);
  if (mariadb) await onEngine('MariaDB', folder, mariadb);
}

async function onEngine(engine, folder, mariadb) {
  const standOf = async (role) =>
    Stand.withUsers({
      folder: join(folder, `hash-${role}-${engine}`),
      size: USERS,
      cost: REAL,
      database: await mariadb?.database(`a_${role}`),
    });
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
        bare: async () => ({ rate: await bareHash.rate({ hash, password: PASSWORD, seconds: SECONDS }) }),
        password: () => passwordSteps('service'),
        full: () => fullLogins('service'),
        yardstickPassword: () => passwordSteps('yardstick'),
        yardstickFull: () => fullLogins('yardstick'),
      },
      { rounds: 7 },
    );
    console.log(`  on ${engine}:`);
    medianRate('bare Argon2id', rates.bare);
    medianRate('password step', rates.password);
    medianRate('full login', rates.full);
    medianRate('yardstick, password step', rates.yardstickPassword);
    medianRate('yardstick, full login', rates.yardstickFull);
    const least = (what, part, limit) => goal(`${what} or more on ${engine}: ${part.toFixed(3)}`, part >= limit);
    least('full logins at 0.97 of the yardstick', partOf(rates.full, rates.yardstickFull), 0.97);
    least('full logins at 0.88 of the bare hash', partOf(rates.full, rates.bare), 0.88);
    least('password steps at 0.95 of the bare hash', partOf(rates.password, rates.bare), 0.95);
  } finally {
    for (const crowd of Object.values(crowds)) crowd.close();
    bareHash.stop();
    await Promise.all(Object.values(programs).map((program) => program.stop()));
  }
}

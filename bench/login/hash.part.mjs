// (a) How much of the rate of the bare password hash arrives as logins.
import { join } from 'node:path';
import { BareHash } from '../hash/bare-rate.mjs';
import { Crowd } from '../load/crowd.mjs';
import { PASSWORD } from '../load/population.mjs';
import { fullLogin, passwordStep } from '../load/story.mjs';
import { goal } from '../measure.mjs';
import { readyHash, REAL, Stand } from '../target/stand.mjs';
import { inTurns, medianRate } from './report.mjs';

const SECONDS = 3;
const WARM_UP_SECONDS = 10;

export async function hashPart({ folder }) {
  const stand = await Stand.withUsers({ folder: join(folder, 'hash'), size: 10_000, cost: REAL });
  const { population } = stand;
  const service = await stand.start();
  const bareHash = new BareHash();
  const crowd = await Crowd.of(service.address);
  try {
    const hash = readyHash(REAL);
    // A service in use has its code compiled.
    await crowd.rate((connection) => fullLogin(connection, population), WARM_UP_SECONDS);
    const { bare, password, full } = await inTurns(
      {
        bare: () => bareHash.rate({ hash, password: PASSWORD, seconds: SECONDS }),
        password: () => crowd.rate((connection) => passwordStep(connection, population.next()), SECONDS),
        full: () => crowd.rate((connection) => fullLogin(connection, population), SECONDS),
      },
      { rounds: 7 },
    );
    const most = medianRate('bare Argon2id', bare);
    const passwordPart = medianRate('password step', password) / most;
    const fullPart = medianRate('full login', full) / most;
    goal(`full logins at 0.88 of the bare hash or more: ${fullPart.toFixed(3)}`, fullPart >= 0.88);
    goal(`password steps at 0.95 of the bare hash or more: ${passwordPart.toFixed(3)}`, passwordPart >= 0.95);
  } finally {
    crowd.close();
    bareHash.stop();
    await service.stop();
  }
}

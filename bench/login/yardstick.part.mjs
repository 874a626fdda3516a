// (b) Compares the cost of a login without the password hash with a program without a framework that stores the same.
import { join } from 'node:path';
import { Crowd } from '../load/crowd.mjs';
import { fullLogin } from '../load/story.mjs';
import { goal } from '../measure.mjs';
import { CHEAP, Stand, startYardstick } from '../target/stand.mjs';
import { inTurns, medianRate, partOf } from '../turns.mjs';

const SECONDS = 3;
const USERS = 30_000;
const ENGINES = [
  { name: 'SQLite', least: 1.5 },
  { name: 'MariaDB', least: 0.85 },
];

export async function yardstickPart({ folder, mariadb }) {
  for (const { name, least } of ENGINES) {
    if (name === 'MariaDB' && !mariadb) continue;
    const standOf = async (role) =>
      Stand.withUsers({
        folder: join(folder, `${role}-${name}`),
        size: USERS,
        cost: CHEAP,
        database: name === 'MariaDB' ? await mariadb.database(`b_${role}`) : undefined,
      });
    const ofService = await standOf('service');
    const ofYardstick = await standOf('yardstick');
    const service = await ofService.start();
    const yardstick = await startYardstick(ofYardstick);
    const crowds = [await Crowd.of(service.address), await Crowd.of(yardstick.address)];
    try {
      const rateOf = (crowd, { population }) => crowd.rate((connection) => fullLogin(connection, population), SECONDS);
      const rates = await inTurns(
        { service: () => rateOf(crowds[0], ofService), yardstick: () => rateOf(crowds[1], ofYardstick) },
        { rounds: 7 },
      );
      medianRate(`yardstick, full login on ${name}`, rates.yardstick);
      medianRate(`service, full login on ${name}`, rates.service);
      const part = partOf(rates.service, rates.yardstick);
      goal(`full logins at ${least} of the yardstick or more on ${name}: ${part.toFixed(3)}`, part >= least);
    } finally {
      for (const crowd of crowds) crowd.close();
      await Promise.all([service.stop(), yardstick.stop()]);
    }
  }
}

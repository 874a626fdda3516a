// (g) Measures how many cores one process can use: the password workers take all cores, but every login also needs the one
// thread of the event loop.
import { join } from 'node:path';
import { Crowd } from '../load/crowd.mjs';
import { fullLogin } from '../load/story.mjs';
import { median } from '../measure.mjs';
import { CHEAP, REAL, Stand } from '../target/stand.mjs';
import { LoopDelay } from '../watch/loop-delay.mjs';

const SECONDS = 3;
const ROUNDS = 5;
const WARM_UP_SECONDS = 5;
const USERS = 30_000;
const ENGINES = ['SQLite', 'MariaDB'];

export async function coresPart({ folder, mariadb }) {
  for (const engine of ENGINES) {
    if (engine === 'MariaDB' && !mariadb) continue;
    const timesWith = async (name, cost) => {
      const options = { folder: join(folder, `cores-${engine}-${name}`), size: USERS, cost };
      const database = engine === 'MariaDB' ? await mariadb.database(`cores_${name}`) : undefined;
      return timesOfLogins(await Stand.withUsers({ ...options, database }));
    };
    // With a cheap hash the event loop is busy, and its time for a login is that of a process with many cores.
    const { loopMillis } = await timesWith('cheap', CHEAP);
    const { otherMillis } = await timesWith('real', REAL);
    console.log(
      `  full login on ${engine}: ${loopMillis.toFixed(2)} ms of the event loop and ${otherMillis.toFixed(1)} ms of other threads`,
    );
    const cores = (loopMillis + otherMillis) / loopMillis;
    const rate = (1000 / loopMillis).toFixed(0);
    console.log(
      `  so one process uses ${cores.toFixed(1)} cores at most, for ${rate} full logins a second on ${engine}`,
    );
  }
}

/** Medians of the processor time for a full login: of the thread of the event loop, and of all others. */
async function timesOfLogins(stand) {
  const loopDelay = new LoopDelay(join(stand.folder, 'times.json'));
  const service = await stand.start({ node: loopDelay.nodeArguments });
  const crowd = await Crowd.of(service.address);
  const rounds = [];
  try {
    await crowd.rate((connection) => fullLogin(connection, stand.population), WARM_UP_SECONDS);
    for (let round = 0; round < ROUNDS; round += 1) {
      let logins = 0;
      const before = await loopDelay.take(service);
      await crowd.rate(async (connection) => {
        await fullLogin(connection, stand.population);
        logins += 1;
      }, SECONDS);
      const after = await loopDelay.take(service);
      const loopMillis = (after.loopMillis - before.loopMillis) / logins;
      rounds.push({ loopMillis, otherMillis: (after.cpuMillis - before.cpuMillis) / logins - loopMillis });
    }
  } finally {
    crowd.close();
    await service.stop();
  }
  return {
    loopMillis: median(rounds.map((round) => round.loopMillis)),
    otherMillis: median(rounds.map((round) => round.otherMillis)),
  };
}

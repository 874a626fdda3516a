// (c) and (d) Measures how long other requests wait while the password step is at capacity.
import { join } from 'node:path';
import { Crowd } from '../load/crowd.mjs';
import { percentile, Probe } from '../load/latency.mjs';
import { fullLogin, passwordStep, refresh, secondStep, trivial } from '../load/story.mjs';
import { goal } from '../measure.mjs';
import { REAL, Stand } from '../target/stand.mjs';
import { LoopDelay } from '../watch/loop-delay.mjs';

const SAMPLES = 600;
const PER_SECOND = 40;
const ENGINES = [
  { name: 'SQLite', p50: 4, p99: 20 },
  { name: 'MariaDB', p50: 25, p99: 60 },
];

export async function latencyPart({ folder, mariadb }) {
  for (const limits of ENGINES) {
    if (limits.name === 'MariaDB' && !mariadb) continue;
    await latencyOn(limits, {
      folder: join(folder, `latency-${limits.name}`),
      size: 10_000,
      cost: REAL,
      database: limits.name === 'MariaDB' ? await mariadb.database('latency') : undefined,
    });
  }
}

async function latencyOn({ name, p50, p99 }, options) {
  const stand = await Stand.withUsers(options);
  const { population } = stand;
  const loopDelay = new LoopDelay(join(options.folder, 'loop-delay.json'));
  const service = await stand.start({ node: loopDelay.nodeArguments });
  const crowd = await Crowd.of(service.address);
  const probe = await Probe.of(service.address);
  const bystander = await Probe.of(service.address);
  const turns = Array.from({ length: SAMPLES }, (_, index) => index);
  const all = { trivial: [], delays: [] };

  /** Times of `turn` for each item, and the event-loop delay, while all clients request password steps. */
  const whileSaturated = (items, turn) =>
    crowd.during(
      (connection) => passwordStep(connection, population.next()),
      async () => {
        await loopDelay.take(service);
        const [times, trivialTimes] = await Promise.all([
          probe.times(items, turn, { perSecond: PER_SECOND }),
          bystander.times(turns, trivial, { perSecond: PER_SECOND }),
        ]);
        all.delays.push(await loopDelay.take(service));
        all.trivial.push(...trivialTimes);
        return times;
      },
    );

  try {
    // Warm-up, as for a service in use.
    await crowd.rate((connection) => fullLogin(connection, population), 3);

    const halfLogins = await crowd.each(turns, async (connection) => {
      const user = population.next();
      return { user, mfaToken: await passwordStep(connection, user) };
    });
    const second = await whileSaturated(halfLogins, (connection, { user, mfaToken }) =>
      secondStep(connection, user, mfaToken, population.takeCode(user)),
    );
    judge(`second step on ${name}`, second, { p50, p99 });

    const refreshTokens = await crowd.each(turns, (connection) => fullLogin(connection, population));
    const refreshed = await whileSaturated(refreshTokens, refresh);
    judge(`refresh on ${name}`, refreshed, { p50, p99 });

    judge(`trivial route on ${name}`, all.trivial, { p99: 20 });
    const delay = Math.max(...all.delays.map((each) => each.p99));
    const longest = Math.max(...all.delays.map((each) => each.max));
    goal(`event-loop delay on ${name}: p99 ${delay.toFixed(1)} ms, at most 10`, delay <= 10);
    goal(`event-loop delay on ${name}: longest ${longest.toFixed(1)} ms, at most 50`, longest <= 50);
  } finally {
    for (const open of [crowd, probe, bystander]) open.close();
    await service.stop();
  }
}

function judge(what, times, limits) {
  for (const [name, part] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ]) {
    if (limits[name] === undefined) continue;
    const time = percentile(times, part);
    const text = `${what} while passwords are checked: ${name} ${time.toFixed(1)} ms, at most ${limits[name]}`;
    goal(`${text} (${times.length} samples)`, time <= limits[name]);
  }
}

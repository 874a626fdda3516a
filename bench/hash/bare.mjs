// The yardstick of the password step: only the hash, in the same kind of pool, requested as often at once as the service has
// clients. `bare-rate.mjs` starts it; it responds to each message { hash, password, seconds } with a rate.
import { setTimeout as sleep } from 'node:timers/promises';
import { CLIENTS, RAMP_MILLIS } from '../load/crowd.mjs';
import { hashPool } from './pool.mjs';

const pool = hashPool();

process.on('message', async ({ hash, password, seconds }) => {
  let isOver = false;
  let done = 0;
  const loops = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      if (!(await pool.run({ hash, password }))) throw new Error('the hash does not match the password');
      done += 1;
    }
  });
  await sleep(RAMP_MILLIS);
  const before = { done, at: performance.now() };
  await sleep(seconds * 1000);
  const rate = ((done - before.done) * 1000) / (performance.now() - before.at);
  isOver = true;
  await Promise.all(loops);
  process.send({ rate });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd } from '../load/crowd.mjs';
import { fullLogin } from '../load/story.mjs';
import { residentMegabytes } from './program.mjs';

const IDLE_SECONDS = 5;
const SAMPLES_PER_SECOND = 2;

/** Starts the service: its resident memory in MB some seconds later, and the maximum while clients log in. */
export async function memoryOf(stand, { loadSeconds }) {
  const service = await stand.start();
  try {
    await sleep(IDLE_SECONDS * 1000);
    const idle = await residentMegabytes(service.pid);
    let most = idle;
    const crowd = await Crowd.of(service.address);
    const watch = async () => {
      for (let sample = 0; sample < loadSeconds * SAMPLES_PER_SECOND; sample += 1) {
        await sleep(1000 / SAMPLES_PER_SECOND);
        most = Math.max(most, await residentMegabytes(service.pid));
      }
    };
    await crowd.during((connection) => fullLogin(connection, stand.population), watch);
    crowd.close();
    return { idle, most };
  } finally {
    await service.stop();
  }
}

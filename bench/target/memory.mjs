import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd } from '../load/crowd.mjs';
import { fullLogin } from '../load/story.mjs';
import { residentMegabytes } from './program.mjs';

/** V8 collects the garbage of a startup when little has been allocated for eight seconds. */
const IDLE_SECONDS = 15;
const SAMPLES_PER_SECOND = 2;

/** Starts the service: its resident memory in MB some seconds later, and the maximum while clients log in. */
export async function memoryOf(stand, { loadSeconds }) {
  const service = await stand.start();
  try {
    await sleep(IDLE_SECONDS * 1000);
    const idle = await residentMegabytes(service.pid);
    const crowd = await Crowd.of(service.address);
    const { most } = await maximumDuring(service.pid, () =>
      crowd.during(
        (connection) => fullLogin(connection, stand.population),
        () => sleep(loadSeconds * 1000),
      ),
    );
    crowd.close();
    return { idle, most };
  } finally {
    await service.stop();
  }
}

/** Runs `load` and returns its result, with the maximum of the resident memory of a process meanwhile in MB. */
export async function maximumDuring(pid, load) {
  let most = 0;
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      most = Math.max(most, await residentMegabytes(pid));
      await sleep(1000 / SAMPLES_PER_SECOND);
    }
    most = Math.max(most, await residentMegabytes(pid));
  };
  const watching = watch();
  try {
    const result = await load();
    isOver = true;
    await watching;
    return { result, most };
  } finally {
    isOver = true;
  }
}

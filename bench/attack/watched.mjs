import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd } from '../load/crowd.mjs';
import { goal } from '../measure.mjs';
import { maximumDuring } from '../target/memory.mjs';
import { residentMegabytes } from '../target/program.mjs';

const IDLE_SECONDS = 5;
const LATER_SECONDS = 60;
const MOST_MEGABYTES = 280;

/**
 * Starts the service of a stand, with more settings, and judges its resident memory while `attack` runs with a crowd of clients; the attack
 * returns the number of its attempts.
 */
export async function watchedAttack(stand, what, attack, settings = []) {
  const service = await stand.start({ settings, output: join(stand.folder, 'service.log') });
  try {
    await sleep(IDLE_SECONDS * 1000);
    const before = await residentMegabytes(service.pid);
    const crowd = await Crowd.of(service.address);
    const start = performance.now();
    const { result: attempts, most } = await maximumDuring(service.pid, () => attack(crowd));
    const seconds = (performance.now() - start) / 1000;
    crowd.close();
    await sleep(LATER_SECONDS * 1000);
    const later = await residentMegabytes(service.pid);
    console.log(`  ${attempts} ${what} in ${seconds.toFixed(0)} s, ${(attempts / seconds).toFixed(0)} a second`);
    console.log(`  resident memory ${before.toFixed(0)} MB before and ${later.toFixed(0)} MB a minute after them`);
    goal(`maximum during ${what}: ${most.toFixed(0)} MB, at most ${MOST_MEGABYTES}`, most <= MOST_MEGABYTES);
  } finally {
    await service.stop();
  }
}

/** Sends one request of an attack; fails if the response has another status, because the attack then measures nothing. */
export async function expectStatus(connection, text, status) {
  const answer = await connection.send(text);
  if (answer.status === status) return answer;
  throw new Error(`expected ${status}, but got ${answer.status}: ${answer.body.slice(0, 500)}`);
}

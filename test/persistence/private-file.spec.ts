import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

const SOURCE = new URL('../../src/persistence/private-file.ts', import.meta.url);
const RACERS = 4;
const ROUNDS = 200;

/** Meets the others before every round, so that all ask for the same new folders at once. */
const RACER = `
  import { join } from 'node:path';
  import { workerData } from 'node:worker_threads';
  const { createPrivateFile } = await import(workerData.source);
  const arrived = new Int32Array(workerData.arrived);
  for (let round = 0; round < workerData.rounds; round += 1) {
    Atomics.add(arrived, round, 1);
    while (Atomics.load(arrived, round) < workerData.racers);
    createPrivateFile(join(workerData.folder, String(round), 'a', 'b', 'login.db'));
  }
`;

describe('the file of an embedded database', () => {
  it('is made by several processes that start at once, each finding it there', async () => {
    const folder = temporaryFolder();
    const arrived = new SharedArrayBuffer(ROUNDS * Int32Array.BYTES_PER_ELEMENT);
    const workerData = { source: SOURCE.href, folder, arrived, racers: RACERS, rounds: ROUNDS };
    const script = new URL(`data:text/javascript,${encodeURIComponent(RACER)}`);

    const workers = Array.from({ length: RACERS }, () => new Worker(script, { workerData }));
    const ends = workers.map(
      (worker) => new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject)),
    );
    try {
      expect(await Promise.all(ends)).toEqual(Array(RACERS).fill(0));
    } finally {
      // Where one has failed, the others wait for it.
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
    expect(statSync(join(folder, String(ROUNDS - 1), 'a', 'b', 'login.db')).mode & 0o777).toBe(0o600);
  });
});

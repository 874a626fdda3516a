import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/programs/temporary-folder.js';
import { makeFolder, makeFolderNow } from './make-folder.js';

const atOnce = async (path: string, mode: number): Promise<void> => {
  await Promise.resolve();
  makeFolderNow(path, mode);
};

describe.each([
  ['by makeFolder', makeFolder],
  ['by makeFolderNow', atOnce],
])('a folder %s', (_, make) => {
  it('is created with its parents, with access for its owner only', async () => {
    const above = join(temporaryFolder('folder'), 'a');
    await make(join(above, 'b', 'c'), 0o750);

    const modes = [above, join(above, 'b'), join(above, 'b', 'c')].map((each) => statSync(each).mode & 0o027);
    expect(modes).toEqual([0, 0, 0]);
  });

  it('may exist already, and may be created concurrently', async () => {
    const folder = join(temporaryFolder('folder'), 'a', 'b', 'c');

    await Promise.all(Array.from({ length: 8 }, () => make(folder, 0o700)));
    await make(folder, 0o700);

    expect(existsSync(folder)).toBe(true);
  });

  it('cannot be created below a file, or in place of one', async () => {
    const file = join(temporaryFolder('folder'), 'file');
    writeFileSync(file, '');

    await expect(make(join(file, 'a', 'b'), 0o700)).rejects.toThrow('ENOTDIR');
    await expect(make(file, 0o700)).rejects.toThrow('EEXIST');
  });

  it.runIf(existsSync('/proc/self'))('R12: is not created in a file system that reports it as missing', async () => {
    await expect(make('/proc/no-such-folder/logs', 0o700)).rejects.toThrow('ENOENT');
  });
});

const RACERS = 4;
const ROUNDS = 60;

/** Waits for the others before every round, so that all create the same folders at once. */
const RACER = `
  import { join } from 'node:path';
  import { workerData } from 'node:worker_threads';
  const { makeFolderNow } = await import(workerData.source);
  const arrived = new Int32Array(workerData.arrived);
  for (let round = 0; round < workerData.rounds; round += 1) {
    Atomics.add(arrived, round, 1);
    while (Atomics.load(arrived, round) < workerData.racers);
    makeFolderNow(join(workerData.folder, String(round), 'a', 'b'), 0o700);
  }
`;

it('a folder is created by concurrent threads without an error', async () => {
  const folder = temporaryFolder();
  const source = new URL('make-folder.ts', import.meta.url).href;
  const arrived = new SharedArrayBuffer(ROUNDS * Int32Array.BYTES_PER_ELEMENT);
  const workerData = { source, folder, arrived, racers: RACERS, rounds: ROUNDS };
  const script = new URL(`data:text/javascript,${encodeURIComponent(RACER)}`);

  const workers = Array.from({ length: RACERS }, () => new Worker(script, { workerData }));
  const ends = workers.map(
    (worker) => new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject)),
  );
  try {
    expect(await Promise.all(ends)).toEqual(Array(RACERS).fill(0));
  } finally {
    // If one has failed, the others wait for it.
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
});

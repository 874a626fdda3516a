import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { request } from '../../support/events/broker.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

const DIST = new URL('../../../dist/', import.meta.url);
const PROGRAM = `
  import { readOrCreateKeyFile } from '${new URL('platform/sealing/key-file.js', DIST).href}';
  import { SystemRandom } from '${new URL('kernel/random/random.js', DIST).href}';
  console.log(Buffer.from(readOrCreateKeyFile(process.argv[1], new SystemRandom())).toString('hex'));
`;

beforeAll(() => request('build'), 120_000);

it('processes that start at once use the same seal key from a file', async () => {
  const folder = join(temporaryFolder(), 'data');
  const start = async (): Promise<string> => {
    const args = ['--input-type=module', '--eval', PROGRAM, join(folder, 'seal.key')];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };

  const keys = await Promise.all(Array.from({ length: 8 }, start));

  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[\da-f]{64}\n$/);
  expect(readdirSync(folder)).toEqual(['seal.key']);
});

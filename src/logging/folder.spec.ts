import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { makeFolder } from './folder.js';

it('is made with those above it, for owner and group alone', async () => {
  const above = join(temporaryFolder('folder'), 'a');
  await makeFolder(join(above, 'b', 'c'));

  const modes = [above, join(above, 'b'), join(above, 'b', 'c')].map((each) => statSync(each).mode & 0o027);
  expect(modes).toEqual([0, 0, 0]);
});

it('may be there, and may be made by several at once', async () => {
  const folder = join(temporaryFolder('folder'), 'a', 'b', 'c');

  await Promise.all(Array.from({ length: 8 }, () => makeFolder(folder)));
  await makeFolder(folder);

  expect(existsSync(folder)).toBe(true);
});

it('cannot be made below a file', async () => {
  const file = join(temporaryFolder('folder'), 'file');
  writeFileSync(file, '');

  await expect(makeFolder(join(file, 'a', 'b'))).rejects.toThrow('ENOTDIR');
});

it.runIf(existsSync('/proc/self'))(
  'R12: that its file system refuses as if nothing were there is given up',
  async () => {
    await expect(makeFolder('/proc/no-such-folder/logs')).rejects.toThrow('ENOENT');
  },
);

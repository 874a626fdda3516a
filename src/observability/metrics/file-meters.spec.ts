import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/programs/temporary-folder.js';
import { addFileMeters } from './file-meters.js';
import { Meters } from './meters.js';

const HEAD = 'Limit                     Soft Limit           Hard Limit           Units     \n';

/** The value of `process.files.max.files` for the text of `/proc/<pid>/limits`. */
function maximum(limits: string): number | undefined {
  const file = join(temporaryFolder('limits'), 'limits');
  writeFileSync(file, limits);
  const meters = new Meters();
  addFileMeters(meters, file);
  return meters.find('process.files.max.files')?.series[0]?.meter.measure()[0]?.value;
}

it.runIf(process.platform === 'linux').each([
  [`${HEAD}Max open files            1024                 524288               files     \n`, 1024],
  [`${HEAD}Max open files            unlimited            unlimited            files     \n`, Infinity],
  [HEAD, NaN],
])('the maximum of open files is read from %j: %d', (limits, max) => {
  expect(maximum(limits)).toBe(max);
});

it('no meter of open files exists without the limits of the process', () => {
  const meters = new Meters();
  addFileMeters(meters, join(temporaryFolder('limits'), 'missing'));

  expect([...meters.families]).toEqual([]);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/programs/temporary-folder.js';
import { readBuildInfo } from './build-info.js';

it.each([
  ['whole', '{"build":{"name":"login-service"}}', { build: { name: 'login-service' } }],
  ['cut off', '{"build":{"na', {}],
  ['empty', '', {}],
])('readBuildInfo reads a file that is %s', (_, text, expected) => {
  const path = join(temporaryFolder(), 'build-info.json');
  writeFileSync(path, text);

  expect(readBuildInfo(pathToFileURL(path))).toEqual(expected);
});

it('readBuildInfo returns an empty object without a file', () => {
  expect(readBuildInfo(pathToFileURL(join(temporaryFolder(), 'build-info.json')))).toEqual({});
});

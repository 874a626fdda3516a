import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const MAX_FILES = 30;
const ROOMS = ['apps', 'config', 'identity', 'kernel', 'management', 'observability', 'platform', 'signin'];

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

it('src has eight rooms, and test has folders for the same eight', () => {
  expect(foldersIn(join(ROOT, 'src'))).toEqual([...ROOMS, 'resources'].sort());
  expect(foldersIn(join(ROOT, 'test'))).toEqual([...ROOMS, 'support'].sort());
});

it('no folder of src or test holds more than thirty files', () => {
  const files = ['src', 'test'].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath }) => parentPath.slice(ROOT.length + 1)),
  );
  const crowded = [...Map.groupBy(files, (folder) => folder)].filter(([, found]) => found.length > MAX_FILES);

  expect(crowded.map(([folder, found]) => `${folder}: ${found.length}`)).toEqual([]);
});

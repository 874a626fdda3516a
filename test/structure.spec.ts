import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const MAX_FILES = 30;
const RUNTIME = ['config', 'kernel', 'management', 'observability', 'platform'];
const ROOMS = ['apps', 'config', 'identity', 'kernel', 'management', 'observability', 'platform', 'signin'];

/** Paths of the files below a folder, from the root of the repository. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(relative(ROOT, parentPath), name));
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

it('src has eight rooms, and test has folders for the same eight and for examples', () => {
  expect(foldersIn(join(ROOT, 'src'))).toEqual([...ROOMS, 'resources'].sort());
  expect(foldersIn(join(ROOT, 'test'))).toEqual([...ROOMS, 'examples', 'support'].sort());
});

it('no folder of src or test holds more than thirty files', () => {
  const crowded = [...Map.groupBy(['src', 'test'].flatMap(filesBelow), dirname)].filter(
    ([, found]) => found.length > MAX_FILES,
  );

  expect(crowded.map(([folder, found]) => `${folder}: ${found.length}`)).toEqual([]);
});

it('the runtime has no texts for users: none of its files is in Korean', () => {
  const files = RUNTIME.flatMap((room) => filesBelow(`src/${room}`)).filter((path) => !path.endsWith('.spec.ts'));
  const korean = files.filter((path) => /\p{Script=Hangul}/u.test(readFileSync(join(ROOT, path), 'utf8')));

  expect(files.length).toBeGreaterThan(300);
  expect(korean).toEqual([]);
});

it('no folder of src holds more than one module', () => {
  const modules = filesBelow('src')
    .filter((path) => path.endsWith('.module.ts'))
    .flatMap((path) =>
      (readFileSync(join(ROOT, path), 'utf8').match(/^export class \w+Module\b/gm) ?? []).map(() => path),
    );
  const several = [...Map.groupBy(modules, dirname)].filter(([, found]) => found.length > 1);

  expect(modules.length).toBeGreaterThan(30);
  expect(several.map(([, found]) => found.join(' '))).toEqual([]);
});

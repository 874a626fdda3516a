import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const packagesOf = (folder: string): Readonly<Record<string, string>> => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package;
  return { ...dependencies, ...devDependencies };
};
const EXAMPLES = globSync('examples/*/package.json', { cwd: ROOT }).map((file) => join(ROOT, file, '..'));

it.each(EXAMPLES)('%s names the versions of packages with which it is tested', (folder) => {
  const tested = packagesOf(ROOT);
  const named = packagesOf(folder);

  expect(Object.keys(named)).not.toEqual([]);
  expect(named).toEqual(Object.fromEntries(Object.keys(named).map((name) => [name, tested[name]])));
});

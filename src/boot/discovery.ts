import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of all modules: `dist` of a build, `src` under test. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Imports every module of a role, such as `properties` for `account/role.properties.js`, and returns what they export.
 * Modules come in the order of their paths, so that the result does not depend on who imported one of them first.
 */
export async function exportsOf(role: 'properties' | 'rule'): Promise<readonly unknown[]> {
  const ending = new RegExp(`[.]${role}[.][jt]s$`);
  const files = filesBelow(ROOT).filter((file) => ending.test(file));
  const modules = await Promise.all(
    files.map((file) => import(pathToFileURL(file).href) as Promise<Readonly<Record<string, unknown>>>),
  );
  return modules.flatMap((module) => Object.values(module));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) return [path];
      return entry.name.startsWith('.') || entry.name === 'resources' ? [] : filesBelow(path);
    });
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of all modules: `dist` of a build, `src` under test. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The roles whose modules register what they export. @public `tools/bundle.mjs` imports it, and `filesOf`. */
export const ROLES = ['properties', 'rule', 'mapping'] as const;

type Role = (typeof ROLES)[number];

/** Imports every module of a role, such as `properties` for `identity/account/role.properties.js`, and returns what they export. */
export async function exportsOf(role: Role): Promise<readonly unknown[]> {
  const modules = await Promise.all(
    filesOf(role).map((file) => import(pathToFileURL(file).href) as Promise<Readonly<Record<string, unknown>>>),
  );
  return modules.flatMap((module) => Object.values(module));
}

/**
 * The modules of a role in the order of their paths, independent of the order of imports. `tools/bundle.mjs` writes
 * this list into the bundle in place of this module.
 * @public
 */
export function filesOf(role: Role): readonly string[] {
  const ending = new RegExp(`[.]${role}[.][jt]s$`);
  return filesBelow(ROOT).filter((file) => ending.test(file));
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

// Bundles what tsc wrote into dist/: main.js and cli.js become entries of few large files in dist/bundle/. A start then reads
// about a hundred files in place of thirteen hundred. The modules stay beside them, for ormconfig.ts, workers and benches.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** These packages find files of their own by their path, or only some installations load them. */
const EXTERNAL = ['@node-rs/argon2', 'iconv-lite', 'mysql2', 'pino', 'piscina'];

/** Modules that `boot/discovery.ts` finds by their names; a bundle has no folder to look into. */
const DISCOVERY = join('boot', 'discovery.js');

export async function bundle(dist) {
  const build = await rolldown({
    input: { main: join(dist, 'main.js'), cli: join(dist, 'cli.js') },
    platform: 'node',
    external: (specifier) => EXTERNAL.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
    plugins: [ownModules(dist), ownUrlsInChunks(dist)],
    onLog: failOnProblem,
  });
  await build.write({
    dir: dist,
    entryFileNames: '[name].js',
    chunkFileNames: 'bundle/[name].js',
    // Logs, /actuator/beans and error reports name classes.
    keepNames: true,
    sourcemap: true,
    // Like without a bundle, a module runs when it is first imported, not earlier.
    strictExecutionOrder: true,
  });
}

/** Reads the modules of the service with the source maps of tsc, their own URL, and the list of modules that register themselves. */
function ownModules(dist) {
  return {
    name: 'own-modules',
    load(id) {
      if (!id.startsWith(dist + sep)) return null;
      if (id === join(dist, DISCOVERY)) return discoveryOf(id);
      const map = `${id}.map`;
      return { code: withOwnUrl(id, dist), map: existsSync(map) ? JSON.parse(readFileSync(map, 'utf8')) : undefined };
    },
  };
}

/** Modules find resources and workers by paths relative to their own; in a bundle that is the path of the chunk. */
function withOwnUrl(id, dist) {
  const code = readFileSync(id, 'utf8');
  const path = relative(dist, id);
  if (!path.includes(sep)) return code;
  const url = `new URL(${JSON.stringify(`../${path}`)}, import.meta.url).href`;
  return code.replaceAll('import.meta.url', url);
}

/** The rewritten URLs hold in dist/bundle/ only, so no module that uses its URL may become part of an entry. */
function ownUrlsInChunks(dist) {
  return {
    name: 'own-urls-in-chunks',
    generateBundle(_, output) {
      for (const { isEntry, fileName, moduleIds = [] } of Object.values(output)) {
        const nested = moduleIds.filter(
          (id) => isEntry && relative(dist, id).includes(sep) && id.startsWith(dist + sep),
        );
        const wrong = nested.find((id) => readFileSync(id, 'utf8').includes('import.meta.url'));
        if (wrong !== undefined)
          this.error(`${fileName} contains ${wrong}, whose URL would be wrong: import it dynamically`);
      }
    },
  };
}

/** Replaces the look into folders by imports, in the same order. */
async function discoveryOf(module) {
  const { ROLES, filesOf } = await import(pathToFileURL(module).href);
  const imports = [];
  const roles = ROLES.map((role) => {
    const names = filesOf(role).map((file) => {
      const name = `module${imports.length}`;
      imports.push(`import * as ${name} from ${JSON.stringify(file)};`);
      return name;
    });
    return `${role}: [${names.join(', ')}]`;
  });
  return `${imports.join('\n')}
const modules = { ${roles.join(', ')} };
export const exportsOf = async (role) => modules[role].flatMap((module) => Object.values(module));
`;
}

/** Packages may name optional packages that are not installed; anything else that is reported is a mistake of ours. */
function failOnProblem(level, log) {
  const isOptional = log.code === 'UNRESOLVED_IMPORT' && log.message.includes('node_modules');
  if (level === 'warn' && !isOptional) throw new Error(log.message);
}

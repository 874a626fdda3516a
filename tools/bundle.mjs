// Bundles what tsc wrote into dist/: what main.js and cli.js import becomes few large files in dist/bundle/. A start then
// reads ten files in place of thirteen hundred. The modules stay beside them, for ormconfig.ts, workers and benches.
import { Buffer } from 'node:buffer';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** These packages find files of their own by their path, or only some installations load them. */
const EXTERNAL = ['@node-rs/argon2', 'iconv-lite', 'ioredis', 'mysql2', 'pino', 'piscina'];

/** Modules that `apps/server/discovery.ts` finds by their names; a bundle has no folder to look into. */
const DISCOVERY = join('apps', 'server', 'discovery.js');

/**
 * What tsc notes of properties and results. Nothing reads it, since every key, column and dependency names its type; it would
 * take a thousand maps at each startup.
 */
const UNREAD_TYPES = /^\s*__metadata\("design:(?:return)?type", .*\),?$/gm;

/** Stands for a driver that is not in the bundle. */
const NO_DRIVER = '\0no-driver';

export async function bundle(dist) {
  // The programs stay modules of their own and import from the bundle.
  const { bootstrap, ...early } = entriesOf(join(dist, 'main.js'), dist);
  const commands = entriesOf(join(dist, 'cli.js'), dist);
  const { plugin, groups } = startupGroups(bootstrap, Object.values(early));
  const build = await rolldown({
    input: { bootstrap, ...early, ...commands },
    platform: 'node',
    external: (specifier) => EXTERNAL.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
    plugins: [ownModules(dist), ownDatabases(), lazyTimeFormats(), plugin, onlyAscii()],
    // Packages of health indicators that the service does not use look for others with it.
    transform: { define: { 'import.meta.resolve': 'undefined' } },
    onLog: failOnProblem,
  });
  await build.write({
    dir: join(dist, 'bundle'),
    // For an ES module that imports `node:http`, Node would also load the HTTP client behind `fetch`.
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: { groups },
    // Logs, /actuator/beans and error reports name classes.
    keepNames: true,
    sourcemap: true,
    // Like without a bundle, a module runs when it is first imported, not earlier.
    strictExecutionOrder: true,
    charset: 'ascii',
    // The packages with their licenses stay beside the bundle.
    comments: false,
    // An `import` is not possible in code that src/apps/server/code-cache.ts runs.
    dynamicImportInCjs: false,
  });
}

/** The modules that a program imports, by their names. Makes the program import them from the bundle. */
function entriesOf(program, dist) {
  const entries = {};
  const code = readFileSync(program, 'utf8').replace(
    /(?<=(?:from |import\(|resolve\()')\.\/([\w/-]+\/([\w-]+))\.js(?=')/g,
    (_, path, name) => {
      entries[name] = join(dist, `${path}.js`);
      return `./bundle/${name}.cjs`;
    },
  );
  writeFileSync(program, code);
  return entries;
}

/**
 * What every startup of the service needs becomes one file, `service.cjs`, which src/apps/server/code-cache.ts knows by name: between
 * two files, each use of an export would be a call. What the programs import before it is `early.cjs`; what the service
 * imports later, and what only commands need, stays apart.
 */
function startupGroups(bootstrap, first) {
  let early, service;
  const plugin = {
    name: 'startup-groups',
    buildEnd(error) {
      if (error) return;
      const closureOf = (...ids) => {
        const found = new Set(ids);
        // The loop also visits modules that are added during the loop.
        for (const id of found) this.getModuleInfo(id)?.importedIds.forEach((imported) => found.add(imported));
        return found;
      };
      early = closureOf(...first);
      service = closureOf(bootstrap);
    },
  };
  const groups = [
    { name: 'early', test: (id) => early.has(id), priority: 1 },
    { name: 'service', test: (id) => service.has(id) },
  ];
  return { plugin, groups };
}

/** Reads the modules of the service with the source maps of tsc, their own URL, and the list of modules that register themselves. */
function ownModules(dist) {
  return {
    name: 'own-modules',
    load(id) {
      if (!id.startsWith(dist + sep)) return null;
      if (id === join(dist, DISCOVERY)) return discoveryOf(id);
      const map = `${id}.map`;
      return { code: ownCode(id, dist), map: existsSync(map) ? JSON.parse(readFileSync(map, 'utf8')) : undefined };
    },
  };
}

/** TypeORM loads the drivers of all databases, a third of its code; the service uses two of them. */
function ownDatabases() {
  return {
    name: 'own-databases',
    resolveId: {
      filter: { id: /^\.\/(?!better-sqlite3|mysql)[\w-]+\/\w+Driver$/ },
      handler: (_, importer) => (importer?.endsWith(join('typeorm', 'driver', 'DriverFactory.js')) ? NO_DRIVER : null),
    },
    load: (id) => (id === NO_DRIVER ? 'module.exports = {};' : null),
  };
}

/**
 * The loggers of NestJS, which the service replaces by its own, create a format of times when they are loaded. With the locale
 * data that it reads, this took 7 MB and 11 ms of each startup.
 */
function lazyTimeFormats() {
  const eager = /(?<=^const dateTimeFormatter = )new Intl\.DateTimeFormat\([^;]+\)(?=;$)/m;
  return {
    name: 'lazy-time-formats',
    load: {
      filter: { id: /@nestjs[/\\]common[/\\]services[/\\](?:console-)?logger\.service\.js$/ },
      handler(id) {
        const code = readFileSync(id, 'utf8');
        if (!eager.test(code)) this.error(`${id} creates its format of times in another way`);
        return code.replace(eager, (format) => `{ format: (time) => ${format}.format(time) }`);
      },
    },
  };
}

/**
 * Modules find resources and workers by paths relative to their own; in a bundle that is the path of its file. CommonJS has
 * no `await` at the top level; modules await only the list of modules there, which a bundle has at once. Any other form fails
 * the build.
 */
function ownCode(id, dist) {
  const url = `new URL(${JSON.stringify(`../${relative(dist, id)}`)}, import.meta.url).href`;
  const code = readFileSync(id, 'utf8')
    .replaceAll('import.meta.url', url)
    .replaceAll('await exportsOf(', 'exportsOf(')
    .replaceAll(UNREAD_TYPES, '');
  // The bundler escapes other characters in quoted texts, but not in templates.
  return code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** V8 keeps the text of the code, and a single other character would double its memory. */
function onlyAscii() {
  return {
    name: 'only-ascii',
    generateBundle(_, output) {
      for (const { code = '', fileName } of Object.values(output)) {
        if (Buffer.byteLength(code) !== code.length) this.error(`${fileName} is not ASCII`);
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
export const exportsOf = (role) => modules[role].flatMap((module) => Object.values(module));
`;
}

/**
 * Packages may name optional packages that are not installed, and commands import modules later that the service always
 * needs; anything else that is reported is a mistake of ours.
 */
function failOnProblem(level, log) {
  const isOptional = log.code === 'UNRESOLVED_IMPORT' && log.message.includes('node_modules');
  if (level === 'warn' && !isOptional && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
}

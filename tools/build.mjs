// Builds the service into dist/. With --if-stale, only if a source is newer than the last complete build, and never without
// sources or a compiler: a production copy has its own dist/.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beginBuild } from './build-folder.mjs';
import { buildInfo } from './build-info.mjs';
import { warmUp } from './warm-up.mjs';

const root = dirname(import.meta.dirname);
const dist = join(root, 'dist');
const stamp = join(dist, '.complete');
const onlyIfStale = process.argv.includes('--if-stale');

if (onlyIfStale && !isStale()) process.exit();

// Looked up before files are removed: a copy without the compiler must keep its dist/.
const nest = compiler();
if (!nest) {
  const goesOn = onlyIfStale && existsSync(stamp);
  console.error(
    goesOn
      ? 'The sources are newer than dist/, and there is no compiler here: going on with what was built.'
      : 'There is no compiler here: run "npm ci" first.',
  );
  process.exit(goesOn ? 0 : 1);
}

// The time before the build, so that a source that changes during the build makes it stale.
const startedAt = new Date();
const folder = beginBuild(root);
const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(1);
// Imported here, since a production copy has no bundler.
await import('./bundle.mjs').then(({ bundle }) => bundle(folder));
writeFileSync(join(dist, 'build-info.json'), `${JSON.stringify(buildInfo(root), undefined, 2)}\n`);
if (!(await warmUp())) console.error('No compiled code could be kept in dist/bundle/: startups take longer.');
writeFileSync(stamp, '');
utimesSync(stamp, startedAt, startedAt);

function compiler() {
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('@nestjs/cli/package.json');
    return join(dirname(manifest), 'bin/nest.js');
  } catch {
    return undefined;
  }
}

function isStale() {
  const sources = join(root, 'src');
  if (!existsSync(sources)) return false;
  if (!existsSync(stamp)) return true;
  const builtAt = statSync(stamp).mtimeMs;
  const settings = [
    'package.json',
    'nest-cli.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'tools/bundle.mjs',
    'tools/warm-up.mjs',
  ];
  if (settings.some((file) => statSync(join(root, file)).mtimeMs > builtAt)) return true;
  // Folders are included: their time changes when a file in them is deleted or renamed.
  const entries = readdirSync(sources, { recursive: true, withFileTypes: true });
  return [sources, ...entries.map((entry) => join(entry.parentPath, entry.name))].some(
    (path) => !path.endsWith('.spec.ts') && statSync(path).mtimeMs > builtAt,
  );
}

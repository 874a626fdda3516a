// Prints figures about the structure of src/. `--root <folder>` measures another checkout; `--story <name or file>` lists the
// files that a story runs through, for example `--story 'login controller'`; `--runs` lists the repeated runs of lines.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const MIN_LINES = 25;
const MAX_PARAMETERS = 5;
/** Minimum of significant lines (no import, comment or lone bracket) in a repeated run. */
const RUN_LINES = 6;

/** Folders that every other folder uses; a reader of a story does not have to open them. */
const FOUNDATION =
  /^src\/(?:[^/]+\/)?(?:errors|clock|random|encoding|collections|files|redaction|principal|config|metrics|logging|tls|sealing|tasks|persistence|http|web|server)\//;
/** Declarations that only name things: keys, tables, request and response schemas, route descriptions, modules. */
const DECLARATIONS =
  /[.](?:properties|entity|schema|shapes|shape|openapi|decorator|module|rule)[.]ts$|\/operations[.]ts$|meters[.]ts$/;

/** First files of each story, by their current and former names. */
const STORIES = {
  'login controller': ['src/signin/auth/api/login.controller.ts', 'src/auth/api/login.controller.ts'],
  'readiness endpoint': ['src/management/health/health.endpoint.ts'],
  'SAML controller': [
    ...['src/signin/saml/login/saml.controller.ts', 'src/signin/saml/login/acs.controller.ts'],
    ...['src/saml/login/saml.controller.ts', 'src/saml/login/acs.controller.ts'],
  ],
};

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: dirname(import.meta.dirname) },
    story: { type: 'string' },
    runs: { type: 'boolean' },
  },
});
const sources = readSources(values.root);
if (values.runs) listRuns();
else if (values.story === undefined) report();
else console.log([...reached(STORIES[values.story] ?? [values.story])].sort().join('\n'));

function readSources(root) {
  const names = readdirSync(join(root, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join('src', name))
    .sort();
  return new Map(names.map((name) => [name, sourceOf(name, readFileSync(join(root, name), 'utf8'))]));
}

function sourceOf(name, text) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const imports = file.statements
    .filter((node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    .filter((node) => node.moduleSpecifier?.text.startsWith('.'))
    .map((node) => ({
      path: normalize(join(dirname(name), node.moduleSpecifier.text)).replace(/[.]js$/, '.ts'),
      isType: isTypeOnly(node),
    }));
  const lazy = [...text.matchAll(/\bimport\('([.][^']+)'\)/g)].map(([, specifier]) => ({
    path: normalize(join(dirname(name), specifier)).replace(/[.]js$/, '.ts'),
    isType: false,
  }));
  return {
    text,
    lines: text.split('\n').length - 1,
    imports: [...imports, ...lazy],
    constructors: widestConstructor(file),
  };
}

function isTypeOnly(node) {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (!clause) return false;
  const bindings = clause.namedBindings;
  const names = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
  return clause.isTypeOnly || (!clause.name && names.length > 0 && names.every((element) => element.isTypeOnly));
}

function widestConstructor(file) {
  let widest = 0;
  const visit = (node) => {
    if (ts.isConstructorDeclaration(node) && node.body) widest = Math.max(widest, node.parameters.length);
    node.forEachChild(visit);
  };
  visit(file);
  return widest;
}

/** The files that a story runs through: runtime imports from its first file, without foundation and declarations. */
function reached(starts) {
  const seen = new Set();
  const open = starts.filter((name) => sources.has(name));
  while (open.length > 0) {
    const name = open.pop();
    if (seen.has(name) || (seen.size > 0 && (FOUNDATION.test(name) || DECLARATIONS.test(name)))) continue;
    seen.add(name);
    open.push(...(sources.get(name)?.imports ?? []).filter(({ isType }) => !isType).map(({ path }) => path));
  }
  return seen;
}

/** Runs of significant lines that occur in two places or more, each once at its full length, with its first place. */
function repeatedRuns() {
  const places = new Map();
  const files = [...sources].map(([name, { text }]) => [name, significant(text)]);
  for (const [name, lines] of files) {
    for (let at = 0; at + RUN_LINES <= lines.length; at += 1) {
      const key = lines.slice(at, at + RUN_LINES).join('\n');
      places.set(key, [...(places.get(key) ?? []), { name, at }]);
    }
  }
  const runs = [];
  for (const [name, lines] of files) {
    let run;
    for (let at = 0; at + RUN_LINES <= lines.length; at += 1) {
      const key = lines.slice(at, at + RUN_LINES).join('\n');
      const [first] = places.get(key);
      const isRepeat = first.name !== name || first.at !== at;
      if (!isRepeat) run = undefined;
      else if (run) run.lines.push(lines[at + RUN_LINES - 1]);
      else runs.push((run = { first: first.name, again: name, lines: lines.slice(at, at + RUN_LINES) }));
    }
  }
  return runs;
}

function listRuns() {
  for (const { first, again, lines } of repeatedRuns()) {
    console.log(`${first}\n${again}\n${lines.map((line) => `    ${line}`).join('\n')}\n`);
  }
}

function significant(text) {
  return text
    .replaceAll(/\/\*[^]*?\*\/|^import\b[^;]*;/gm, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[a-z]/i.test(line) && !/^(?:import\b|export [*{]|\/\/|\} from)/.test(line));
}

function report() {
  const sizes = [...sources.values()].map(({ lines }) => lines).sort((one, other) => one - other);
  const quantile = (part) => sizes[Math.min(sizes.length - 1, Math.floor(part * sizes.length))];
  const importers = new Map();
  for (const [name, { imports }] of sources) {
    for (const path of new Set(imports.map((each) => each.path))) {
      importers.set(path, [...(importers.get(path) ?? []), name]);
    }
  }
  const folders = Map.groupBy(sources.keys(), (name) => dirname(name));
  const [widest, inWidest] = [...folders].sort(([, one], [, other]) => other.length - one.length)[0];
  const small = sizes.filter((lines) => lines < MIN_LINES).length;
  const rows = [
    ['files', sizes.length],
    ['lines', sizes.reduce((sum, lines) => sum + lines, 0)],
    [
      'lines per file: p25 / median / p75 / max',
      [quantile(0.25), quantile(0.5), quantile(0.75), sizes.at(-1)].join(' / '),
    ],
    [`files under ${MIN_LINES} lines`, `${small} (${((100 * small) / sizes.length).toFixed(1)} %)`],
    ['files with one importer', [...importers.values()].filter((names) => names.length === 1).length],
    ['widest folder (files directly in it)', `${widest} (${inWidest.length})`],
    [
      `constructors with more than ${MAX_PARAMETERS} parameters`,
      [...sources.values()].filter(({ constructors }) => constructors > MAX_PARAMETERS).length,
    ],
    [`repeated runs of ${RUN_LINES} lines`, repeatedRuns().length],
    ...Object.entries(STORIES).map(([name, starts]) => [`files reached from the ${name}`, reached(starts).size]),
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(46)} ${value}`);
}

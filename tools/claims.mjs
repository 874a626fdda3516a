// Counts the tests that prove each security requirement, by the ids in their titles, in each tier, and writes
// docs/reference/claims.md. Tests that this machine would skip are counted, too.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createVitest } from 'vitest/node';

/** The requirements: the letter of each family, its number of ids, and what it is about. */
const FAMILIES = [
  ['T', 20, 'One-time codes, backup codes, lock'],
  ['P', 6, 'Password step'],
  ['J', 9, 'Access tokens'],
  ['S', 10, 'Refresh tokens, cookies, mailed links'],
  ['X', 17, 'Staff login by SAML'],
  ['H', 10, 'Input and HTTP'],
  ['M', 5, 'Management endpoints'],
  ['L', 4, 'Logs and events'],
  ['R', 14, 'Reliability'],
];
const IDS = FAMILIES.flatMap(([letter, count]) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`));
/** The ids at the beginning of a title, such as `T6, T14: `. */
const TITLE = /^((?:[A-Z]\d{1,2}, )*[A-Z]\d{1,2}): /;

const HEAD = [
  '# Claims',
  '',
  'A test that proves a security requirement has its id in its title. This page counts these tests by tier: `npm run check`,',
  '`npm test` and `npm run test:full`. `npm run claims` generates it; `test/claims.spec.ts` fails if a requirement has no test.',
  '',
];

const root = dirname(import.meta.dirname);

const tests = await collect('test');
const checked = tests.filter(({ project }) => project.name === 'unit');
write(count(checked), count(tests), count(await collect('full')));
// Workers of a collection may still hold handles.
process.exit();

/** The tests of a Vitest mode, without running them; those that this machine would skip are included. */
async function collect(mode) {
  const vitest = await createVitest('test', { root, mode, run: true, watch: false, reporters: [{}] }, { mode });
  try {
    const { testModules, unhandledErrors } = await vitest.collect([], { staticParse: false });
    const errors = [...unhandledErrors, ...testModules.flatMap((module) => module.errors())];
    if (errors.length > 0) throw new AggregateError(errors, 'tests could not be collected');
    return testModules.flatMap((module) => [...module.children.allTests()]);
  } finally {
    await vitest.close();
  }
}

/** The number of tests by id. The titles of the suites around a test belong to its claim. */
function count(cases) {
  const counts = new Map(IDS.map((id) => [id, 0]));
  for (const test of cases) {
    const ids = new Set(test.fullName.split(' > ').flatMap((title) => TITLE.exec(title)?.[1].split(', ') ?? []));
    for (const id of ids) if (counts.has(id)) counts.set(id, counts.get(id) + 1);
  }
  return counts;
}

function write(checked, tested, full) {
  const rows = (letter, length) =>
    IDS.filter((id) => id.startsWith(letter))
      .slice(0, length)
      .map((id) => `| ${id} | ${checked.get(id)} | ${tested.get(id)} | ${full.get(id)} |`);
  const sections = FAMILIES.flatMap(([letter, length, subject]) => [
    `## ${letter}: ${subject}`,
    '',
    '| Id | check | test | full |',
    '| --- | ---: | ---: | ---: |',
    ...rows(letter, length),
    '',
  ]);
  const page = join(root, 'docs/reference/claims.md');
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, [...HEAD, ...sections].join('\n'));
}

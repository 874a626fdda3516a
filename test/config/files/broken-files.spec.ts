import { fc } from '../../support/runner/property.js';
import { describe, expect, it } from 'vitest';
import { failureReport } from '../../../src/config/show/failure-report.js';
import { place, problemsOf, type ReportedProblem, valueOf } from '../support.js';

const INDENT = 'the indentation of this line is wrong, or a bracket above is not closed';
const MISSING = 'a colon, a closing quote or bracket, a comma or a space is missing';

const SPACES = 'a no-break space or another space of Unicode precedes the key: use spaces';

/** The problems of a file with this text; an exception fails the test. */
function problemsIn(text: string, name = 'application.yml'): readonly ReportedProblem[] {
  return problemsOf(place({ [`work/${name}`]: text }).read());
}

function broken(position: string, reason: string, name = 'application.yml'): ReportedProblem {
  return {
    what: 'A configuration file cannot be read',
    action: 'Correct the file at the position given.',
    facts: { Origin: `file [${name}] - ${position}`, Reason: reason },
  };
}

describe('errors in YAML files', () => {
  it.each([
    ['a bracket that is not closed', 'a: b\nc: [x, y\n', '3:1', INDENT],
    ['a brace that is not closed', 'a: {b: c\n', '2:1', INDENT],
    ['a quote that is not closed', 'a: "b\n', '2:1', MISSING],
    ['a line indented less than its neighbours', 'a:\n   b: x\n  c: y\n', '3:1', INDENT],
    ['a line without colon', 'a: b\nc\n', '2:1', MISSING],
    [
      'a value with a colon',
      'a: b: c\n',
      '1:4',
      'a key or value does not start on a line of its own; a text with ": " in it needs quotes',
    ],
    ['a tab that indents', 'a:\n\tb: c\n', '2:1', 'tabs are not allowed for indentation: use spaces'],
    ['C4: a no-break space that indents', 'a:\n\u00a0b: c\n', '2:1', SPACES],
    ['C4: no-break spaces behind spaces', 'a:\n  \u00a0\u00a0b: c\n', '2:3', SPACES],
    ['a value that starts with @', 'a: @b\n', '1:4', 'an unquoted text must not start with this character'],
    ['a percent sign', 'a: %b\n', '1:4', 'an unquoted text must not start with this character'],
    [
      'an escape YAML does not know',
      'a: "\\d"\n',
      '1:5',
      'a backslash in double quotes starts no known escape; in single quotes it is plain text',
    ],
    ['an alias without anchor', 'a: b\nc: *d\n', '2:4', 'the alias has no anchor of this name before it'],
    ['an alias before its anchor', 'a: *x\nb: &x c\n', '1:4', 'the alias has no anchor of this name before it'],
    ['a merge of a text', 'a: &x b\nc:\n  <<: *x\n', '3:3', 'a merge key takes mappings only'],
    ['a key that is a list', '? [a]\n: b\n', '1:3', 'a key must be a plain text'],
    ['a list as document', '- a\n- b\n', '1:1', 'a document must be a mapping of keys to values'],
    ['a text as document', 'just a text\n', '1:1', 'a document must be a mapping of keys to values'],
    [
      'a text as second document',
      'a: b\n---\nserver.port=80\n',
      '3:1',
      'a document must be a mapping of keys to values',
    ],
    ['a key written twice', 'a: b\nc: d\na: e\n', '3:1', 'this key exists in the mapping already'],
    ['a section written twice', 'a:\n  b: x\nc: d\na:\n  e: y\n', '4:1', 'this key exists in the mapping already'],
    ['an unknown tag', 'a: !x!y z\n', '1:4', 'unknown tag'],
    ['a second document in the first', 'a: "b\n--- c\n', '3:1', MISSING],
  ])('%s is reported with file, line and column', (_, text, position, reason) => {
    expect(problemsIn(text)).toEqual([broken(position, reason)]);
  });

  it('a broken file is reported with the files that import it', () => {
    const at = place({ 'work/application.yml': 'app.config.import: a.yml\n', 'work/a.yml': 'b: [\n' });

    expect(problemsOf(at.read())[0]?.facts['Origin']).toBe(
      'file [a.yml] - 2:1, imported from file [application.yml] - 1:20',
    );
  });

  it('a broken file is reported once although several locations include it', () => {
    const at = place({ 'work/application.yml': 'a: [\n' });

    const reading = at.read({
      args: ['--app.config.import=application.yml', '--app.config.additional-location=file:./'],
    });

    expect(reading.problems).toHaveLength(1);
  });

  it('broken files are reported with all other problems, and the remaining files are still read', () => {
    const at = place({
      'package/application.yml': 'test.key: x\n',
      'work/application.yml': 'a: [\n',
      'work/config/application.yml': 'server.port: y\n---\napp.config.name: z\n',
      'work/config/application.properties': 'a=\\u12\n',
    });

    const reading = at.read();

    expect(valueOf(reading, 'test.key')).toBe('x');
    expect(
      problemsOf(reading)
        .map(({ facts }) => facts['Origin'])
        .sort(),
    ).toEqual([
      'file [application.yml] - 2:1',
      'file [config/application.properties] - 1:3',
      'file [config/application.yml] - 1:14',
      'file [config/application.yml] - 3:18',
    ]);
  });
});

describe('secrets in broken lines', () => {
  const SECRET = 'hunter2';

  it.each([
    `password: "${SECRET}\n`,
    `password: '${SECRET}\n`,
    `password: [${SECRET}\n`,
    `password: {${SECRET}\n`,
    `password: *${SECRET}\n`,
    `password: &${SECRET} &${SECRET} x\n`,
    `password: !${SECRET}! x\n`,
    `password: !<${SECRET} x\n`,
    `password: @${SECRET}\n`,
    `password: |${SECRET}\n`,
    `password: >${SECRET}\n  x\n`,
    `password: "\\${SECRET}"\n`,
    `password: "\\x${SECRET}"\n`,
    `password: %${SECRET}\n`,
    `%${SECRET}\n---\npassword: [\n`,
    `%TAG ! ${SECRET}\n---\npassword: !a!${SECRET} [\n`,
    `password: a: ${SECRET}\n`,
    `password:${SECRET}\n`,
    `  password: x\n ${SECRET}\n`,
    `password: "x" ${SECRET}\n`,
    `password: [x] ${SECRET}\n`,
    `? [${SECRET}]\n: x\n`,
    `? {password: ${SECRET}}\n: x\n`,
    `${SECRET}\n`,
    `- ${SECRET}\n`,
    `password: x\npassword: ${SECRET}\n`,
    `password: x\npassWord: ${SECRET}\n`,
    `password: &a ${SECRET}\nb:\n  <<: *a\n`,
    `password: &a [${SECRET}]\nb:\n  <<: *a\n`,
    `${'x'.repeat(1025)}: ${SECRET}\n`,
    `password\n: ${SECRET}\n`,
    `password: \`${SECRET}\n`,
    `a:\n\t${SECRET}: b\n`,
    `a: b\n--- ${SECRET}\n`,
    `a: b\n... ${SECRET}\n`,
  ])('the report of a broken YAML file does not contain the secret: %j', (text) => {
    const { problems } = place({ 'work/application.yml': text }).read();

    expect(problems).toHaveLength(1);
    expect(failureReport(problems)).not.toContain(SECRET);
  });

  it.each([`password=${SECRET}\\uXYZ\n`, `password=${SECRET}\nb=\\u12\n`])(
    'the report of a broken .properties file does not contain the secret: %j',
    (text) => {
      const { problems } = place({ 'work/application.properties': text }).read();

      expect(problems).toHaveLength(1);
      expect(failureReport(problems)).not.toContain(SECRET);
    },
  );
});

describe('errors in .properties files', () => {
  it.each([
    ['a=C:\\users\\x\n', '1:3'],
    ['a=\\u12', '1:3'],
    ['a\\u00g0=x\n', '1:9'],
    ['a=x\\\\\\u\n', '1:3'],
    ['b=y\na=\\\n  \\u1', '3:3'],
  ])('a broken \\u escape is reported: %j', (text, position) => {
    expect(problemsIn(text, 'application.properties')).toEqual([
      broken(
        position,
        'after \\u four hexadecimal digits must follow; a backslash itself is written \\\\',
        'application.properties',
      ),
    ]);
  });
});

describe('spellings of one key in one document', () => {
  it.each([
    ['application.yml', 'test:\n  pool-size: 1\n  poolSize: 2\n', '2:14', '3:13'],
    ['application.yml', 'test.pool-size: 1\ntest:\n  POOL_SIZE: 2\n', '1:17', '3:14'],
    ['application.yml', 'test:\n  - x\ntest[0]: y\n', '2:5', '3:10'],
    ['application.properties', 'test.pool-size=1\ntest.poolSize=2\n', '1:16', '2:15'],
  ])('two spellings of one key in one document are rejected: %s %j', (name, text, first, second) => {
    expect(problemsIn(text, name)).toEqual([
      {
        what: 'One document sets the same key twice',
        action: 'Keep one of the two.',
        facts: {
          First: expect.stringContaining(`file [${name}] - ${first}`) as string,
          Second: expect.stringContaining(`file [${name}] - ${second}`) as string,
        },
      },
    ]);
  });

  it('C4: a key that stands twice in one .properties document is rejected, with both places', () => {
    expect(problemsIn('test.size=1\ntest.other=x\ntest.size=2\n', 'application.properties')).toMatchObject([
      {
        what: 'One document sets the same key twice',
        facts: {
          First: 'test.size at file [application.properties] - 1:11',
          Second: 'test.size at file [application.properties] - 3:11',
        },
      },
    ]);
    expect(problemsIn('test.size=1\n#---\ntest.size=2\n', 'application.properties')).toEqual([]);
  });

  it('two spellings of one key are accepted in two documents', () => {
    expect(problemsIn('test.pool-size: 1\n---\ntest.poolSize: 2\n')).toEqual([]);
  });
});

describe('files without content', () => {
  it.each(['', '\n', '# only comments\n# more\n', '---\n', '---\n---\n', '~\n', '{}\n', '\uFEFF', '   \n', '...\n'])(
    'a file without content causes no problem: %j',
    (text) => {
      expect(problemsIn(text)).toEqual([]);
      expect(
        problemsIn(text.replaceAll('---', '#---').replaceAll('~', '').replaceAll('{}', ''), 'application.properties'),
      ).toEqual([]);
    },
  );
});

/** Texts designed to exhaust a reader. Each must end within the time of a test, with a report or a value. */
describe('hostile files', () => {
  const levels = 10_000;

  it.each<[title: string, text: () => string, reason: RegExp]>([
    ['brackets in brackets', () => `a: ${'['.repeat(levels)}${']'.repeat(levels)}`, /^nested deeper than 100 levels$/],
    ['braces in braces', () => `${'{a: '.repeat(levels)}x${'}'.repeat(levels)}`, /^nested deeper than 100 levels$/],
    ['dashes in dashes', () => `a:\n  ${'- '.repeat(levels)}x`, /^nested deeper than 100 levels$/],
    [
      'indented keys',
      () => Array.from({ length: 2_000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
      /^nested deeper than 100 levels$/,
    ],
    ['a little too deep', () => `a: ${'['.repeat(101)}x${']'.repeat(101)}`, /^nested deeper than 100 levels$/],
    ['brackets that never close', () => '['.repeat(100_000), /./],
    ['a mapping in itself', () => 'a: &a\n  b: *a\n', /^nested deeper than 100 levels$/],
    ['a merge of itself', () => 'a: &a\n  <<: *a\n  b: c\n', /^nested deeper than 100 levels$/],
    ['aliases of aliases', () => bomb((name) => `[${`*${name},`.repeat(10)}]`, 'x'), /^more than 100000 values$/],
    ['aliases of nothing', () => bomb((name) => `[${`*${name},`.repeat(10)}]`, '{}'), /^too many aliases of aliases$/],
    [
      'merges of merges',
      () => bomb((name) => `{<<: [${`*${name},`.repeat(10)}]}`, '{k: v}'),
      /^too many aliases of aliases$/,
    ],
    [
      'merges of nothing',
      () => bomb((name) => `{<<: [${`*${name},`.repeat(10)}]}`, '{}'),
      /^too many aliases of aliases$/,
    ],
    ['too many values', () => `a: [${'x,'.repeat(100_001)}]`, /^more than 100000 values$/],
    ['too many documents', () => 'a: b\n---\n'.repeat(100_000), /^more than 1000 documents$/],
    ['a key without end', () => `${'a.'.repeat(500)}a: b`, /^a key of more than 100 parts$/],
  ])('a YAML file with %s ends with a report', (_, text, reason) => {
    const problems = problemsIn(text());

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      what: 'A configuration file cannot be read',
      facts: {
        Origin: expect.stringMatching(/^file \[application\.yml\] - \d+:\d+$/) as string,
        Reason: expect.stringMatching(reason) as string,
      },
    });
  });

  it.each<[title: string, text: () => string]>([
    ['too many documents', () => 'a=b\n#---\n'.repeat(100_000)],
    ['a key without end', () => `${'a.'.repeat(1_000_000)}a=b`],
    ['a condition of parentheses', () => `app.config.activate.on-profile=${'('.repeat(100_000)}`],
    ['a condition of exclamation marks', () => `app.config.activate.on-profile=${'!'.repeat(100_000)}a`],
  ])('a .properties file with %s ends with a report', (_, text) => {
    expect(problemsIn(text(), 'application.properties')).toHaveLength(1);
  });

  it.each<[title: string, name: string, text: () => string]>([
    ['a value of 5 MB', 'application.yml', () => `test.key: ${'x'.repeat(5_000_000)}\n`],
    ['a quoted value of 5 MB', 'application.yml', () => `test.key: "${'x'.repeat(5_000_000)}"\n`],
    ['a comment of 5 MB', 'application.yml', () => `#${'x'.repeat(5_000_000)}\ntest.key: xxx\n`],
    [
      '30000 keys in one mapping',
      'application.yml',
      () => `${Array.from({ length: 30_000 }, (_, key) => `key${key}: value`).join('\n')}\ntest.key: xxx\n`,
    ],
    ['30000 aliases', 'application.yml', () => `test.key: &a xxx\nb:\n${'  - *a\n'.repeat(30_000)}`],
    ['a value of 5 MB', 'application.properties', () => `test.key=${'x'.repeat(5_000_000)}\n`],
    [
      '100000 keys',
      'application.properties',
      () => `${Array.from({ length: 100_000 }, (_, key) => `key${key}=value`).join('\n')}\ntest.key=xxx\n`,
    ],
  ])('%s in %s is read without problems', (_, name, text) => {
    const reading = place({ [`work/${name}`]: text() }).read();

    expect(problemsOf(reading)).toEqual([]);
    expect(valueOf(reading, 'test.key')).toMatch(/^x+$/);
  });

  it.each(['application.yml', 'application.properties'])('%s may contain NUL bytes', (name) => {
    const text = name.endsWith('yml') ? 'test.key: "x\0y"\ntest.o\0ther: z\n' : 'test.key=x\0y\ntest.o\0ther=z\n';

    const reading = place({ [`work/${name}`]: text }).read();

    expect(valueOf(reading, 'test.key')).toBe('x\0y');
  });

  it('reading a binary file does not throw', () => {
    const bytes = Uint8Array.from({ length: 4096 }, (_, index) => (index * 7919) % 128);

    for (const name of ['application.yml', 'application.properties']) {
      expect(() => place({ [`work/${name}`]: bytes }).read()).not.toThrow();
    }
  });
});

describe('arbitrary input', () => {
  const piece = fc.constantFrom(
    ...['a', 'app', 'config', 'profiles', 'server', 'port', 'import', 'active', 'on-profile', 'activate', 'env', 'DOC'],
    ...[':', ': ', '.', '-', '- ', '?', ',', '[', ']', '{', '}', '&x ', '*x', '<<', '!', '!!', '|', '>', '"', "'", '#'],
    ...[
      '---',
      '...',
      '%',
      '@',
      '`',
      '~',
      '\\',
      '\\u',
      '=',
      '$',
      '${',
      '}',
      '\n',
      '\n  ',
      '\r\n',
      '\t',
      '\0',
      '\uFEFF',
      '😀',
    ],
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

  it.each(['.yaml', '.properties'])('no text in a document of type %s makes the reader throw', (type) => {
    const args = [`--app.config.import=env:DOC[${type}]`];
    const at = place();
    fc.assert(
      fc.property(text, (content) => {
        const { problems } = at.read({ args, variables: { DOC: content } });

        expect(problems.every(({ what, action }) => what !== '' && action !== '')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('no text on the command line or in the environment makes the reader throw', () => {
    const key = fc.constantFrom(
      'name',
      'location',
      'additional-location',
      'import',
      'on-not-found',
      'activate.on-profile',
    );
    fc.assert(
      fc.property(fc.dictionary(key, text), text, (config, profiles) => {
        const args = Object.entries(config).map(([name, value]) => `--app.config.${name}=${value}`);
        const variables = { APP_PROFILES_ACTIVE: profiles, DOC: 'a=b' };

        expect(() => place().read({ args, variables })).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });
});

/** Nine levels of ten aliases each. */
function bomb(level: (below: string) => string, bottom: string): string {
  const lines = [`a0: &a0 ${bottom}`];
  for (let index = 1; index <= 9; index++) lines.push(`a${index}: &a${index} ${level(`a${index - 1}`)}`);
  return lines.join('\n');
}

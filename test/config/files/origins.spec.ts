import { fc } from '../../support/runner/property.js';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readDocuments } from '../../../src/config/read/document.js';
import { everyAssignment, effective, place } from '../support.js';

/** The keys of a text with their values and positions. */
function entriesOf(name: string, text: string | Uint8Array): Readonly<Record<string, readonly [string, string]>> {
  const reading = place({ [`work/${name}`]: text }).read({ args: ['--app.profiles.validate=false'] });
  expect(reading.problems).toEqual([]);
  const entries = reading.environment.sources.filter(({ kind }) => kind === 'file').flatMap((source) => source.entries);
  return Object.fromEntries(
    entries.map(({ spelled, text: value, origin }) => [
      spelled,
      [value, origin.kind === 'position' ? `${origin.line}:${origin.column}` : origin.kind],
    ]),
  );
}

describe('origins of values', () => {
  const files = {
    'package/application.yml': 'test:\n  key: package\n',
    'package/config/application-default.yml': 'test:\n  key: package/config\n',
    'work/application.properties': 'test.key=work\n',
    'work/config/eu/application.yml': '\n\ntest.key: config/eu\n',
  };

  it('an origin names the source, and for a file the line and column of the value', () => {
    const reading = place(files).read({
      args: ['--test.key=argument', '-Dtest.key=definition'],
      variables: { TEST_KEY: 'variable' },
    });

    expect(everyAssignment(reading, 'test.key')).toEqual([
      { value: 'argument', origin: '"test.key" from property source "commandLineArgs"' },
      { value: 'definition', origin: '"test.key" from property source "systemProperties"' },
      { value: 'variable', origin: 'System Environment Property "TEST_KEY"' },
      { value: 'config/eu', origin: 'file [config/eu/application.yml] - 3:11' },
      { value: 'work', origin: 'file [application.properties] - 1:10' },
      { value: 'package/config', origin: 'class path resource [config/application-default.yml] - 2:8' },
      { value: 'package', origin: 'class path resource [application.yml] - 2:8' },
    ]);
  });

  it('an origin names the key as it was spelled', () => {
    const reading = place().read({ args: ['--TEST.Some-Key=x'], variables: { test_otherKey: 'y' } });

    expect(effective(reading, 'test.someKey')?.origin).toBe('"TEST.Some-Key" from property source "commandLineArgs"');
    expect(effective(reading, 'test.otherkey')?.origin).toBe('System Environment Property "test_otherKey"');
  });

  it('an origin names all importing files, nearest first', () => {
    const at = place({
      'work/application.yml': 'app:\n  config:\n    import: a.yml\n',
      'work/a.yml': '# a\napp.config.import: optional:file:./b.properties\n',
      'work/b.properties': 'one=1\napp.config.import = c/\n',
      'work/c/application-prod.yml': 'test.key: x\n',
    });

    const reading = at.read({ args: ['--app.profiles.active=prod'] });

    expect(effective(reading, 'test.key')?.origin).toBe(
      'file [c/application-prod.yml] - 1:11, imported from file [b.properties] - 2:21, ' +
        'imported from file [a.yml] - 2:20, imported from file [application.yml] - 3:13',
    );
  });
});

describe('positions in YAML files', () => {
  it.each<[title: string, text: string, expected: Readonly<Record<string, readonly [string, string]>>]>([
    ['nested mappings', 'a:\n  b:\n    c: x\n    d:   y\n', { 'a.b.c': ['x', '3:8'], 'a.b.d': ['y', '4:10'] }],
    ['sequences', 'a:\n  - x\n  -   y\n', { 'a[0]': ['x', '2:5'], 'a[1]': ['y', '3:7'] }],
    ['sequences in one line', 'a: [x,  y]\n', { 'a[0]': ['x', '1:5'], 'a[1]': ['y', '1:9'] }],
    ['sequences of mappings', 'a:\n  - b: x\n    c: y\n', { 'a[0].b': ['x', '2:8'], 'a[0].c': ['y', '3:8'] }],
    ['sequences of sequences', 'a:\n  - - x\n', { 'a[0][0]': ['x', '2:7'] }],
    ['mappings in one line', 'a: {b: x, c: {d: y}}\n', { 'a.b': ['x', '1:8'], 'a.c.d': ['y', '1:18'] }],
    ['quoted values', `a: "x\\ty"\nb: 'it''s'\n`, { a: ['x\ty', '1:4'], b: ["it's", '2:4'] }],
    ['quoted keys', `"a": x\n'b.c': y\n`, { a: ['x', '1:6'], 'b.c': ['y', '2:8'] }],
    ['values on the next line', 'a:\n  x\n', { a: ['x', '2:3'] }],
    ['values over several lines', 'a: x\n  y\n\n  z\n', { a: ['x y\nz', '1:4'] }],
    ['literal blocks', 'a: |\n  x\n  y\n', { a: ['x\ny\n', '1:4'] }],
    ['folded blocks', 'a: >-\n  x\n  y\n', { a: ['x y', '1:4'] }],
    ['tagged values', 'a: !!str 12\n', { a: ['12', '1:10'] }],
    ['keys that ask', '? a\n: x\n', { a: ['x', '2:3'] }],
    ['exact map keys', 'a:\n  "[B.c]": x\n', { 'a[B.c]': ['x', '2:12'] }],
    ['empty values', 'a:\nb: ~\nc: null\nd: ""\n', { a: ['', '1:3'], b: ['', '2:4'], c: ['', '3:4'], d: ['', '4:4'] }],
    ['empty sequences and mappings', 'a: []\nb: {}\nc: x\n', { a: ['', '1:4'], c: ['x', '3:4'] }],
    ['empty elements', 'a:\n  -\n  - x\n', { 'a[0]': ['', '2:4'], 'a[1]': ['x', '3:5'] }],
    ['aliases, at the position of their anchor', 'a: &x value\nb: *x\n', { a: ['value', '1:7'], b: ['value', '1:7'] }],
    ['aliases of mappings', 'a: &x\n  k: v\nb: *x\n', { 'a.k': ['v', '2:6'], 'b.k': ['v', '2:6'] }],
    [
      'aliases of the last anchor before',
      'a: &x 1\nb: *x\nc: &x 2\nd: *x\n',
      { a: ['1', '1:7'], b: ['1', '1:7'], c: ['2', '3:7'], d: ['2', '3:7'] },
    ],
    ['aliases as keys', 'a: &x k\n*x : v\n', { a: ['k', '1:7'], k: ['v', '2:6'] }],
    [
      'merge keys: own values first, then the first mapping',
      'one: &one {k: 1, l: 1, m: 1}\ntwo: &two {l: 2, m: 2, n: 2}\nb:\n  <<: [*one, *two]\n  k: own\n',
      {
        'one.k': ['1', '1:15'],
        'one.l': ['1', '1:21'],
        'one.m': ['1', '1:27'],
        'two.l': ['2', '2:15'],
        'two.m': ['2', '2:21'],
        'two.n': ['2', '2:27'],
        'b.k': ['own', '5:6'],
        'b.l': ['1', '1:21'],
        'b.m': ['1', '1:27'],
        'b.n': ['2', '2:27'],
      },
    ],
    [
      'merge keys of merged mappings',
      'a: &a {k: 1}\nb: &b\n  <<: *a\n  l: 2\nc:\n  <<: *b\n',
      { 'a.k': ['1', '1:11'], 'b.k': ['1', '1:11'], 'b.l': ['2', '4:6'], 'c.k': ['1', '1:11'], 'c.l': ['2', '4:6'] },
    ],
    [
      'a quoted merge key, which is a plain key',
      'a:\n  "<<": x\n  b: y\n',
      { 'a.<<': ['x', '2:9'], 'a.b': ['y', '3:6'] },
    ],
    ['lines that end with CR and LF', 'a: x\r\nb:\r\n  - y\r\n', { a: ['x', '1:4'], 'b[0]': ['y', '3:5'] }],
    ['a byte order mark', '\uFEFFa: x\n', { a: ['x', '1:4'] }],
    ['letters beyond ASCII', 'ä: ö\nb: 😀, c\n', { ä: ['ö', '1:4'], b: ['😀, c', '2:4'] }],
    ['comments', '# one\na: x # two\n\n# three\nb: y\n', { a: ['x', '2:4'], b: ['y', '5:4'] }],
    ['a second document', 'a: x\n---\n\nb: y\n', { a: ['x', '1:4'], b: ['y', '4:4'] }],
    [
      'values that YAML 1.1 would convert',
      'a: on\nb: 0600\nc: 12:30\nd: 1.10\ne: 0x1F\nf: 1_000\ng: .inf\n',
      {
        a: ['on', '1:4'],
        b: ['0600', '2:4'],
        c: ['12:30', '3:4'],
        d: ['1.10', '4:4'],
        e: ['0x1F', '5:4'],
        f: ['1_000', '6:4'],
        g: ['.inf', '7:4'],
      },
    ],
    [
      'a file that says it is YAML 1.1',
      '%YAML 1.1\n---\na: &a\n  k: on\n  l: 0600\nb:\n  <<: *a\n',
      {
        'a.k': ['on', '4:6'],
        'a.l': ['0600', '5:6'],
        'b.k': ['on', '4:6'],
        'b.l': ['0600', '5:6'],
      },
    ],
  ])('the positions of %s in YAML are found', (_, text, expected) => {
    expect(entriesOf('application.yml', text)).toEqual(expected);
  });
});

describe('positions in generated YAML files', () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/);
  const { tree } = fc.letrec((tie) => ({
    tree: fc.dictionary(word, tie('value'), { minKeys: 1, maxKeys: 4 }),
    value: fc.oneof(
      { maxDepth: 4 },
      word,
      fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
      fc.dictionary(word, tie('value'), { minKeys: 1, maxKeys: 3 }),
    ),
  }));
  const style = fc.record({
    indent: fc.integer({ min: 1, max: 5 }),
    indentSeq: fc.boolean(),
    collectionStyle: fc.constantFrom('block', 'flow', 'any'),
    flowCollectionPadding: fc.boolean(),
    lineWidth: fc.constantFrom(0, 20),
  });

  it('a position points to the first letter of the value', () => {
    fc.assert(
      fc.property(tree, style, fc.constantFrom('\n', '\r\n'), (content, options, lineEnd) => {
        const text = stringify(content, { ...options, defaultStringType: 'PLAIN', defaultKeyType: 'PLAIN' });
        const lines = text.split('\n');

        const documents = readDocuments(lines.join(lineEnd), 'yaml', { kind: 'file', path: 'any.yml' });

        expect(documents).toHaveLength(1);
        for (const { text: value, origin } of documents[0] ?? []) {
          if (origin.kind !== 'position') throw new TypeError('a file has positions');
          expect(lines[origin.line - 1]?.slice(origin.column - 1).replace(/^"/, '')).toMatch(new RegExp(`^${value}`));
        }
      }),
    );
  });
});

describe('positions in .properties files', () => {
  it.each<[title: string, text: string, expected: Readonly<Record<string, readonly [string, string]>>]>([
    [
      'all separators',
      'a=x\nb: y\nc  =  z\nd w\n',
      {
        a: ['x', '1:3'],
        b: ['y', '2:4'],
        c: ['z', '3:7'],
        d: ['w', '4:3'],
      },
    ],
    ['indented lines', '   a=x\n\t b = y\n', { a: ['x', '1:6'], b: ['y', '2:7'] }],
    ['comments and blank lines', '# one\n! two\n\n  \na=x # no comment\n', { a: ['x # no comment', '5:3'] }],
    ['continued values', 'a=x,\\\n   y,\\\n   z\nb=w\n', { a: ['x,y,z', '1:3'], b: ['w', '4:3'] }],
    ['values that start on the next line', 'a=\\\n   x\nb=y\n', { a: ['x', '2:4'], b: ['y', '3:3'] }],
    ['continued keys', 'a.\\\n  b=x\n', { 'a.b': ['x', '2:5'] }],
    [
      'lines that end with CR and LF',
      'a=x\r\nb=\\\r\n  y,\\\r\n  z\r\nc.\\\r\n  d=w\r\n',
      {
        a: ['x', '1:3'],
        b: ['y,z', '3:3'],
        'c.d': ['w', '6:5'],
      },
    ],
    ['lines that end with CR', 'a=x\rb=y\r', { a: ['x', '1:3'], b: ['y', '2:3'] }],
    ['escapes', 'a\\=b=\\u00e4\\t\\\\u00\nc\\:\\ d=\\x\n', { 'a=b': ['ä\t\\u00', '1:6'], 'c: d': ['x', '2:8'] }],
    ['empty values', 'a=\nb\nc=x\n', { a: ['', '1:3'], b: ['', '2:2'], c: ['x', '3:3'] }],
    ['elements', 'a[1]=y\na[0]=x\n', { 'a[1]': ['y', '1:6'], 'a[0]': ['x', '2:6'] }],
    ['a byte order mark', '\uFEFFa=x\n', { a: ['x', '1:3'] }],
    ['a second document', 'a=x\n#---\nb=y\n', { a: ['x', '1:3'], b: ['y', '3:3'] }],
    ['no line end at the end', 'a=x', { a: ['x', '1:3'] }],
  ])('the positions of %s in .properties are found', (_, text, expected) => {
    expect(entriesOf('application.properties', text)).toEqual(expected);
  });
});

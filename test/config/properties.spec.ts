import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { viewOfKey } from '../../src/cli/config-view.js';
import { failureReport } from '../../src/config/failure-report.js';
import { type Example, examples, expectedOf, registry, sampleOf } from './keys/examples.js';
import { reading, shownOf, type Situation, withoutProblems } from './keys/situation.js';

const MASK = '******';

/** Keys that any value in any place leaves free of other keys: no class of theirs has rules, and none chooses files. */
const independent = examples.filter(
  ({ name, isOfSelfCheckingClass }) => !isOfSelfCheckingClass && !/^app\.(?:config|profiles)\./.test(name),
);

/** A key with a list or map of texts beside plain ones, all of which some value fits. */
const keys = fc.constantFrom(...independent);

/** The words of a part: `maximum-pool-size`, `format_sql` and `proxyHost` have three, two and two. */
function wordsOf(part: string): readonly string[] {
  return part.split(/[-_]|(?=[A-Z])/).map((word) => word.toLowerCase());
}

/** One part of a key in a random legal spelling, its words joined by dashes, underscores, capitals or nothing. */
function spelledPart(part: string): fc.Arbitrary<string> {
  const words = wordsOf(part);
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const regular = fc.constantFrom(
    words.join('-'),
    words.join('_'),
    words.join(''),
    words.map((word, index) => (index === 0 ? word : capital(word))).join(''),
    words.map(capital).join(''),
    words.join('_').toUpperCase(),
    words.join('').toUpperCase(),
  );
  const wild = fc
    .array(fc.tuple(fc.boolean(), fc.constantFrom('', '', '', '-', '_')), {
      minLength: words.join('').length,
      maxLength: words.join('').length,
    })
    .map((changes) =>
      Array.from(words.join(''), (letter, index) => {
        const [isCapital, separator] = changes[index] ?? [false, ''];
        return (isCapital ? letter.toUpperCase() : letter) + separator;
      }).join(''),
    );
  return fc.oneof({ weight: 3, arbitrary: regular }, { weight: 1, arbitrary: wild });
}

function spelled(name: string): fc.Arbitrary<string> {
  return fc.tuple(...name.split('.').map(spelledPart)).map((parts) => parts.join('.'));
}

/** A random legal form of the variable: dashes dropped or (older) as underscores, capitals or not. */
function variableOf(name: string): fc.Arbitrary<string> {
  const joined = name.replaceAll('.', '_');
  const forms = [joined.replaceAll('-', ''), joined.replaceAll('-', '_')];
  return fc
    .constantFrom(...forms, ...forms.map((form) => form.toUpperCase()), ...forms.map((form) => form.toLowerCase()))
    .filter((form) => form !== '');
}

/** What one source holds, ready to be written into it. */
interface Setting {
  readonly name: string;
  /** As comma text, and as the elements a list is made of. */
  readonly text: string;
  readonly isSequence: boolean;
}

type Place = 'argument' | 'definition' | 'variable' | 'profile' | 'config' | 'working' | 'properties' | 'packaged';

/** Highest first. */
const PLACES: readonly Place[] = [
  'argument',
  'definition',
  'variable',
  'profile',
  'config',
  'properties',
  'working',
  'packaged',
];

const FILES: Readonly<Partial<Record<Place, string>>> = {
  profile: 'application-live.yml',
  config: 'config/application.yml',
  properties: 'application.properties',
  working: 'application.yml',
};

function elementsOf({ text }: Setting): readonly string[] {
  return text === '' ? [] : text.split(',');
}

function entriesOf(setting: Setting, index: (name: string, position: number) => string): readonly [string, string][] {
  const elements = elementsOf(setting);
  if (!setting.isSequence || elements.length === 0) return [[setting.name, setting.text]];
  return elements.map((element, position) => [index(setting.name, position), element]);
}

const bracketed = (name: string, position: number): string => `${name}[${position}]`;

function situationOf(held: ReadonlyMap<Place, readonly Setting[]>): Situation {
  const of = (place: Place): readonly Setting[] => held.get(place) ?? [];
  const entries = (place: Place): readonly [string, string][] =>
    of(place).flatMap((setting) => entriesOf(setting, bracketed));
  const yaml = (place: Place): string =>
    entries(place)
      .map(([name, text]) => `${JSON.stringify(name)}: ${JSON.stringify(text)}\n`)
      .join('');
  const properties = entries('properties').map(([name, text]) => `${name}=${text.replaceAll('\\', '\\\\')}\n`);
  const files: Record<string, string> = { 'application-live.yml': yaml('profile') };
  for (const place of ['config', 'working'] as const) {
    if (of(place).length > 0) files[FILES[place] ?? ''] = yaml(place);
  }
  if (properties.length > 0) files['application.properties'] = properties.join('');
  return {
    files,
    packaged: { 'application.yml': yaml('packaged') },
    variables: Object.fromEntries(
      of('variable').flatMap((setting) => entriesOf(setting, (name, position) => `${name}_${position}`)),
    ),
    args: [
      '--app.profiles.active=live',
      ...entries('argument').map(([name, text]) => `--${name}=${text}`),
      ...entries('definition').map(([name, text]) => `-D${name}=${text}`),
    ],
  };
}

/** Several texts a key takes; lists of none to three elements. */
function textsOf(key: Example): fc.Arbitrary<string> {
  const sample = sampleOf(key);
  if (key.type.shape === 'list') {
    const element = key.type.element.name === 'text' && key.type.element.expects === 'a text' ? ['a', 'b.c', 'd-e'] : [sample];
    return fc.array(fc.constantFrom(...element), { maxLength: 3 }).map((items) => items.join(','));
  }
  const choices: Readonly<Record<string, readonly string[]>> = {
    boolean: ['true', 'off', 'YES', '0'],
    integer: ['7', '80', '1234'],
    duration: ['7s', '1500', 'PT2M', '3h'],
    'data size': ['7MB', '4096', '1GB'],
    'time zone': ['UTC', 'Europe/Berlin', 'Asia/Tokyo'],
    choice: (/^one of (.*)$/.exec(key.type.expects)?.[1] ?? sample).split(', '),
    text: key.type.expects === 'a text' ? [sample, 'geheim', 'a=b&c', 'x:y', ' z '] : [sample],
  };
  return fc.constantFrom(...(choices[key.type.name] ?? [sample]));
}

function settingOf(key: Example, place: Place): fc.Arbitrary<Setting> {
  const name = place === 'variable' ? variableOf(key.name) : spelled(key.name);
  // Blanks at the ends of a value are lost in .properties, which is that format's business.
  const text = textsOf(key).map((value) => (place === 'properties' ? value.trim() : value));
  return fc.record({ name, text, isSequence: key.type.shape === 'list' ? fc.boolean() : fc.constant(false) });
}

describe('any registered key', () => {
  it('in any legal spelling, in any kind of source, reaches the same value', () => {
    const seen = new Set<string>();
    const written = keys.chain((key) =>
      fc.constantFrom(...PLACES).chain((place) => settingOf(key, place).map((setting) => ({ key, place, setting }))),
    );
    fc.assert(
      fc.property(written, ({ key, place, setting }) => {
        const read = withoutProblems(reading(situationOf(new Map([[place, [setting]]]))));

        expect(key.boundIn(read)).toEqual(expectedOf(key, setting.text));
        seen.add(place);
      }),
      { numRuns: 600 },
    );
    expect([...seen].sort()).toEqual([...PLACES].sort());
  });
});

describe('what binding sees', () => {
  it('is what `config get` shows: the value of the highest source, its origin, and all it overrides', () => {
    let overridden = 0;
    const held = fc.uniqueArray(keys, { minLength: 1, maxLength: 5 }).chain((chosen) =>
      fc.record({
        chosen: fc.constant(chosen),
        places: fc.tuple(
          ...PLACES.map((place) =>
            fc.tuple(...chosen.map((key) => fc.option(settingOf(key, place), { nil: undefined, freq: 2 }))),
          ),
        ),
      }),
    );
    fc.assert(
      fc.property(held, ({ chosen, places }) => {
        const settings = new Map(
          PLACES.map((place, index) => [place, (places[index] ?? []).filter((item) => item !== undefined)]),
        );
        const read = withoutProblems(reading(situationOf(settings)));

        for (const [index, key] of chosen.entries()) {
          const ofKey = PLACES.flatMap((place, rank) => {
            const setting = places[rank]?.[index];
            return setting ? [{ place, setting }] : [];
          });
          const [winner, ...others] = ofKey;
          overridden += others.length;
          if (!winner) {
            expect(viewOfKey(read.environment, read.registry, key.name).lines.join()).toMatch(/\(default\)|not set/);
            continue;
          }
          const { text } = winner.setting;
          expect(key.boundIn(read)).toEqual(expectedOf(key, text));
          const { value, origin } = shownOf(read, key.name);
          expect(value).toBe(key.isSecret && text !== '' ? MASK : text);
          expect(origin).toContain(originMark(winner.place, winner.setting));
          const lines = viewOfKey(read.environment, read.registry, key.name).lines.filter((line) => / overridden /.test(line));
          expect(lines).toHaveLength(others.length);
          for (const [position, { place, setting }] of others.entries()) {
            expect(lines[position]).toContain(originMark(place, setting));
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(overridden).toBeGreaterThan(300);
  });
});

function originMark(place: Place, setting: Setting): string {
  const isIndexed = setting.isSequence && setting.text !== '';
  switch (place) {
    case 'argument':
    case 'definition':
      return `"${isIndexed ? bracketed(setting.name, 0) : setting.name}" from property source "${place === 'argument' ? 'commandLineArgs' : 'systemProperties'}"`;
    case 'variable':
      return `System Environment Property "${setting.name}${isIndexed ? '_0' : ''}"`;
    case 'packaged':
      return 'class path resource [application.yml] - ';
    default:
      return `file [${FILES[place] ?? ''}] - `;
  }
}

describe('the report of a failed start', () => {
  const SECRET = 'geheim-4711';
  const secretTexts = fc.constantFrom(
    SECRET,
    `jdbc:mysql://root:${SECRET}@db/login`,
    `x://${SECRET}@h`,
    `jdbc:x://h?user=a&password=${SECRET}`,
    `http://a:b/${SECRET}@h`,
  );
  const bad = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('\n', '\r', '\u001b', '\u2028', '\u0000', 'a', '1', ' ', '${', '}', ':', ',') }),
    fc.constantFrom('${DB_PASSWORD}', '${MISSING}', '${DB_PASSWORD}${MISSING}', '${a.${DB_PASSWORD}}', '${x:${API_KEY}}', `\${SOME_KEY:${SECRET}}`),
  );
  const secrets = examples.filter(({ isSecret }) => isSecret);
  const urls = examples.filter(({ name }) => /url|host|address|path|locations/i.test(name));
  const others = examples.filter(({ isSecret, name }) => !isSecret && !/^app\.(?:config|profiles)\./.test(name));

  const settings = fc.array(
    fc.oneof(
      fc.tuple(fc.constantFrom(...others), bad),
      fc.tuple(fc.constantFrom(...urls), secretTexts.filter((text) => text !== SECRET)),
      fc.tuple(fc.constantFrom(...secrets), fc.oneof(secretTexts, bad.map((text) => text + SECRET))),
    ),
    { minLength: 1, maxLength: 8 },
  );
  const unknown = fc.array(fc.tuple(bad.filter((name) => !name.includes(SECRET)), bad), { maxLength: 2 });

  it('has neither a raw control character nor a secret in it, whatever was written', () => {
    let reports = 0;
    fc.assert(
      fc.property(settings, unknown, fc.boolean(), (entries, strange, asArguments) => {
        const all = [
          ...entries.map(([{ name }, text]) => [name, text] as const),
          ...strange.map(([name, text]) => [`server.${name}`, text] as const),
        ];
        const unique = new Map(all.map(([name, text]) => [name.toLowerCase(), [name, text] as const]));
        const yaml = [...unique.values()].map(([name, text]) => `${JSON.stringify(name)}: ${JSON.stringify(text)}\n`);
        const { problems, warnings } = reading({
          variables: { DB_PASSWORD: SECRET, API_KEY: SECRET },
          ...(asArguments
            ? { args: all.map(([name, text]) => `--${name}=${text}`) }
            : { files: { 'application.yml': yaml.join('') } }),
        });

        const report = failureReport(problems);

        if (problems.length > 0) reports += 1;
        expect(report).not.toContain(SECRET);
        expect(warnings.join('\n')).not.toContain(SECRET);
        expect((report + warnings.join('')).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        const facts = problems.reduce((sum, problem) => sum + problem.facts.length, 0);
        expect(report.split('\n')).toHaveLength(12 + facts + problems.length * 3);
      }),
      { numRuns: 1000 },
    );
    expect(reports).toBeGreaterThan(500);
  });
});

describe('the examples these properties run over', () => {
  it('are all registered keys, and most of them are free of others', () => {
    expect(examples.length).toBeGreaterThanOrEqual(registry.definitions.length - 4);
    expect(independent.length).toBeGreaterThan(70);
    expect(new Set(independent.map(({ type }) => (type.shape === 'scalar' ? type.name : type.shape)))).toEqual(
      new Set(['boolean', 'integer', 'duration', 'data size', 'time zone', 'choice', 'text', 'list']),
    );
  });
});

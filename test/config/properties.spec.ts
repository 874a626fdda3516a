import { fc } from '../support/runner/property.js';
import { describe, expect, it } from 'vitest';
import { viewOfKey } from '../../src/apps/cli/config/config-view.js';
import type { ConfigurationReading } from '../../src/config/configuration.js';
import { failureReport } from '../../src/config/show/failure-report.js';
import { type Example, examples, expectedOf, registry } from './keys/examples.js';
import { reading, shownOf, withoutProblems } from './keys/situation.js';
import { originOf, type Place, PLACES, type Assignment, settingOf, situationOf } from './keys/sources.js';

const MASK = '******';

/** Keys whose values do not affect other keys: their class has no rules, and they choose no files. */
const independent = examples.filter(
  ({ name, isOfSelfCheckingClass }) => !isOfSelfCheckingClass && !/^app\.(?:config|profiles)\./.test(name),
);

const keys = fc.constantFrom(...independent);

/** Also keys whose class has rules over several values; values that break a rule are skipped. */
const alone = fc.constantFrom(...examples.filter(({ name }) => !/^app\.(?:config|profiles)\./.test(name)));

describe('every registered key', () => {
  it('a key reaches the same value in any legal spelling and from any kind of source', () => {
    const seen = new Set<string>();
    const written = alone.chain((key) =>
      fc
        .constantFrom(...PLACES)
        .chain((place) => settingOf(key, place).map((assignment) => ({ key, place, assignment }))),
    );
    fc.assert(
      fc.property(written, ({ key, place, assignment }) => {
        const all = reading(situationOf(new Map([[place, [assignment]]])));
        fc.pre(
          all.problems.length === 0 || all.problems.some(({ what }) => !what.endsWith('conflicts with other values')),
        );
        const read = withoutProblems(all);

        expect(key.boundIn(read)).toEqual(expectedOf(key, assignment.text));
        seen.add(place);
      }),
      { numRuns: 500 },
    );
    expect([...seen].sort()).toEqual([...PLACES].sort());
  });
});

describe('binding and config get', () => {
  it('config get shows what is bound: the value of the highest source, its origin, and all it overrides', () => {
    const nothingSet = reading({});
    let overridden = 0;
    const several = fc.uniqueArray(keys, { minLength: 1, maxLength: 5, selector: ({ entry, name }) => entry ?? name });
    const situations = several.chain((chosen) =>
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
      fc.property(situations, ({ chosen, places }) => {
        const assignments = new Map(
          PLACES.map((place, index) => [place, (places[index] ?? []).filter((item) => item !== undefined)]),
        );
        const read = withoutProblems(reading(situationOf(assignments)));

        for (const [index, key] of chosen.entries()) {
          const held = PLACES.flatMap((place, rank) => {
            const assignment = places[rank]?.[index];
            return assignment ? [{ place, assignment }] : [];
          });
          overridden += Math.max(0, held.length - 1);
          expect(seenOf(key, read)).toEqual(expectedOfHeld(key, held, nothingSet));
        }
      }),
      { numRuns: 200 },
    );
    expect(overridden).toBeGreaterThan(200);
  });
});

/** One key as binding and as `config get` see it; positions in files are cut off. */
interface Seen {
  readonly bound: unknown;
  readonly shown: string | undefined;
  /** The origin of the effective value, then those of all values it overrides. */
  readonly origins: readonly string[];
}

function seenOf(key: Example, read: ConfigurationReading): Seen {
  const { lines } = viewOfKey(read.environment, read.registry, key.name);
  const origins = lines.flatMap((line) => {
    const origin = /^ {2}origin {6}(.*)$/.exec(line) ?? /^ {2}overridden {2}.* {2}\((.*)\)$/.exec(line);
    return origin ? [(origin[1] ?? '').replace(/ - \d+:\d+$/, '')] : [];
  });
  return { bound: key.boundIn(read), shown: origins.length > 0 ? shownOf(read, key.name).value : undefined, origins };
}

function expectedOfHeld(
  key: Example,
  held: readonly { readonly place: Place; readonly assignment: Assignment }[],
  nothingSet: ConfigurationReading,
): Seen {
  const [winner] = held;
  if (!winner) return { bound: key.boundIn(nothingSet), shown: undefined, origins: [] };
  const { text } = winner.assignment;
  return {
    bound: expectedOf(key, text),
    shown: key.isSecret && text !== '' ? MASK : text,
    origins: held.map(({ place, assignment }) => originOf(place, assignment)),
  };
}

describe('the report of a failed startup', () => {
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
    fc.constantFrom(
      '${DB_PASSWORD}',
      '${MISSING}',
      '${DB_PASSWORD}${MISSING}',
      '${a.${DB_PASSWORD}}',
      '${x:${API_KEY}}',
      `\${SOME_KEY:${SECRET}}`,
    ),
  );
  const secrets = examples.filter(({ isSecret }) => isSecret);
  const urls = examples.filter(({ name }) => /url|host|address|path|locations/i.test(name));
  const others = examples.filter(({ isSecret, name }) => !isSecret && !/^app\.(?:config|profiles)\./.test(name));

  const assignments = fc.array(
    fc.oneof(
      fc.tuple(fc.constantFrom(...others), bad),
      fc.tuple(
        fc.constantFrom(...urls),
        secretTexts.filter((text) => text !== SECRET),
      ),
      fc.tuple(
        fc.constantFrom(...secrets),
        fc.oneof(
          secretTexts,
          bad.map((text) => text + SECRET),
        ),
      ),
    ),
    { minLength: 1, maxLength: 8 },
  );
  const unknown = fc.array(
    fc.tuple(
      bad.filter((name) => !name.includes(SECRET)),
      bad,
    ),
    { maxLength: 2 },
  );

  it('the report contains no raw control character and no secret, whatever the input', () => {
    let reports = 0;
    fc.assert(
      fc.property(assignments, unknown, fc.boolean(), (entries, strange, asArguments) => {
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
      { numRuns: 500 },
    );
    expect(reports).toBeGreaterThan(250);
  });
});

describe('a key without effect', () => {
  const warningsOf = (...args: readonly string[]): readonly string[] => withoutProblems(reading({ args })).warnings;

  it('a value other than the one that states what the service does causes a warning', () => {
    expect(warningsOf('--app.jpa.open-in-view=true')).toEqual([
      expect.stringMatching(/^app\.jpa\.open-in-view: set, but with effect U: No database session outlives/),
    ]);
  });

  it.each(['false', 'off', 'FALSE'])('the value %s, which states what the service does, causes no warning', (text) => {
    expect(warningsOf(`--app.jpa.open-in-view=${text}`)).toEqual([]);
  });

  it('a higher source decides whether there is a warning', () => {
    const read = reading({
      args: ['--app.jpa.open-in-view=false'],
      files: { 'application.yml': 'app.jpa.open-in-view: true\n' },
    });

    expect(withoutProblems(read).warnings).toEqual([]);
  });
});

describe('the examples of these properties', () => {
  it('the examples cover all registered keys, and more than 70 of them are independent', () => {
    const holders = registry.definitions.filter(({ type }) => type.shape === 'objects');
    expect(examples.length).toBeGreaterThanOrEqual(registry.definitions.length - holders.length);
    expect(independent.length).toBeGreaterThan(70);
    expect(new Set(independent.map(({ type }) => (type.shape === 'scalar' ? type.name : type.shape)))).toEqual(
      new Set([
        'access log pattern',
        'log pattern',
        'character set',
        'date pattern',
        'boolean',
        'integer',
        'number',
        'duration',
        'data size',
        'time zone',
        'choice',
        'text',
        'list',
        'URL',
        'URL of a proxy',
        'rate',
      ]),
    );
  });
});

import { fc } from '../../support/runner/property.js';
import { ConversionProblem } from '../../../src/config/problem.js';
import { type Example, sampleOf } from './examples.js';
import type { Situation } from './situation.js';

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

/** One assignment, in the form in which a source contains it. */
export interface Assignment {
  readonly name: string;
  /** As comma text, and as the elements a list is made of. */
  readonly text: string;
  readonly isSequence: boolean;
}

export type Place =
  'argument' | 'definition' | 'variable' | 'profile' | 'config' | 'working' | 'properties' | 'packaged';

/** Where a key can be set, highest first. */
export const PLACES: readonly Place[] = [
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

function elementsOf({ text }: Assignment): readonly string[] {
  return text === '' ? [] : text.split(',');
}

/** Each element of a sequence under a name of its own, everything else under its name. */
function entriesOf(
  assignment: Assignment,
  index: (position: number) => string,
): readonly (readonly [string, string])[] {
  const { name, text, isSequence } = assignment;
  if (!isSequence || text === '') return [[name, text]];
  return elementsOf(assignment).map((element, position) => [name + index(position), element]);
}

function inBrackets(position: number): string {
  return `[${position}]`;
}

function yamlOf(assignments: readonly Assignment[]): string {
  return assignments
    .map((assignment) => {
      const value = assignment.isSequence ? elementsOf(assignment) : assignment.text;
      return `${JSON.stringify(assignment.name)}: ${JSON.stringify(value)}\n`;
    })
    .join('');
}

/** The sources as files, variables and arguments, with the profile `live` active. */
export function situationOf(held: ReadonlyMap<Place, readonly Assignment[]>): Situation {
  const of = (place: Place): readonly Assignment[] => held.get(place) ?? [];
  const entries = (place: Place, index = inBrackets): readonly (readonly [string, string])[] =>
    of(place).flatMap((assignment) => entriesOf(assignment, index));
  return {
    files: {
      'application-live.yml': yamlOf(of('profile')),
      'config/application.yml': yamlOf(of('config')),
      'application.yml': yamlOf(of('working')),
      'application.properties': entries('properties')
        .map(([name, text]) => `${name}=${text}\n`)
        .join(''),
    },
    packaged: { 'application.yml': yamlOf(of('packaged')) },
    variables: Object.fromEntries(entries('variable', (position) => `_${position}`)),
    args: [
      '--app.profiles.active=live',
      ...entries('argument').map(([name, text]) => `--${name}=${text}`),
      ...entries('definition').map(([name, text]) => `-D${name}=${text}`),
    ],
  };
}

/** Several texts for a key, some of which exceed its limits; lists of zero to three elements. */
function textsOf(key: Example): fc.Arbitrary<string> {
  const sample = sampleOf(key);
  if (key.type.shape === 'list') {
    const element =
      key.type.element.name === 'text' && key.type.element.expects === 'a text' ? ['a', 'b.c', 'd-e'] : [sample];
    return fc.array(fc.constantFrom(...element), { maxLength: 3 }).map((items) => items.join(','));
  }
  const choices: Readonly<Record<string, readonly string[]>> = {
    boolean: ['true', 'off', 'YES', '0'],
    integer: ['3', '7', '12', '80', '1234'],
    duration: ['7s', '1500', 'PT2M', '50m', '3h'],
    'data size': ['7MB', '4096', '1GB'],
    'time zone': ['UTC', 'Europe/Berlin', 'Asia/Tokyo'],
    choice: (/^one of (.*)$/.exec(key.type.expects)?.[1] ?? sample).split(', '),
    text: key.type.expects === 'a text' ? [sample, 'geheim', 'a=b&c', 'x:y', ' z '] : [sample],
  };
  const { type } = key;
  const fitting = (choices[type.name] ?? []).filter((text) => !(type.parse(text) instanceof ConversionProblem));
  return fc.constantFrom(sample, ...fitting);
}

/** An assignment of the key in that place, with a random legal spelling and a random legal value. */
export function settingOf(key: Example, place: Place): fc.Arbitrary<Assignment> {
  const name = place === 'variable' ? variableOf(key.name) : spelled(key.name);
  // The .properties format drops spaces at the ends of a value.
  const text = textsOf(key).map((value) => (place === 'properties' ? value.trim() : value));
  return fc.record({ name, text, isSequence: key.type.shape === 'list' ? fc.boolean() : fc.constant(false) });
}

/** The origin `config get` must name, without the position in a file. */
export function originOf(place: Place, { name, text, isSequence }: Assignment): string {
  const isIndexed = isSequence && text !== '';
  const argument = `"${name}${isIndexed ? '[0]' : ''}" from property source`;
  switch (place) {
    case 'argument':
      return `${argument} "commandLineArgs"`;
    case 'definition':
      return `${argument} "systemProperties"`;
    case 'variable':
      return `System Environment Property "${name}${isIndexed ? '_0' : ''}"`;
    case 'packaged':
      return 'class path resource [application.yml]';
    default:
      return `file [${FILES[place] ?? ''}]`;
  }
}

import { describe, expect, it } from 'vitest';
import { ExposureProperties } from '../../../src/management/access/access.properties.js';
import { MapperProperties } from '../../../src/platform/persistence/mapper/mapper.properties.js';
import { ProfilesProperties } from '../../../src/config/config.properties.js';
import { bound, reading, shownOf, type Situation } from './situation.js';

const KEY = 'management.endpoints.web.exposure.include';
const VARIABLE = 'MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE';

function list(situation: Situation): readonly string[] {
  return bound(situation, ExposureProperties).include;
}

describe('lists', () => {
  it.each<[string, Situation]>([
    ['comma text in YAML', { files: { 'application.yml': `${KEY}: health,info` } }],
    ['comma text with blanks', { files: { 'application.yml': `${KEY}: ' health , info '` } }],
    ['a YAML sequence', { files: { 'application.yml': `${KEY}:\n  - health\n  - info\n` } }],
    ['a YAML sequence in one line', { files: { 'application.yml': `${KEY}: [health, info]` } }],
    ['indexes in YAML', { files: { 'application.yml': `${KEY}[0]: health\n${KEY}[1]: info\n` } }],
    ['indexes out of order', { files: { 'application.yml': `${KEY}[1]: info\n${KEY}[0]: health\n` } }],
    ['indexes as keys', { files: { 'application.yml': `${KEY}:\n  0: health\n  1: info\n` } }],
    ['indexes in .properties', { files: { 'application.properties': `${KEY}[0]=health\n${KEY}[1]=info\n` } }],
    ['comma text in .properties', { files: { 'application.properties': `${KEY}=health,info` } }],
    ['an argument', { args: [`--${KEY}=health,info`] }],
    ['an argument given twice', { args: [`--${KEY}=health`, `--${KEY}=info`] }],
    ['arguments with indexes', { args: [`--${KEY}[1]=info`, `--${KEY}[0]=health`] }],
    ['-D arguments with indexes', { args: [`-D${KEY}[0]=health`, `-D${KEY}[1]=info`] }],
    ['a variable', { variables: { [VARIABLE]: 'health,info' } }],
    ['variables that end in _n', { variables: { [`${VARIABLE}_0`]: 'health', [`${VARIABLE}_1`]: 'info' } }],
    ['variables that end in _n_', { variables: { [`${VARIABLE}_0_`]: 'health', [`${VARIABLE}_1_`]: 'info' } }],
    [
      'variables in small letters',
      { variables: { [`${VARIABLE}_0`.toLowerCase()]: 'health', [`${VARIABLE}_1`]: 'info' } },
    ],
  ])('a list is read from %s', (_, situation) => {
    expect(list(situation)).toEqual(['health', 'info']);
  });

  it('a list of more than ten elements keeps their numeric order', () => {
    const variables = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${VARIABLE}_${n}`, `e${n}`]));

    expect(list({ variables })).toEqual(Array.from({ length: 12 }, (_, n) => `e${n}`));
  });

  it('the highest source with any element supplies the whole list', () => {
    const packaged = { 'application.yml': `${KEY}: [a, b, c]` };

    expect(list({ packaged, files: { 'application.yml': `${KEY}[0]: x` } })).toEqual(['x']);
    expect(list({ packaged, variables: { [`${VARIABLE}_0`]: 'y' } })).toEqual(['y']);
    expect(list({ packaged, args: [`--${KEY}[0]=z`], variables: { [VARIABLE]: 'a,b' } })).toEqual(['z']);
  });

  it.each<[string, Situation]>([
    ['an empty text', { files: { 'application.yml': `${KEY}: ''` } }],
    ['an empty sequence', { files: { 'application.yml': `${KEY}: []` } }],
    ['nothing in YAML', { files: { 'application.yml': `${KEY}:` } }],
    ['an empty variable', { variables: { [VARIABLE]: '' } }],
    ['a bare argument', { args: [`--${KEY}`] }],
  ])('%s makes a list empty and overrides lower sources', (_, situation) => {
    expect(list({ packaged: { 'application.yml': `${KEY}: [a, b]` }, ...situation })).toEqual([]);
  });

  it('a list keeps commas inside the elements of a sequence, and empty elements', () => {
    expect(list({ files: { 'application.yml': `${KEY}: ['a,b', '', c]` } })).toEqual(['a,b', '', 'c']);
    expect(list({ files: { 'application.yml': `${KEY}: a,,c` } })).toEqual(['a', '', 'c']);
  });

  it('placeholders in comma text are resolved before the text is split', () => {
    const variables = { A: 'x,y', B: 'z' };

    expect(list({ variables, files: { 'application.yml': `${KEY}: \${A},\${B}` } })).toEqual(['x', 'y', 'z']);
    expect(list({ variables, files: { 'application.yml': `${KEY}: ['\${A}', '\${B}']` } })).toEqual(['x,y', 'z']);
  });

  it('two spellings of one element give one element', () => {
    const variables = {
      MAPPER_MAPPER_LOCATIONS_0: 'older',
      MAPPER_MAPPERLOCATIONS_0: 'newer',
      MAPPER_MAPPERLOCATIONS_1: 'second',
    };
    const args = ['-Dmapper.mapper-locations[0]=a', '-Dmapper.mapperLocations[0]=b'];

    expect(bound({ variables }, MapperProperties).mapperLocations).toEqual(['newer', 'second']);
    expect(bound({ args }, MapperProperties).mapperLocations).toEqual(['b']);
  });

  it('a list is shown with the origin of its first element', () => {
    const read = reading({ files: { 'application.yml': `${KEY}:\n  - health\n  - info\n` } });

    expect(shownOf(read, KEY)).toEqual({ value: 'health,info', origin: 'file [application.yml] - 2:5' });
  });
});

describe('lists with gaps', () => {
  it.each<[string, Situation, string]>([
    [
      'after the first element',
      { args: [`--${KEY}[0]=a`, `--${KEY}[2]=c`] },
      `${KEY}[1] is missing in commandLineArgs`,
    ],
    [
      'before the first element',
      { variables: { [`${VARIABLE}_1`]: 'b' } },
      `${KEY}[0] is missing in systemEnvironment`,
    ],
  ])('a list with a gap %s is left unbound', (_, situation, reason) => {
    const { problems } = reading(situation);

    expect(problems.map(({ what }) => what)).toEqual([`Elements of the list ${KEY} are left unbound`]);
    expect(Object.fromEntries(problems[0]?.facts ?? [])['Reason']).toBe(`left unbound: ${reason}`);
  });

  it('a gap is not filled from another source, and both sources are named', () => {
    const { problems } = reading({
      files: { 'application.yml': `${KEY}: [a, b, c]` },
      variables: { [`${VARIABLE}_1`]: 'x' },
    });

    expect(problems).toHaveLength(1);
    expect(Object.fromEntries(problems[0]?.facts ?? [])).toMatchObject({
      Property: `${KEY}[1]`,
      Value: '"x"',
      Origin: `System Environment Property "${VARIABLE}_1"`,
      'Also set at': expect.stringMatching(/^file \[application\.yml\] - 1:\d+$/) as string,
    });
  });

  it('a gap is ignored when a higher source supplies the list', () => {
    expect(list({ files: { 'application.yml': `${KEY}[5]: x` }, args: [`--${KEY}=a`] })).toEqual(['a']);
  });
});

describe('app.profiles.include', () => {
  it('app.profiles.include adds up over all sources, lowest first', () => {
    const situation: Situation = {
      files: {
        'application.yml': 'app.profiles.include: [one, two]',
        'config/application.yml': 'app.profiles.include: three',
        'application-one.yml': '',
        'application-two.yml': '',
        'application-three.yml': '',
        'application-four.yml': '',
        'application-five.yml': '',
      },
      variables: { APP_PROFILES_INCLUDE_0: 'four' },
      args: ['--app.profiles.include=five'],
    };

    expect(bound(situation, ProfilesProperties).include).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(reading(situation).environment.profiles.active).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(shownOf(reading(situation), 'app.profiles.include').value).toBe('one,two,three,four,five');
  });

  it('an empty app.profiles.include adds nothing', () => {
    const files = { 'application.yml': 'app.profiles.include: one', 'application-one.yml': '' };

    expect(bound({ files, variables: { APP_PROFILES_INCLUDE: '' } }, ProfilesProperties).include).toEqual(['one']);
  });
});

import { mkdirSync, symlinkSync, writeFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { effective, place, problemsOf, valueOf } from '../support.js';

const file = (value: string): string => `test.key: ${value}\n`;

describe('app.config.name', () => {
  it('app.config.name replaces the name of all files and profile variants', () => {
    const at = place({
      'work/login.yml': file('login'),
      'work/login-prod.yml': 'test.other: prod\n',
      'work/application.yml': file('application'),
    });

    const reading = at.read({ args: ['--app.config.name=login'], variables: { APP_PROFILES_ACTIVE: 'prod' } });

    expect(valueOf(reading, 'test.key')).toBe('login');
    expect(valueOf(reading, 'test.other')).toBe('prod');
  });

  it('the later of several names in app.config.name overrides the earlier', () => {
    const at = place({ 'work/one.yml': file('one'), 'work/two.properties': 'test.key=two\n' });

    const reading = at.read({ variables: { APP_CONFIG_NAME: 'two,one' } });

    expect(valueOf(reading, 'test.key')).toBe('one');
  });

  it('an empty app.config.name reads no files', () => {
    const reading = place({ 'work/application.yml': file('x') }).read({ args: ['--app.config.name='] });

    expect(effective(reading, 'test.key')).toBeUndefined();
  });
});

describe('keys that are read before any file', () => {
  it.each([
    ['app.config.name', 'login'],
    ['app.config.location', 'file:./other/'],
    ['app.config.additional-location', 'file:./other/'],
    ['app.config.on-not-found', 'ignore'],
  ])('%s is rejected in a file', (key, value) => {
    const at = place({ 'work/application.yml': `\n${key}: ${value}\n` });

    const problems = problemsOf(at.read());

    expect(problems).toEqual([
      {
        what: `The key ${key} is not allowed here`,
        action: `Set ${key} as an argument or an environment variable.`,
        facts: {
          Property: key,
          Origin: `file [application.yml] - 2:${key.length + 3}`,
          Reason: 'it is read before any file',
        },
      },
    ]);
  });

  it.each([
    [{ args: ['--app.config.location=file:./other/'] }],
    [{ args: ['-Dapp.config.location=file:./other/'] }],
    [{ variables: { APP_CONFIG_LOCATION: 'file:./other/' } }],
  ])('app.config.location is accepted from the process: %o', (inputs) => {
    const at = place({ 'work/other/application.yml': file('other'), 'work/application.yml': file('default') });

    expect(valueOf(at.read(inputs), 'test.key')).toBe('other');
  });

  it('app.config.location may contain placeholders', () => {
    const at = place({ 'work/eu/application.yml': file('eu') });

    const reading = at.read({ args: ['--app.config.location=file:./${REGION}/'], variables: { REGION: 'eu' } });

    expect(valueOf(reading, 'test.key')).toBe('eu');
  });
});

describe('locations', () => {
  it.each([
    ['with file:', 'file:./other/', 'file [other/application.yml] - 1:11'],
    ['without a scheme', 'other/', 'file [other/application.yml] - 1:11'],
    ['in the package', 'classpath:/other/', 'class path resource [other/application.yml] - 1:11'],
    ['in the package, without a slash', 'classpath:other/', 'class path resource [other/application.yml] - 1:11'],
    ['of one file', 'file:./other/application.yml', 'file [other/application.yml] - 1:11'],
    ['with dots in its path', 'file:./other/../other/./application.yml', 'file [other/application.yml] - 1:11'],
    ['with spaces in its path', 'file:./my files/application.yml', 'file [my files/application.yml] - 1:11'],
    ['with a type for a file without extension', 'file:./other/conf[.yaml]', 'file [other/conf] - 1:11'],
  ])('a location is read %s', (_, location, origin) => {
    const at = place({
      'work/other/application.yml': file('x'),
      'work/other/conf': file('x'),
      'work/my files/application.yml': file('x'),
      'package/other/application.yml': file('x'),
    });

    const reading = at.read({ args: [`--app.config.location=${location}`] });

    expect(problemsOf(reading)).toEqual([]);
    expect(effective(reading, 'test.key')?.origin).toBe(
      `${origin}, imported from "app.config.location" from property source "commandLineArgs"`,
    );
  });

  it('a location outside the working folder is named by its absolute path', () => {
    const at = place({ 'elsewhere/application.yml': file('x') });
    const elsewhere = join(at.folder, 'elsewhere/');

    const byPath = at.read({ args: [`--app.config.location=file:${elsewhere}`] });
    const byDots = at.read({ args: ['--app.config.location=file:../elsewhere/'] });

    const origin = `file [${elsewhere}application.yml] - 1:11`;
    expect(effective(byPath, 'test.key')?.origin).toContain(origin);
    expect(effective(byDots, 'test.key')?.origin).toContain(origin);
  });

  it('a folder name may start with two dots', () => {
    const at = place({ 'work/..hidden/application.yml': file('x') });

    const reading = at.read({ args: ['--app.config.location=file:./..hidden/'] });

    expect(effective(reading, 'test.key')?.origin).toContain('file [..hidden/application.yml] - 1:11');
  });

  it('a location may be a symbolic link', () => {
    const at = place({ 'elsewhere/application.yml': file('linked') });
    symlinkSync('../elsewhere', join(at.workingFolder, 'config'));

    expect(effective(at.read(), 'test.key')).toEqual({
      value: 'linked',
      origin: 'file [config/application.yml] - 1:11',
    });
  });

  it('the location of a folder must end with a slash', () => {
    const at = place({ 'work/other/application.yml': file('x') });

    const problems = problemsOf(at.read({ args: ['--app.config.location=optional:file:./other'] }));

    expect(problems).toEqual([
      {
        what: 'The type of optional:file:./other is unknown',
        action:
          'Name a file that ends in .yml, .yaml or .properties, a folder that ends in "/", or give the type in brackets: conf[.yaml].',
        facts: { Origin: '"app.config.location" from property source "commandLineArgs"' },
      },
    ]);
  });

  it('a location may be an empty folder', () => {
    const at = place();
    mkdirSync(join(at.workingFolder, 'empty'));

    expect(problemsOf(at.read({ args: ['--app.config.location=file:./empty/'] }))).toEqual([]);
  });

  it('a misspelled scheme is rejected even for an optional location', () => {
    const args = ['--app.config.additional-location=optional:clsspath:/other/'];

    const problems = problemsOf(place().read({ args }));

    expect(problems).toEqual([
      {
        what: 'The location optional:clsspath:/other/ cannot be used',
        action: expect.any(String) as string,
        facts: {
          Property: 'app.config.additional-location',
          Value: '"optional:clsspath:/other/"',
          Origin: '"app.config.additional-location" from property source "commandLineArgs"',
          Reason: 'clsspath: is not one of file:, classpath:, configtree:, env: and optional:',
        },
      },
    ]);
  });

  it('reports do not show credentials of a location', () => {
    const args = ['--app.config.additional-location=https://user:hunter2@host/application.yml'];

    const { problems } = place().read({ args });

    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });
});

describe('missing locations', () => {
  const missing = { args: ['--app.config.additional-location=file:./gone/'] };

  it('a missing location prevents startup, and the error names its origin and the fix', () => {
    expect(problemsOf(place().read(missing))).toEqual([
      {
        what: 'The location file:./gone/ does not exist',
        action:
          'Check file:./gone/, or write optional:file:./gone/ if it may be missing; app.config.on-not-found=ignore makes every location optional.',
        facts: {
          Property: 'app.config.additional-location',
          Value: '"file:./gone/"',
          Origin: '"app.config.additional-location" from property source "commandLineArgs"',
        },
      },
    ]);
  });

  it.each([
    ['a file', 'file:./gone.yml'],
    ['a file of a type', 'file:./gone[.yaml]'],
    ['a file where a folder is meant', 'file:./application.yml/'],
    ['a file below a file', 'file:./application.yml/application.yml'],
    ['a folder of the package', 'classpath:/gone/'],
    ['no folder for a wildcard', 'file:./gone/*/'],
    ['a file where a wildcard wants a folder', 'file:./application.yml/*/'],
    ['no file for a wildcard', 'file:./*/gone.yml'],
    ['a config tree', 'configtree:gone/'],
    ['a config tree that is a file', 'configtree:application.yml/'],
    ['no folder for a wildcard of config trees', 'configtree:gone/*/'],
    ['a variable', 'env:GONE'],
    ['a variable every object has', 'env:constructor'],
  ])('%s that does not exist prevents startup', (_, location) => {
    const at = place({ 'work/application.yml': file('x'), 'work/other/application.yml': file('x') });

    const problems = problemsOf(at.read({ args: [`--app.config.additional-location=${location}`] }));

    expect(problems.map(({ what }) => what)).toEqual([`The location ${location} does not exist`]);
  });

  it('a missing location with optional: is ignored', () => {
    const args = ['--app.config.additional-location=optional:file:./gone/,optional:file:./gone.yml,optional:env:GONE'];

    expect(problemsOf(place().read({ args }))).toEqual([]);
  });

  it('on-not-found=ignore ignores a missing location', () => {
    const reading = place().read({ ...missing, variables: { APP_CONFIG_ON_NOT_FOUND: 'ignore' } });

    expect(problemsOf(reading)).toEqual([]);
  });

  it('all missing locations are reported together', () => {
    const at = place({ 'work/application.yml': 'app.config.import: [a.yml, b.yml]\n' });

    const problems = problemsOf(at.read(missing));

    expect(problems.map(({ what }) => what).sort()).toEqual([
      'The location a.yml does not exist',
      'The location b.yml does not exist',
      'The location file:./gone/ does not exist',
    ]);
  });
});

describe('wildcard locations', () => {
  it('a wildcard matches all folders except those whose name starts with two dots', () => {
    const at = place({
      'work/conf/..data/application.yml': file('hidden'),
      'work/conf/.dot/application.yml': file('dot'),
      'work/conf/a/application.yml': file('a'),
      'work/conf/b/application.yml': file('b'),
      'work/conf/application.yml': file('no folder'),
      'work/conf/z.txt': 'no folder',
    });

    const reading = at.read({ args: ['--app.config.location=file:./conf/*/'] });

    expect(effective(reading, 'test.key')).toMatchObject({ value: 'b' });
    expect(reading.environment.sources.filter(({ kind }) => kind === 'file')).toHaveLength(3);
  });

  it('a wildcard may name one file in each folder', () => {
    const at = place({ 'work/conf/a/one.yml': file('a'), 'work/conf/b/two.yml': file('b') });

    const reading = at.read({ args: ['--app.config.location=file:./conf/*/one.yml'] });

    expect(valueOf(reading, 'test.key')).toBe('a');
  });

  it('a wildcard may be the first folder of a path', () => {
    const at = place({ 'work/a/application.yml': file('a') });

    expect(valueOf(at.read({ args: ['--app.config.location=*/'] }), 'test.key')).toBe('a');
  });

  it('an asterisk in the path of the working folder is not a wildcard', () => {
    const at = place({ 'odd*/application.yml': file('odd') });

    const reading = at.read({ workingFolder: join(at.folder, 'odd*') });

    expect(effective(reading, 'test.key')).toEqual({ value: 'odd', origin: 'file [application.yml] - 1:11' });
  });

  it.each(['file:./conf/*.yml', 'file:./*/conf/', 'file:./*/*/', 'file:./conf/a*/', 'configtree:*/conf/*/'])(
    'the wildcard %s is rejected even with optional:',
    (location) => {
      const at = place({ 'work/conf/application.yml': file('x') });

      const problems = problemsOf(at.read({ args: [`--app.config.additional-location=optional:${location}`] }));

      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatchObject({
        what: `The location optional:${location} cannot be used`,
        facts: { Reason: 'a * is allowed once, as the whole name of the last folder' },
      });
    },
  );
});

describe('unreadable folders and files', () => {
  it.each([
    [
      'a folder with the name of a file',
      (work: string) => mkdirSync(join(work, 'application.yml')),
      'it is not a file',
    ],
    [
      'a device that never ends',
      (work: string) => symlinkSync('/dev/zero', join(work, 'application.yml')),
      'it is not a file',
    ],
    [
      'a file larger than any configuration',
      (work: string) => {
        writeFileSync(join(work, 'application.yml'), '');
        truncateSync(join(work, 'application.yml'), 9 * 1024 * 1024);
      },
      'it is larger than 8MB',
    ],
    ['a link to itself', (work: string) => symlinkSync('application.yml', join(work, 'application.yml')), 'ELOOP'],
  ])('%s prevents startup', (_, make, reason) => {
    const at = place();
    make(at.workingFolder);

    expect(problemsOf(at.read())).toEqual([
      {
        what: 'file [application.yml] cannot be read',
        action: 'Check that it is a file and that this user may read it.',
        facts: { Reason: reason },
      },
    ]);
  });

  it('a dangling link is treated as a missing file', () => {
    const at = place();
    symlinkSync('gone.yml', join(at.workingFolder, 'application.yml'));

    expect(problemsOf(at.read())).toEqual([]);
  });

  it('a file named config causes no problem', () => {
    const at = place({ 'work/config': 'a file', 'work/application.yml': file('x') });

    const reading = at.read();

    expect(problemsOf(reading)).toEqual([]);
    expect(valueOf(reading, 'test.key')).toBe('x');
  });

  it.each(['file:./a\0b.yml', 'file:./a\0b/', `file:./${'x'.repeat(5000)}.yml`, `file:${'/x'.repeat(5000)}/`])(
    'an impossible path is reported',
    (location) => {
      const problems = problemsOf(place().read({ args: [`--app.config.additional-location=${location}`] }));

      expect(problems).not.toEqual([]);
    },
  );

  it('a file that is not UTF-8 prevents startup', () => {
    const at = place({ 'work/application.properties': Buffer.from('test.key=gr\xfcn\n', 'latin1') });

    expect(problemsOf(at.read())).toEqual([
      {
        what: 'file [application.properties] cannot be read',
        action: 'Save it in UTF-8.',
        facts: { Reason: 'its text is not UTF-8' },
      },
    ]);
  });

  it('a broken profile file is reported without an unknown profile', () => {
    const at = place({ 'work/application-prod.yml': 'a: [\n' });

    const problems = problemsOf(at.read({ variables: { APP_PROFILES_ACTIVE: 'prod' } }));

    expect(problems.map(({ what }) => what)).toEqual(['A configuration file cannot be read']);
  });
});

it('the service reads no files when neither the package nor the working folder exists', () => {
  const reading = place().read({ workingFolder: '/nowhere/at/all', packageFolder: '/nowhere/either' });

  expect(problemsOf(reading)).toEqual([]);
  expect(reading.environment.sources.filter(({ kind }) => kind === 'file')).toEqual([]);
});

it('a file that two locations include is listed once', () => {
  const at = place({ 'work/application.yml': file('x') });
  writeFileSync(join(at.workingFolder, 'other.yml'), file('y'));

  const reading = at.read({
    args: ['--app.config.location=file:./other.yml,./other.yml,file:./', '-Dapp.config.import=other.yml'],
  });

  const names = reading.environment.sources.filter(({ kind }) => kind === 'file').map(({ name }) => name);
  expect(names).toEqual([
    "Config resource 'file [other.yml]' via location 'other.yml'",
    "Config resource 'file [application.yml]' via location 'file:./'",
  ]);
});

describe('locations without a configuration file', () => {
  it.each([
    ['location', 'file:./conf/'],
    ['additional-location', 'conf/'],
    ['import', 'file:./*/'],
    ['import', 'configtree:tree/'],
  ])('C4: app.config.%s=%s gives a warning if no configuration file is there', (key, location) => {
    const at = place({ 'work/conf/app.yml': file('x') });
    mkdirSync(join(at.workingFolder, 'tree'));

    const reading = at.read({ args: [`--app.config.${key}=${location}`] });

    expect(problemsOf(reading)).toEqual([]);
    expect(reading.warnings).toEqual([
      `app.config.${key}: the location ${location} ("app.config.${key}" from property source "commandLineArgs") has no ` +
        `configuration file. Correct it, or write optional:${location} if it may be empty`,
    ]);
  });

  it('C4: the warning about an import names the file that imports', () => {
    const at = place({ 'work/application.yml': 'app.config.import: conf/\n', 'work/conf/app.yml': file('x') });

    expect(at.read().warnings).toEqual([expect.stringContaining('conf/ (file [application.yml] - 1:20) has no')]);
  });

  it.each([
    ['that is optional', 'optional:file:./conf/', []],
    ['without files, if missing locations are ignored', 'file:./conf/', ['--app.config.on-not-found=ignore']],
    ['with a file of an active profile only', 'file:./profiled/', ['--app.profiles.active=prod']],
    ['with a file whose document does not apply', 'file:./conditional/', []],
    ['with an empty file', 'file:./empty/', []],
  ])('C4: a location %s gives no warning', (_, location, args) => {
    const at = place({
      'work/conf/app.yml': file('x'),
      'work/profiled/application-prod.yml': file('x'),
      'work/conditional/application.yml': `app.config.activate.on-profile: other\n${file('x')}`,
      'work/empty/application.yml': '',
    });

    const reading = at.read({ args: [`--app.config.additional-location=${location}`, ...args] });

    expect([problemsOf(reading), reading.warnings]).toEqual([[], []]);
  });
});

it('C4: an empty app.config.location means the built-in locations', () => {
  const at = place({ 'work/application.yml': file('x') });

  expect(valueOf(at.read({ variables: { APP_CONFIG_LOCATION: '' } }), 'test.key')).toBe('x');
});

import { describe, expect, it } from 'vitest';
import { inForce, place, problemsOf, valueOf } from '../support.js';

const lax = '--app.profiles.validate=false';

function activeWith(
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  variables = {},
): readonly string[] {
  return place(files).read({ args: [lax, ...args], variables }).environment.profiles.active;
}

describe('active profiles', () => {
  it('are those of the highest source alone', () => {
    const files = { 'work/application.yml': 'app.profiles.active: [a, b]\n' };

    expect(activeWith(files)).toEqual(['a', 'b']);
    expect(activeWith(files, [], { APP_PROFILES_ACTIVE: 'c' })).toEqual(['c']);
    expect(activeWith(files, ['-Dapp.profiles.active=d'], { APP_PROFILES_ACTIVE: 'c' })).toEqual(['d']);
    expect(activeWith(files, ['-Dapp.profiles.active=d', '--app.profiles.active=e'])).toEqual(['e']);
  });

  it('are none when the highest source says so', () => {
    expect(activeWith({ 'work/application.yml': 'app.profiles.active: a\n' }, ['--app.profiles.active='])).toEqual([]);
  });

  it('follow those that are included, which add up over all sources', () => {
    const files = {
      'package/application.yml': 'app.profiles.include: one\n',
      'work/application.yml': 'app.profiles.include: [two, three]\n',
    };

    expect(activeWith(files, ['--app.profiles.active=a'], { APP_PROFILES_INCLUDE: 'four' })).toEqual([
      'one',
      'two',
      'three',
      'four',
      'a',
    ]);
  });

  it('C6: that are included by a higher source win over those of a lower one', () => {
    const at = place({
      'package/application.yml': 'app.profiles.include: one\n',
      'work/application-one.yml': 'test.key: one\n',
      'work/application-two.yml': 'test.key: two\n',
    });

    expect(valueOf(at.read({ variables: { APP_PROFILES_INCLUDE: 'two' } }), 'test.key')).toBe('two');
  });

  it('may be included ones only', () => {
    expect(activeWith({ 'work/application.yml': 'app.profiles.include: one\n' })).toEqual(['one']);
  });

  it('bring their groups, depth-first and directly behind them', () => {
    const group = [
      'app.profiles.group.prod=db,mail',
      'app.profiles.group.db[0]=pool',
      'app.profiles.group.db[1]=metrics',
    ];

    expect(
      activeWith({ 'work/application.properties': group.join('\n') }, ['--app.profiles.active=prod,live']),
    ).toEqual(['prod', 'db', 'pool', 'metrics', 'mail', 'live']);
  });

  it('bring groups whose names are exact texts', () => {
    const text = 'app:\n  profiles:\n    group:\n      "[EU.West]": db\n';

    expect(activeWith({ 'work/application.yml': text }, ['--app.profiles.active=EU.West'])).toEqual(['EU.West', 'db']);
  });

  it('bring groups set by variables', () => {
    expect(activeWith({}, ['--app.profiles.active=prod'], { APP_PROFILES_GROUP_PROD_0: 'db' })).toEqual(['prod', 'db']);
  });

  it('count once, where they stand first', () => {
    const text = 'app.profiles:\n  include: b\n  group:\n    a: [c, a, d]\n    c: a\n';

    expect(activeWith({ 'work/application.yml': text }, ['--app.profiles.active=a,b,a,d'])).toEqual([
      'b',
      'a',
      'c',
      'd',
    ]);
  });

  it('may be made of other values', () => {
    const text = 'stage: prod\napp.profiles.active: ${STAGE:dev}\n';

    expect(activeWith({ 'work/application.yml': text })).toEqual(['prod']);
  });

  it('let the last one win', () => {
    const at = place({ 'work/application-a.yml': 'test.key: a\n', 'work/application-b.yml': 'test.key: b\n' });

    expect(valueOf(at.read({ args: ['--app.profiles.active=b,a'] }), 'test.key')).toBe('a');
  });
});

describe('without an active profile', () => {
  const files = {
    'work/application.yml': 'test.key: base\n---\napp.config.activate.on-profile: default\ntest.document: x\n',
    'work/application-default.yml': 'test.key: default\n',
    'work/application-local.yml': 'test.key: local\n',
  };

  it('the profile default counts, and its file is read', () => {
    const reading = place(files).read();

    expect(reading.environment.profiles).toEqual({ active: [], default: ['default'] });
    expect(valueOf(reading, 'test.key')).toBe('default');
    expect(valueOf(reading, 'test.document')).toBe('x');
  });

  it('another one may be the default', () => {
    const reading = place(files).read({ variables: { APP_PROFILES_DEFAULT: 'local' } });

    expect(valueOf(reading, 'test.key')).toBe('local');
    expect(inForce(reading, 'test.document')).toBeUndefined();
  });

  it('is not the case when any profile is active', () => {
    const reading = place(files).read({ args: [lax, '--app.profiles.active=other'] });

    expect(valueOf(reading, 'test.key')).toBe('base');
  });
});

describe('a name of a profile', () => {
  it.each(['prod', 'p', 'eu-west_1', 'a.b+c@d', '1', 'größe'])('may be %s', (name) => {
    const reading = place({ [`work/application-${name}.yml`]: '' }).read({ args: [`--app.profiles.active=${name}`] });

    expect(problemsOf(reading)).toEqual([]);
    expect(reading.environment.profiles.active).toEqual([name]);
  });

  it.each(['-prod', 'prod-', '.prod', 'a b', 'a/b', '../x', 'a!b', '${x', '*'])('may not be %s', (name) => {
    const reading = place().read({ args: [`--app.profiles.active=${name}`] });

    expect(problemsOf(reading)).toEqual([
      {
        what: `"${name}" is no name for a profile`,
        action:
          'Use letters, digits and - _ . + @ inside, a letter or digit at both ends; app.profiles.validate=false lifts the rule.',
        facts: { Origin: '"app.profiles.active" from property source "commandLineArgs"' },
      },
    ]);
  });

  it.each([
    ['app.profiles.active: -a\n', 'file [application.yml] - 1:22'],
    ['app.profiles.include: -a\n', 'file [application.yml] - 1:23'],
    ['app.profiles.default: -a\n', 'file [application.yml] - 1:23'],
    ['app.profiles.group.prod: -a\n', 'file [application.yml] - 1:26'],
    ['app.profiles.group.[-a]: prod\n', 'file [application.yml] - 1:26'],
  ])('is checked wherever it stands: %j', (text, origin) => {
    const problems = problemsOf(place({ 'work/application.yml': text }).read());

    expect(problems.map(({ what, facts }) => [what, facts['Origin']])).toEqual([
      ['"-a" is no name for a profile', origin],
    ]);
  });

  it('may be anything with validate=false', () => {
    const reading = place().read({ args: ['--app.profiles.active=-a', lax] });

    expect(problemsOf(reading)).toEqual([]);
  });

  it('that is bad is told beside what else is wrong', () => {
    const at = place({ 'work/application.yml': 'app.config.import: gone.yml\nserver.port: x\n' });

    const problems = problemsOf(at.read({ args: ['--app.profiles.active=-a'] }));

    expect(problems.map(({ what }) => what)).toEqual([
      'The location gone.yml does not exist',
      '"-a" is no name for a profile',
      'The value of server.port cannot be used',
    ]);
  });
});

describe('an active profile that nothing knows', () => {
  const files = {
    'work/application.yml': 'app.profiles.include: staging\n---\napp.config.activate.on-profile: live\na: b\n',
    'work/application-staging.yml': '',
  };

  it('fails the start with the origin of that name, and the nearest one', () => {
    const problems = problemsOf(place(files).read({ variables: { APP_PROFILES_ACTIVE: 'liv' } }));

    expect(problems).toEqual([
      {
        what: 'The active profile "liv" is unknown: no file, no group and no on-profile condition names it',
        action:
          'Did you mean "live"? Correct app.profiles.active, or add a file application-liv.yml; app.profiles.validate=false lifts the rule.',
        facts: {
          Property: 'app.profiles.active',
          Value: '"staging,liv"',
          Origin: 'System Environment Property "APP_PROFILES_ACTIVE"',
        },
      },
    ]);
  });

  it('is told with the place of the profile whose group brought it', () => {
    const at = place({ 'work/application.yml': 'app.profiles.group.prod: db\n' });

    const problems = problemsOf(at.read({ args: ['--app.profiles.active=prod'] }));

    expect(problems.map(({ facts }) => facts['Origin'])).toEqual([
      '"app.profiles.active" from property source "commandLineArgs"',
    ]);
  });

  it('is told beside every other problem of the start', () => {
    const at = place({ 'work/application.yml': 'app.config.import: gone.yml\n' });

    const problems = problemsOf(at.read({ args: ['--app.profiles.active=prod'] }));

    expect(problems.map(({ what }) => what)).toEqual([
      'The location gone.yml does not exist',
      expect.stringContaining('The active profile "prod" is unknown'),
    ]);
  });

  it('is none when a group has its name', () => {
    const at = place({ 'work/application.yml': 'app.profiles.group.prod: live\n', 'work/application-live.yml': '' });

    expect(problemsOf(at.read({ args: ['--app.profiles.active=prod'] }))).toEqual([]);
  });
});

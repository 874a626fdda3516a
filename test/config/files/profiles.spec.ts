import { describe, expect, it } from 'vitest';
import { effective, place, problemsOf, valueOf } from '../support.js';

const lax = '--app.profiles.validate=false';

function activeWith(
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  variables = {},
): readonly string[] {
  return place(files).read({ args: [lax, ...args], variables }).environment.profiles.active;
}

describe('active profiles', () => {
  it('active profiles come from the highest source alone', () => {
    const files = { 'work/application.yml': 'app.profiles.active: [a, b]\n' };

    expect(activeWith(files)).toEqual(['a', 'b']);
    expect(activeWith(files, [], { APP_PROFILES_ACTIVE: 'c' })).toEqual(['c']);
    expect(activeWith(files, ['-Dapp.profiles.active=d'], { APP_PROFILES_ACTIVE: 'c' })).toEqual(['d']);
    expect(activeWith(files, ['-Dapp.profiles.active=d', '--app.profiles.active=e'])).toEqual(['e']);
  });

  it('an empty value in the highest source means no active profile', () => {
    expect(activeWith({ 'work/application.yml': 'app.profiles.active: a\n' }, ['--app.profiles.active='])).toEqual([]);
  });

  it('included profiles of all sources add up and precede the active ones', () => {
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

  it('C6: a profile included by a higher source overrides one of a lower source', () => {
    const at = place({
      'package/application.yml': 'app.profiles.include: one\n',
      'work/application-one.yml': 'test.key: one\n',
      'work/application-two.yml': 'test.key: two\n',
    });

    expect(valueOf(at.read({ variables: { APP_PROFILES_INCLUDE: 'two' } }), 'test.key')).toBe('two');
  });

  it('included profiles are active without app.profiles.active', () => {
    expect(activeWith({ 'work/application.yml': 'app.profiles.include: one\n' })).toEqual(['one']);
  });

  it('the members of a group follow it directly, depth-first', () => {
    const group = [
      'app.profiles.group.prod=db,mail',
      'app.profiles.group.db[0]=pool',
      'app.profiles.group.db[1]=metrics',
    ];

    expect(
      activeWith({ 'work/application.properties': group.join('\n') }, ['--app.profiles.active=prod,live']),
    ).toEqual(['prod', 'db', 'pool', 'metrics', 'mail', 'live']);
  });

  it('group names in brackets are exact texts', () => {
    const text = 'app:\n  profiles:\n    group:\n      "[EU.West]": db\n';

    expect(activeWith({ 'work/application.yml': text }, ['--app.profiles.active=EU.West'])).toEqual(['EU.West', 'db']);
  });

  it('groups may be set by variables', () => {
    expect(activeWith({}, ['--app.profiles.active=prod'], { APP_PROFILES_GROUP_PROD_0: 'db' })).toEqual(['prod', 'db']);
  });

  it('a repeated profile counts once, at its first position', () => {
    const text = 'app.profiles:\n  include: b\n  group:\n    a: [c, a, d]\n    c: a\n';

    expect(activeWith({ 'work/application.yml': text }, ['--app.profiles.active=a,b,a,d'])).toEqual([
      'b',
      'a',
      'c',
      'd',
    ]);
  });

  it('app.profiles.active may contain placeholders', () => {
    const text = 'stage: prod\napp.profiles.active: ${STAGE:dev}\n';

    expect(activeWith({ 'work/application.yml': text })).toEqual(['prod']);
  });

  it('the last active profile overrides the others', () => {
    const at = place({ 'work/application-a.yml': 'test.key: a\n', 'work/application-b.yml': 'test.key: b\n' });

    expect(valueOf(at.read({ args: ['--app.profiles.active=b,a'] }), 'test.key')).toBe('a');
  });
});

describe('default profiles', () => {
  const files = {
    'work/application.yml': 'test.key: base\n---\napp.config.activate.on-profile: default\ntest.document: x\n',
    'work/application-default.yml': 'test.key: default\n',
    'work/application-local.yml': 'test.key: local\n',
  };

  it('the profile default applies without an active profile', () => {
    const reading = place(files).read();

    expect(reading.environment.profiles).toEqual({ active: [], default: ['default'] });
    expect(valueOf(reading, 'test.key')).toBe('default');
    expect(valueOf(reading, 'test.document')).toBe('x');
  });

  it('app.profiles.default replaces the default profile', () => {
    const reading = place(files).read({ variables: { APP_PROFILES_DEFAULT: 'local' } });

    expect(valueOf(reading, 'test.key')).toBe('local');
    expect(effective(reading, 'test.document')).toBeUndefined();
  });

  it('the default profile does not apply when a profile is active', () => {
    const reading = place(files).read({ args: [lax, '--app.profiles.active=other'] });

    expect(valueOf(reading, 'test.key')).toBe('base');
  });
});

describe('profile names', () => {
  it.each(['prod', 'p', 'eu-west_1', 'a.b+c@d', '1', 'größe'])('the profile name %s is accepted', (name) => {
    const reading = place({ [`work/application-${name}.yml`]: '' }).read({ args: [`--app.profiles.active=${name}`] });

    expect(problemsOf(reading)).toEqual([]);
    expect(reading.environment.profiles.active).toEqual([name]);
  });

  it.each(['-prod', 'prod-', '.prod', 'a b', 'a/b', '../x', 'a!b', '${x', '*'])(
    'the profile name %s is rejected',
    (name) => {
      const reading = place().read({ args: [`--app.profiles.active=${name}`] });

      expect(problemsOf(reading)).toEqual([
        {
          what: `"${name}" is not a valid profile name`,
          action:
            'Use letters, digits and - _ . + @ inside, a letter or digit at both ends; app.profiles.validate=false disables this check.',
          facts: { Origin: '"app.profiles.active" from property source "commandLineArgs"' },
        },
      ]);
    },
  );

  it.each([
    ['app.profiles.active: -a\n', 'file [application.yml] - 1:22'],
    ['app.profiles.include: -a\n', 'file [application.yml] - 1:23'],
    ['app.profiles.default: -a\n', 'file [application.yml] - 1:23'],
    ['app.profiles.group.prod: -a\n', 'file [application.yml] - 1:26'],
    ['app.profiles.group.[-a]: prod\n', 'file [application.yml] - 1:26'],
  ])('profile names are checked in every key: %j', (text, origin) => {
    const problems = problemsOf(place({ 'work/application.yml': text }).read());

    expect(problems.map(({ what, facts }) => [what, facts['Origin']])).toEqual([
      ['"-a" is not a valid profile name', origin],
    ]);
  });

  it('app.profiles.validate=false accepts any profile name', () => {
    const reading = place().read({ args: ['--app.profiles.active=-a', lax] });

    expect(problemsOf(reading)).toEqual([]);
  });

  it('an invalid profile name is reported together with other problems', () => {
    const at = place({ 'work/application.yml': 'app.config.import: gone.yml\nserver.port: x\n' });

    const problems = problemsOf(at.read({ args: ['--app.profiles.active=-a'] }));

    expect(problems.map(({ what }) => what)).toEqual([
      'The location gone.yml does not exist',
      '"-a" is not a valid profile name',
      'The value of server.port cannot be used',
    ]);
  });
});

describe('unknown active profiles', () => {
  const files = {
    'work/application.yml': 'app.profiles.include: staging\n---\napp.config.activate.on-profile: live\na: b\n',
    'work/application-staging.yml': '',
  };

  it('an unknown active profile prevents startup, and the error suggests the nearest name', () => {
    const problems = problemsOf(place(files).read({ variables: { APP_PROFILES_ACTIVE: 'liv' } }));

    expect(problems).toEqual([
      {
        what: 'The active profile "liv" is unknown: no file, no group and no on-profile condition names it',
        action:
          'Did you mean "live"? Correct app.profiles.active, or add a file application-liv.yml; app.profiles.validate=false disables this check.',
        facts: {
          Property: 'app.profiles.active',
          Value: '"staging,liv"',
          Origin: 'System Environment Property "APP_PROFILES_ACTIVE"',
        },
      },
    ]);
  });

  it('an unknown profile of a group is reported with the origin of the active profile', () => {
    const at = place({ 'work/application.yml': 'app.profiles.group.prod: db\n' });

    const problems = problemsOf(at.read({ args: ['--app.profiles.active=prod'] }));

    expect(problems.map(({ facts }) => facts['Origin'])).toEqual([
      '"app.profiles.active" from property source "commandLineArgs"',
    ]);
  });

  it('an unknown profile is reported together with other problems', () => {
    const at = place({ 'work/application.yml': 'app.config.import: gone.yml\n' });

    const problems = problemsOf(at.read({ args: ['--app.profiles.active=prod'] }));

    expect(problems.map(({ what }) => what)).toEqual([
      'The location gone.yml does not exist',
      expect.stringContaining('The active profile "prod" is unknown'),
    ]);
  });

  it('a profile is known when a group has its name', () => {
    const at = place({ 'work/application.yml': 'app.profiles.group.prod: live\n', 'work/application-live.yml': '' });

    expect(problemsOf(at.read({ args: ['--app.profiles.active=prod'] }))).toEqual([]);
  });
});

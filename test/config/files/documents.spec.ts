import { describe, expect, it } from 'vitest';
import { effective, place, problemsOf, valueOf } from '../support.js';

const KUBERNETES = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

describe('files with several documents', () => {
  it.each([
    ['application.yml', 'test.key: one\n---\ntest.key: two\n'],
    ['application.yml', '--- # first\ntest.key: one\n--- # second\ntest.key: two\n...\n'],
    ['application.yml', 'test.key: one\r\n---\r\ntest.key: two\r\n'],
    ['application.properties', 'test.key=one\n#---\ntest.key=two\n'],
    ['application.properties', 'test.key=one\n!---\ntest.key=two\n'],
    ['application.properties', 'test.key=one\r\n#---  \r\ntest.key=two\r\n'],
  ])('a later document overrides an earlier one: %s %j', (name, text) => {
    const reading = place({ [`work/${name}`]: text }).read();

    expect(valueOf(reading, 'test.key')).toBe('two');
    expect(reading.environment.sources.filter(({ kind }) => kind === 'file').map((source) => source.name)).toEqual([
      `Config resource 'file [${name}]' via location 'optional:file:./' (document #1)`,
      `Config resource 'file [${name}]' via location 'optional:file:./' (document #0)`,
    ]);
  });

  it.each([
    ['four dashes', '#----'],
    ['two dashes', '#--'],
    ['a blank inside', '# ---'],
    ['a blank before', ' #---'],
    ['more behind', '#--- prod'],
  ])('a .properties document does not start at a separator with %s', (_, line) => {
    const text = `app.config.activate.on-profile=prod\n${line}\ntest.key=x\n`;

    expect(effective(place({ 'work/application.properties': text }).read(), 'test.key')).toBeUndefined();
  });

  it('empty documents count in the numbering', () => {
    const reading = place({ 'work/application.yml': '---\n---\n# nothing\n---\ntest.key: x\n---\n' }).read();

    expect(problemsOf(reading)).toEqual([]);
    expect(reading.environment.sources.filter(({ kind }) => kind === 'file').map(({ name }) => name)).toEqual([
      "Config resource 'file [application.yml]' via location 'optional:file:./' (document #2)",
    ]);
  });
});

describe('separators of .properties documents', () => {
  it.each(['# a note\n#---\n', '#---\n# a note\n', '! a note\n!---\n', '!---\n! a note\n'])(
    'C6: a separator beside a comment line separates documents: %j',
    (lines) => {
      const first = 'test.one=1\n';
      const second = 'test.two=2\napp.config.activate.on-profile=prod\n';
      const reading = place({ 'work/application.properties': first + lines + second }).read();

      expect(problemsOf(reading)).toEqual([]);
      expect(valueOf(reading, 'test.one')).toBe('1');
      expect(effective(reading, 'test.two')).toBeUndefined();
    },
  );
});

describe('malformed values that Spring Boot accepts', () => {
  it.each(['prod &', '(prod', 'prod)', 'prod eu', 'pr!od', 'prod,,eu'])(
    'C6: the malformed expression "%s" is rejected',
    (expression) => {
      const at = place({ 'work/application.yml': `app.config.activate.on-profile: "${expression}"\n` });

      expect(problemsOf(at.read())[0]?.facts['Property']).toBe('app.config.activate.on-profile');
    },
  );

  it.each(['optional:file:./x.txt', 'optional:file:./x', 'optional:clsspath:/x/', 'optional:file:./a*/'])(
    'C6: the invalid location %s is rejected although it is optional',
    (location) => {
      expect(problemsOf(place().read({ args: [`--app.config.additional-location=${location}`] }))).toHaveLength(1);
    },
  );

  it('C6: an empty element in a list of choices is rejected', () => {
    const at = place({ 'work/application.yml': 'app.config.activate.on-cloud-platform: "none,,none"\n' });

    expect(problemsOf(at.read()).map(({ facts }) => facts['Reason'])).toContain('the value is empty');
  });
});

describe('block texts at the end of a file', () => {
  it.each([
    ['|', '  a\n  b', 'a\nb'],
    ['|', '  a\n  b\n', 'a\nb\n'],
    ['|', '  a\n  ', 'a\n'],
    ['|', '  a\n# a comment', 'a\n'],
    ['|+', '  a', 'a'],
    ['|+', '  a\n\n', 'a\n\n'],
    ['|-', '  a', 'a'],
    ['>', '  a\n  b', 'a b'],
    ['>', '  a\n  b\n', 'a b\n'],
  ])('C5: a block text keeps exactly its written line breaks: %s %j', (header, text, value) => {
    const at = place({ 'work/application.yml': `test.key: ${header}\n${text}` });

    expect(valueOf(at.read(), 'test.key')).toBe(value);
  });

  it('C5: a block text in a list of the last document gets no additional line break', () => {
    const at = place({ 'work/application.yml': 'test.one: 1\n---\ntest.key:\n  - |\n    a' });

    expect(valueOf(at.read(), 'test.key[0]')).toBe('a');
  });
});

describe('documents with on-profile', () => {
  const active = (profiles: string, condition: string, extra = ''): string | undefined => {
    const text = `app:\n  config:\n    activate:\n      on-profile: ${condition}\ntest.key: x\n`;
    const args = profiles === '' ? [] : [`--app.profiles.active=${profiles}`, '--app.profiles.validate=false'];
    const reading = place({ 'work/application.yml': `${text}${extra}` }).read({ args });
    expect(problemsOf(reading)).toEqual([]);
    return valueOf(reading, 'test.key');
  };

  it.each([
    ['prod', 'prod'],
    ['prod,eu', 'prod & eu'],
    ['us', 'eu | us'],
    ['prod,us', 'prod & (eu | us)'],
    ['dev', '"!prod"'],
    ['dev', '"!(prod | eu)"'],
    ['dev', '"!!dev"'],
    ['us', 'eu,us'],
    ['us', '[eu, us]'],
    ['us', '["eu & prod", us]'],
    ['prod', '"!eu & prod"'],
    ['prod', '"  prod  "'],
    ['', 'default'],
    ['', '"!prod"'],
    ['prod', ''],
  ])('with active profiles "%s", on-profile %s includes the document', (profiles, condition) => {
    expect(active(profiles, condition)).toBe('x');
  });

  it.each([
    ['', 'prod'],
    ['PROD', 'prod'],
    ['prod', 'prod & eu'],
    ['prod', '"!prod"'],
    ['eu', 'prod & (eu | us)'],
    ['prod', 'eu,us'],
    ['prod', '[eu, us]'],
    ['prod', 'default'],
    ['prod', 'production'],
  ])('with active profiles "%s", on-profile %s excludes the document', (profiles, condition) => {
    expect(active(profiles, condition)).toBeUndefined();
  });

  it('on-profile may contain a placeholder', () => {
    const text = 'wanted: prod\n---\napp.config.activate.on-profile: ${wanted}\ntest.key: x\n';
    const at = place({ 'package/application.yml': 'wanted: prod\n', 'work/application.yml': text });

    expect(valueOf(at.read({ variables: { APP_PROFILES_ACTIVE: 'prod', WANTED: 'prod' } }), 'test.key')).toBe('x');
    expect(valueOf(at.read({ variables: { WANTED: 'prod' } }), 'test.key')).toBeUndefined();
  });

  it('on-profile declares its profiles without files for them', () => {
    const text = 'app.config.activate.on-profile: "!prod & eu"\ntest.key: x\n';

    const reading = place({ 'work/application.yml': text }).read({ variables: { APP_PROFILES_ACTIVE: 'prod,eu' } });

    expect(problemsOf(reading)).toEqual([]);
  });

  it.each([
    ['prod & eu | us', '"&" and "|" on one level need parentheses'],
    ['prod | eu & us', '"&" and "|" on one level need parentheses'],
    ['(prod', 'a closing parenthesis is missing'],
    ['prod)', '")" is unexpected'],
    ['prod &', 'a profile name is missing at the end'],
    ['prod eu', '"eu" is unexpected'],
    ['()', 'a profile name is missing before ")"'],
  ])('the on-profile expression "%s" is rejected', (condition, reason) => {
    const text = `test.key: x\n---\napp.config.activate.on-profile: ${condition}\n`;

    const problems = problemsOf(place({ 'work/application.yml': text }).read());

    expect(problems).toEqual([
      {
        what: `The condition "${condition}" is not a valid profile expression`,
        action: 'Use names with !, & and |, and parentheses where & and | are combined.',
        facts: {
          Property: 'app.config.activate.on-profile',
          Value: `"${condition}"`,
          Origin: 'file [application.yml] - 3:33',
          Reason: reason,
        },
      },
    ]);
  });
});

describe('documents with on-cloud-platform', () => {
  const text = (platform: string): string => `app.config.activate.on-cloud-platform: ${platform}\ntest.key: x\n`;

  it.each([
    ['kubernetes', KUBERNETES, 'x'],
    ['KUBERNETES', KUBERNETES, 'x'],
    ['kubernetes', {}, undefined],
    ['kubernetes', { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, undefined],
    ['none', {}, 'x'],
    ['none', KUBERNETES, undefined],
    ['none,kubernetes', KUBERNETES, 'x'],
    ['[none, kubernetes]', {}, 'x'],
  ])('on-cloud-platform %s with the variables %o gives the value %s', (platform, variables, value) => {
    const reading = place({ 'work/application.yml': text(platform) }).read({ variables });

    expect(problemsOf(reading)).toEqual([]);
    expect(valueOf(reading, 'test.key')).toBe(value);
  });

  it('a document with on-cloud-platform and on-profile needs both conditions', () => {
    const at = place({ 'work/application.yml': `${text('kubernetes')}app.config.activate.on-profile: prod\n` });
    const prod = { APP_PROFILES_ACTIVE: 'prod' };

    expect(valueOf(at.read({ variables: { ...KUBERNETES, ...prod } }), 'test.key')).toBe('x');
    expect(valueOf(at.read({ variables: KUBERNETES }), 'test.key')).toBeUndefined();
    expect(valueOf(at.read({ variables: prod }), 'test.key')).toBeUndefined();
  });

  it('an unknown cloud platform is rejected', () => {
    const problems = problemsOf(place({ 'work/application.yml': text('kubernets') }).read());

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      action: 'Set app.config.activate.on-cloud-platform to one of none, kubernetes.',
      facts: { Value: '"kubernets"', Origin: 'file [application.yml] - 1:40' },
    });
  });
});

describe('keys that choose profiles', () => {
  const illegal = (key: string, origin: string): unknown => ({
    what: `The key ${key} is not allowed here`,
    action: `Move ${key} to a document without profile, or better to the environment.`,
    facts: { Property: key, Origin: origin, Reason: 'the document applies only with certain profiles' },
  });
  const KEYS = ['app.profiles.active', 'app.profiles.include', 'app.profiles.default', 'app.profiles.group.prod'];
  const variables = { APP_PROFILES_ACTIVE: 'prod' };

  it.each(KEYS)('%s is rejected in a profile file', (key) => {
    const at = place({ 'work/application-prod.yml': `${key}: eu\n` });

    expect(problemsOf(at.read({ variables }))).toEqual([
      illegal(key, `file [application-prod.yml] - 1:${key.length + 3}`),
    ]);
  });

  it.each(KEYS)('%s is rejected in a document with on-profile', (key) => {
    const text = `app.config.activate.on-profile: prod\n${key}: eu\n`;
    const problem = illegal(key, `file [application.yml] - 2:${key.length + 3}`);

    expect(problemsOf(place({ 'work/application.yml': text }).read({ variables }))).toEqual([problem]);
    expect(problemsOf(place({ 'work/application.yml': text }).read())).toEqual([problem]);
  });

  it.each(KEYS)('%s is rejected in a file that a profile file imports', (key) => {
    const at = place({
      'work/application-prod.yml': 'app.config.import: late.yml\n',
      'work/late.yml': `${key}: eu\n`,
    });

    expect(problemsOf(at.read({ variables }))).toEqual([
      illegal(key, `file [late.yml] - 1:${key.length + 3}, imported from file [application-prod.yml] - 1:20`),
    ]);
  });

  it('app.profiles.active is accepted in a file that is imported without a profile', () => {
    const at = place({
      'work/application.yml': 'app.config.import: early.yml\n',
      'work/early.yml': 'app.profiles.active: eu\n',
      'work/application-eu.yml': 'test.key: eu\n',
    });

    const reading = at.read();

    expect(problemsOf(reading)).toEqual([]);
    expect(reading.environment.profiles.active).toEqual(['eu']);
    expect(valueOf(reading, 'test.key')).toBe('eu');
  });

  it('app.profiles.active is accepted in a document with on-cloud-platform', () => {
    const text = 'app.config.activate.on-cloud-platform: none\napp.profiles.active: eu\n';
    const at = place({ 'work/application.yml': text, 'work/application-eu.yml': '' });

    expect(problemsOf(at.read())).toEqual([]);
  });

  it.each(['app.profiles: prod\n', 'app.profiles: [prod]\n', 'app:\n  profiles: prod\n'])(
    'a value for the section app.profiles is rejected: %j',
    (text) => {
      const problems = problemsOf(place({ 'work/application.yml': text }).read());

      expect(problems[0]).toMatchObject({
        what: expect.stringMatching(/^The key app\.profiles(?:\[0\])? is not allowed here$/) as string,
        action: 'Use app.profiles.active, set by the environment or an argument.',
        facts: { Reason: 'it is a section', Origin: expect.stringMatching(/^file \[application\.yml\] - /) as string },
      });
    },
  );

  it('the section app.profiles may be empty', () => {
    expect(problemsOf(place({ 'work/application.yml': 'app:\n  profiles:\n  #  active: x\n' }).read())).toEqual([]);
  });
});

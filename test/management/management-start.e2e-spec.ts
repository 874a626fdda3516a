import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { userPaths } from '../../src/apps/server/user-paths.js';
import { makeCertificate } from '../support/http/certificates.js';
import { HttpClient } from '../support/http/http-client.js';
import { PROD } from '../support/programs/prod.js';
import { routesOfService } from '../support/programs/route-list.js';
import { type Ended, type RunningService, runCli, runService, startService } from '../support/programs/service.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

const GROUP = 'management.endpoint.health.group';
let running: RunningService | undefined;

afterEach(async () => {
  await running?.release();
  running = undefined;
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const cwd = temporaryFolder('wrong-keys');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

/** One problem of a report: its description, its facts by label, and its action. */
interface Problem {
  readonly what: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly action: string;
}

/** The problems of a report by their `Property`, which each has once. */
function problemsIn(report: string): ReadonlyMap<string, Problem> {
  const [description = '', actions = ''] = report.split('\nAction:\n');
  const problems = Array.from(
    description.matchAll(/^(\d+)\. (.*)\n((?: {5}.*\n)*)/gm),
    ([, number = '', what = '', lines = '']) => {
      const facts = Object.fromEntries(
        Array.from(lines.matchAll(/^ {5}([^:]+): +(.*)$/gm), ([, label = '', text = '']) => [label, text] as const),
      );
      return { what, facts, action: new RegExp(`^${number}\\. (.*)$`, 'm').exec(actions)?.[1] ?? '' };
    },
  );
  return new Map(problems.map((problem) => [problem.facts['Property'] ?? problem.what, problem]));
}

const YML = `management:
  endpoints.web:
    path-mapping:
      info: health
  endpoint.health:
    show-details: sometimes
    show-componets: always
    status.http-mapping:
      DOWN: 5000
    group:
      mine:
        include: [ping, dba]
        additional-path: server:/me
  httpexchanges.recording.include:
    - time-taken
    - everything
app.boot.admin.client:
  url: http://admin:hunter2@console.example
  username: login
logging:
  config: log.yml
  level:
    auth: loud
`;
const LOG_YML = `appenders:
  console:
    pattern: '%nothing'
  fle:
    name: x.log
`;
const VARIABLES = {
  TZ: 'UTC',
  MANAGEMENT_SECURITY_ENABLED: 'false',
  MANAGEMENT_SECURITY_PASSWORD: 'hunter2\u0007',
  MANAGEMENT_ENDPOINT_ENV_ACCESS: 'everybody',
};
const ARGUMENTS = [
  '--management.security.user=a:b',
  '--management.endpoint.health.cache.time-to-live=10 s',
  '-Dmanagement.endpoint.env.show-values=sure',
  '--management.security.pasword=hunter2',
];

/** Key, value as it is shown, origin, and what the reader may set. */
const WRONG: readonly (readonly [key: string, value: string | undefined, origin: string, accepted: string])[] = [
  ['management.endpoints.web.path-mapping.info', '"health"', 'file [application.yml] - 4:13', 'a path of its own'],
  [
    'management.endpoint.health.show-details',
    '"sometimes"',
    'file [application.yml] - 6:19',
    'one of never, when-authorized, always',
  ],
  [
    'management.endpoint.health.show-componets',
    '"always"',
    'file [application.yml] - 7:21',
    'Did you mean management.endpoint.health.show-components?',
  ],
  [
    'management.endpoint.health.status.http-mapping.DOWN',
    '"5000"',
    'file [application.yml] - 9:13',
    'a whole number from 200 to 599',
  ],
  [
    `${GROUP}.mine.include`,
    '"ping,dba"',
    'file [application.yml] - 12:19',
    'some of db, diskSpace, kvstore, livenessState, mail, ping',
  ],
  [`${GROUP}.mine.additional-path`, '"server:/me"', 'file [application.yml] - 13:26', 'a path of its own'],
  ['management.httpexchanges.recording.include[1]', '"everything"', 'file [application.yml] - 16:7', 'one of '],
  [
    'app.boot.admin.client.url',
    '"http://******@console.example"',
    'file [application.yml] - 18:8',
    'https://console.example.com/admin, without user',
  ],
  ['app.boot.admin.client.username', '"login"', 'file [application.yml] - 19:13', 'Set app.boot.admin.client.password'],
  ['logging.level.auth', '"loud"', 'file [application.yml] - 23:11', 'one of off, false, fatal, error, warn, info'],
  [
    'appenders.console.pattern',
    '"%nothing"',
    'file [log.yml] - 3:14, imported from file [application.yml] - 21:11',
    '%level',
  ],
  [
    'appenders.fle.name',
    undefined,
    'file [log.yml] - 5:11, imported from file [application.yml] - 21:11',
    'Did you mean appenders.file.name?',
  ],
  [
    'management.security.enabled',
    '"false"',
    'System Environment Property "MANAGEMENT_SECURITY_ENABLED"',
    'Set management.security.enabled to true, or management.server.port to a port of their own',
  ],
  [
    'management.security.password',
    '"******"',
    'System Environment Property "MANAGEMENT_SECURITY_PASSWORD"',
    'a text without control characters',
  ],
  [
    'management.endpoint.env.access',
    '"everybody"',
    'System Environment Property "MANAGEMENT_ENDPOINT_ENV_ACCESS"',
    'one of none, read-only, unrestricted',
  ],
  [
    'management.security.user',
    '"a:b"',
    '"management.security.user" from property source "commandLineArgs"',
    'a name without colon and control characters',
  ],
  [
    'management.endpoint.health.cache.time-to-live',
    '"10 s"',
    '"management.endpoint.health.cache.time-to-live" from property source "commandLineArgs"',
    'a duration such as 20s',
  ],
  [
    'management.endpoint.env.show-values',
    '"sure"',
    '"management.endpoint.env.show-values" from property source "systemProperties"',
    'one of never, when-authorized, always',
  ],
  [
    'management.security.pasword',
    '"******"',
    '"management.security.pasword" from property source "commandLineArgs"',
    'Did you mean management.security.password?',
  ],
];

describe('15: the report of several invalid keys', () => {
  const files = { 'application.yml': YML, 'log.yml': LOG_YML };
  let ended: Ended;

  beforeAll(async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    // If startup reached the listener, it would report that the port is taken.
    ended = await runService({ env: VARIABLES, args: [...ARGUMENTS, `--server.port=${port}`], cwd: folderWith(files) });
    taken.close();
  });

  it('one report lists every invalid key with its value, origin and accepted values', () => {
    const problems = problemsIn(ended.stderr);

    expect(ended.exitCode).toBe(1);
    for (const [key, value, origin, accepted] of WRONG) {
      const problem = problems.get(key);
      expect({ key, value: problem?.facts['Value'], origin: problem?.facts['Origin'] }).toEqual({ key, value, origin });
      expect(problem?.action, key).toContain(accepted);
    }
    expect([...problems.keys()].toSorted()).toEqual(WRONG.map(([key]) => key).toSorted());
    expect(ended.stderr).toContain(`\n${WRONG.length} problems:\n`);
  });

  it('the report shows no secret, and startup opens no port and creates no folders', () => {
    const { stderr, stdout, cwd } = ended;

    expect(stdout).toBe('');
    expect(stderr).not.toMatch(/hunter2|already in use|^\s+at /m);
    expect(existsSync(join(cwd, 'data'))).toBe(false);
    expect(existsSync(join(cwd, 'logs'))).toBe(false);
  });

  it('config check reports the same keys', async () => {
    const cwd = folderWith(files);

    const { exitCode, stderr } = await runCli(['config', 'check', ...ARGUMENTS], { env: VARIABLES, cwd });

    expect(exitCode).toBe(3);
    expect([...problemsIn(stderr).keys()].toSorted()).toEqual(WRONG.map(([key]) => key).toSorted());
  });
});

describe('15: checks across keys', () => {
  it('independent checks are reported together', async () => {
    const { stderr } = await runService({
      args: [
        '--management.security.user=operator',
        '--management.endpoints.web.base-path=/me',
        '--server.ssl.bundle=web',
      ],
    });

    expect([...problemsIn(stderr)].map(([key, { action }]) => `${key}: ${action}`)).toEqual([
      expect.stringMatching(/^management\.security\.user: Set management\.security\.password to \$\{NAME\}/),
      expect.stringMatching(/^management\.endpoints\.web\.base-path: Set .* to a path of its own/),
      expect.stringMatching(/^server\.ssl\.bundle: Define it under app\.ssl\.bundle\.pem\.web/),
    ]);
  });

  it('checks mask values that were resolved from a secret variable', async () => {
    const { stderr } = await runService({
      env: { OPS_PASS: 'hunter2', RELAY_TOKEN: 'hunter2' },
      args: [
        '--management.endpoint.health.show-details=${OPS_PASS}',
        '--management.security.user=${RELAY_TOKEN}',
        `--${GROUP}.mine.include=\${OPS_PASS}`,
        '--management.endpoints.web.path-mapping.info=${OPS_PASS}',
        '--management.endpoints.web.path-mapping.metrics=${OPS_PASS}',
      ],
    });

    const values = Array.from(
      problemsIn(stderr),
      ([key, { facts }]) => `${key.replace(/.*\./, '')} ${facts['Value'] ?? ''}`,
    );

    expect(values.toSorted()).toEqual(['include', 'metrics', 'show-details', 'user'].map((name) => `${name} "******"`));
    expect(stderr).not.toContain('hunter2');
  });

  it('a check that reads an invalid key is skipped', async () => {
    const { stderr } = await runService({
      env: { MANAGEMENT_SERVER_PORT: 'http' },
      args: ['--management.security.enabled=false', '--management.endpoints.web.base-path=/me'],
    });

    expect([...problemsIn(stderr).keys()]).toEqual(['management.server.port']);
  });

  it('checks are skipped when a file cannot be read, because it may hold the missing key', async () => {
    const cwd = folderWith({ 'application.yml': 'management:\n  server: {port: 9090\n' });

    const { exitCode, stderr } = await runService({ args: ['--management.security.enabled=false'], cwd });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('One problem:');
    expect(stderr).toContain('A configuration file cannot be read');
  });

  it('broken rules of profile prod are reported with an action beside other problems', async () => {
    const { exitCode, stderr } = await runService({
      env: PROD,
      args: [
        ...['--management.endpoints.web.exposure.include=health,env', '--app.jpa.show-sql=true'],
        ...['--management.endpoint.env.access=some', `--${GROUP}.mine.include=dba`],
      ],
    });

    expect(exitCode).toBe(1);
    expect(Array.from(problemsIn(stderr), ([key, { what, action }]) => `${key} | ${what} | ${action}`)).toEqual([
      expect.stringMatching(/^management\.endpoint\.env\.access \| .* cannot be used \| Set .* to one of none/),
      expect.stringMatching(
        /^app\.jpa\.show-sql \| Configuration rule 5 is broken: .* \| Set app\.jpa\.show-sql to false/,
      ),
      expect.stringMatching(
        /^management\.endpoints\.web\.exposure\.include \| Configuration rule 7 is broken: env can reveal .* \| Set .* to some of health,info,metrics,loggers,prometheus\. With profile prod the rules must hold\.$/,
      ),
      expect.stringMatching(/\.mine\.include \| The health group "mine" names the unknown component "dba" \| Set /),
    ]);
  });
});

describe('15: what startup checks know about the service', () => {
  it('startup checks know every health component', async () => {
    const certificate = makeCertificate();
    const args = [
      ...[
        '--app.mail.host=127.0.0.1',
        '--app.mail.port=1',
        '--app.data.kvstore.host=127.0.0.1',
        '--app.data.kvstore.port=1',
      ],
      `--app.ssl.bundle.pem.web.keystore.certificate=${certificate.certificate}`,
      `--app.ssl.bundle.pem.web.keystore.private-key=${certificate.key}`,
      '--management.endpoint.health.show-components=always',
    ];
    running = await startService({ args });

    const { stderr } = await runService({ args: [...args, `--${GROUP}.mine.include=nothing`] });
    const { body } = await new HttpClient(running.url).get('/actuator/health');

    const known = /the components are (.*)/.exec(stderr)?.[1]?.split(', ');
    // The checks know the component saml although no identity provider is configured.
    expect(known).toEqual([...Object.keys(body['components'] as object), 'saml'].toSorted());
    expect(known).toHaveLength(9);
  });

  it('startup checks know every user route', async () => {
    const routes = await routesOfService();

    const ofUsers = routes.map(({ template }) => template).filter((template) => !/^\/actuator(?:\/|$)/.test(template));

    expect([...userPaths()].toSorted()).toEqual([...new Set(ofUsers)].toSorted());
  });
});

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Configuration, type ConfigurationInputs, readConfiguration } from '../../src/config/configuration.js';
import { Environment } from '../../src/config/read/environment.js';
import { KeyName } from '../../src/config/names/key-name.js';
import { lineOf, type Problem } from '../../src/config/problem.js';
import { RULE_NAMES, RuleFacts, type Severity } from '../../src/config/check/rule.js';
import { ConfigSource } from '../../src/config/read/source.js';
import { originsKnown } from '../../src/config/check/sources.rule.js';
import { checkRules } from '../../src/apps/server/configuration-rules.js';
import { PROPERTIES } from '../../src/apps/server/properties.js';
import { SEAL_KEY } from './keys/examples.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../../src/resources/', import.meta.url));
/** The zone of the machine must not decide these tests. */
const ZONE = '-Duser.timezone=UTC';
/** The environment of a server in production. */
const PROD = {
  APP_PROFILES_ACTIVE: 'prod',
  DB_URL: 'jdbc:mariadb://db/login',
  DB_USERNAME: 'login',
  DB_PASSWORD: 'pw',
  PUBLIC_URL: 'https://login.example.com',
  SEAL_KEY,
  BACKUP_CODE_PEPPER: 'a random text of thirty-two characters or more',
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rules-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(path: string, text: string, mode = 0o644): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

/** A problem with the line that `config check` prints for it. */
interface Found {
  readonly rule: string;
  readonly severity: Severity;
  readonly text: string;
}

async function problemsIn(
  args: readonly string[] = [],
  variables: ConfigurationInputs['variables'] = {},
): Promise<readonly Found[]> {
  const inputs = { args: [ZONE, ...args], variables, workingFolder: folder, packageFolder: PACKAGE_FOLDER };
  const reading = readConfiguration(PROPERTIES, inputs);
  expect(reading.problems).toEqual([]);
  const found = await checkRules(reading, inputs);
  return found.map(({ rule, severity, ...problem }) => ({ rule, severity, text: lineOf(problem) }));
}

async function breaches(...situation: Parameters<typeof problemsIn>): Promise<readonly Found[]> {
  return (await problemsIn(...situation)).filter(({ severity }) => severity === 'breach');
}

function breach(rule: string, text: string | RegExp): Found {
  return { rule, severity: 'breach', text: expect.stringMatching(text) as string };
}

describe('A1: app.security.mfa.required-roles', () => {
  const REQUIRED = 'app.security.mfa.required-roles';

  it.each([
    ['ROLE_ADMNI', /"ROLE_ADMNI" is not a known role/],
    ['ADMIN', /"ADMIN" is not a known role/],
    ['ROLE_ADMIN,ROLE_PRE_MFA', /"ROLE_PRE_MFA" is not a known role/],
    ['', /No role requires a second factor/],
  ])('A1: required-roles "%s" breaks a rule in production', async (value, text) => {
    expect(await breaches([`--${REQUIRED}=${value}`], PROD)).toEqual([breach('security', text)]);
  });

  it('A1: policy=optional gives a warning in production, and policy=required needs no required-roles', async () => {
    const optional = await problemsIn(['--app.security.mfa.policy=optional'], PROD);
    const required = await breaches(['--app.security.mfa.policy=required', `--${REQUIRED}=`], PROD);
    const later = ['--app.security.mfa.policy=required', '--app.security.mfa.policy-from=2999-01-01', `--${REQUIRED}=`];

    expect(optional).toEqual([
      {
        rule: 'security',
        severity: 'warning',
        text: expect.stringContaining('not even that of administrators') as string,
      },
    ]);
    expect(required).toEqual([]);
    expect(await breaches(later, PROD)).toEqual([breach('security', /No role requires a second factor/)]);
  });

  it('a role name that comes from a secret is masked', async () => {
    const found = await problemsIn([`--${REQUIRED}=\${ADMIN_PASSWORD}`], { ADMIN_PASSWORD: 'SESAME' });

    expect(found.map(({ text }) => text)).toEqual([expect.stringContaining('"******" is not a known role')]);
    expect(JSON.stringify(found)).not.toContain('SESAME');
  });

  it('app.security.roles cannot declare ROLE_PRE_MFA', () => {
    const args = ['--app.security.roles=ROLE_AUDITOR,ROLE_PRE_MFA'];
    const inputs = { args, variables: {}, workingFolder: folder, packageFolder: PACKAGE_FOLDER };

    const { problems } = readConfiguration(PROPERTIES, inputs);

    expect(problems.map(({ what }) => what)).toEqual(['The value of app.security.roles cannot be used']);
  });

  it.each([
    ['the built-in roles', []],
    ['a role of app.security.roles', ['--app.security.roles=ROLE_AUDITOR']],
    [
      'a role in the role map of an identity provider',
      ['--app.security.saml.idp.corp.roles.map[Auditors]=ROLE_AUDITOR'],
    ],
    ['a default role of an identity provider', ['--app.security.saml.idp.corp.roles.default=ROLE_AUDITOR']],
  ])('required-roles may name %s', async (_, args) => {
    const roles = args.length === 0 ? 'ROLE_USER,ROLE_ADMIN,ROLE_MANAGEMENT,ROLE_HELPDESK' : 'ROLE_USER,ROLE_AUDITOR';
    const found = await problemsIn([`--${REQUIRED}=${roles}`, ...args], PROD);

    expect(found.filter(({ text }) => text.includes(REQUIRED))).toEqual([]);
  });
});

describe('C4: empty texts that hide a value', () => {
  it('an empty text that hides a value gives a warning, because prod would move management to the main port', async () => {
    const found = await problemsIn([], { ...PROD, MANAGEMENT_SERVER_PORT: '' });

    expect(found).toEqual([
      {
        rule: 'empty text',
        severity: 'warning',
        text:
          'management.server.port = same as server.port (System Environment Property "MANAGEMENT_SERVER_PORT"): The empty ' +
          'text means the default, so 9090 of a lower source is ignored. Set management.server.port to the intended ' +
          'value, or remove the empty text.',
      },
    ]);
  });

  it('the warning names the entry of a map, not the whole map', async () => {
    write('application.yml', 'logging.level.auth: DEBUG\n');

    const [found] = await problemsIn([], { LOGGING_LEVEL_AUTH: '' });

    expect(found?.text).toMatch(/^logging\.level\.auth = {2}\(.*"LOGGING_LEVEL_AUTH"\): .* so DEBUG of a lower source/);
  });

  it('an empty key without a default gives a warning if it hides the value of a lower source', async () => {
    write('application.yml', 'server.address: 127.0.0.1\n');

    const [found] = await problemsIn([], { SERVER_ADDRESS: '' });

    expect(found?.text).toMatch(/^server\.address = every address of the machine .* so 127\.0\.0\.1 of a lower source/);
  });

  it('an empty placeholder below another empty text also gives a warning', async () => {
    write('application.yml', 'server.forward-headers-strategy: ${STRATEGY:}\n');

    const found = await problemsIn(['--server.forward-headers-strategy=']);

    expect(found.map(({ text }) => text)).toEqual([expect.stringContaining('native of a lower source is ignored')]);
  });

  it.each([
    ['that equals the value below it', ['--server.port=', '-Dserver.shutdown=']],
    ['without a value below it', ['--server.shutdown-pre-drain=', '--management.server.port=', '--server.address=']],
    ['for a text or a list', ['--app.cache.caffeine.spec=', '--management.endpoint.health.roles=']],
  ])('an empty text %s gives no warning', async (_, args) => {
    const found = await problemsIn(args);

    expect(found.filter(({ rule }) => rule === 'empty text')).toEqual([]);
  });
});

it('the packaged configuration breaks no rule', async () => {
  expect(await problemsIn()).toEqual([]);
});

it('profile prod with secrets in the environment breaks no rule', async () => {
  expect(await problemsIn([], { ...PROD, TERMINATION_GRACE: '30' })).toEqual([]);
});

describe('rule 1: the active profile', () => {
  it('rule 1 rejects an active profile in a file', async () => {
    write('application.yml', 'app:\n  profiles:\n    active: dev\n');

    expect(await problemsIn()).toEqual([
      breach('1', /^app\.profiles\.active = dev \(file \[application\.yml\] - 3:13\)/),
    ]);
  });

  it('rule 1 rejects an active profile in a file as a sequence', async () => {
    write('application.yml', 'app:\n  profiles:\n    active: [dev]\n');

    expect(await problemsIn()).toHaveLength(1);
  });

  it('rule 1 accepts an active profile from the environment', async () => {
    expect(await problemsIn([], { APP_PROFILES_ACTIVE: 'dev' })).toEqual([]);
  });
});

describe('rule 2: secrets', () => {
  it('rule 2 rejects a clear-text secret in a file without repeating it', async () => {
    write('application.yml', 'app.datasource.password: hunter2\n', 0o600);

    const found = await problemsIn();

    expect(found).toEqual([
      breach(
        '2',
        /^app\.datasource\.password = \*{6} \(file \[application\.yml\] - 1:26\): A file contains a secret in plain text/,
      ),
    ]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it.each([
    ['app.security.seal.keys.main', SEAL_KEY],
    ['app.security.mfa.backup-code.pepper', 'hunter2 hunter2 hunter2 hunter2 hunter2'],
    ['app.security.clients.shop.secret', 'hunter2-hunter2-hunter2'],
  ])('rule 2 treats the value of %s as a secret', async (key, value) => {
    write('application.yml', `${key}: '${value}'\n`, 0o600);

    expect(await problemsIn()).toEqual([
      breach('2', new RegExp(`^${key} = \\*{6} \\(file .*: A file contains a secret in plain text`)),
    ]);
  });

  it('rule 2 rejects a secret as the default of a placeholder', async () => {
    write('application.yml', 'app.datasource.password: ${DB_PASSWORD:hunter2}\n', 0o600);

    expect(await problemsIn()).toHaveLength(1);
  });

  it('rule 2 accepts a placeholder for a secret', async () => {
    write('application.yml', 'app.datasource.password: ${DB_PASSWORD}\n');

    expect(await problemsIn([], { DB_PASSWORD: 'pw' })).toEqual([]);
  });

  it.each([
    [0o600, 0],
    [0o400, 0],
    [0o640, 0],
    [0o660, 1],
    [0o604, 1],
  ])('an imported file with secrets and mode %o gives %i breaches', async (mode, breaches) => {
    write('application.yml', 'app:\n  config.import: secrets.properties\n  datasource.password: ${DB_PASSWORD}\n');
    write('secrets.properties', 'DB_PASSWORD=pw\n', mode);

    expect(await problemsIn()).toHaveLength(breaches);
  });

  it.each([
    [0o600, 0],
    [0o644, 1],
  ])('a file per secret with mode %o gives %i breaches', async (mode, breaches) => {
    write('secrets/app.datasource.password', 'pw\n', mode);

    expect(await problemsIn(['--app.config.import=configtree:secrets/'])).toHaveLength(breaches);
  });

  it.each([
    [0o600, 0],
    [0o644, 1],
  ])('A3: a file of mode %o that a variable refers to gives %i breaches', async (mode, breaches) => {
    write('secrets/db.login.phrase', 'sesame', mode);

    const found = await problemsIn(['--app.config.import=configtree:secrets/'], {
      APP_DATASOURCE_PASSWORD: '${db.login.phrase}',
    });

    expect(found).toHaveLength(breaches);
  });

  it.each([
    [0o600, 0],
    [0o644, 2],
  ])('A3: a secret made of a sequence in a file of mode %o gives %i breaches', async (mode, breaches) => {
    write('application.yml', 'app:\n  config.import: parts.yml\n  datasource.password: ${db.parts}\n');
    write('parts.yml', 'db.parts: [one, two]\n', mode);

    expect(await problemsIn()).toHaveLength(breaches);
  });

  it.each([
    [0o600, 0],
    [0o644, 1],
  ])('a secret in .env with mode %o gives %i breaches', async (mode, breaches) => {
    write('.env', 'DB_PASSWORD=pw\n', mode);

    expect(await problemsIn()).toHaveLength(breaches);
  });

  it.each([
    ['jdbc:mysql://root:hunter2@db/login', 1],
    ['jdbc:mysql://db/login?user=root&password=hunter2', 1],
    ['jdbc:mysql://root:${DB_PASSWORD}@db/login', 0],
    ['jdbc:mysql://db:3306/login', 0],
  ])('a database URL %s gives %i breaches', async (url, count) => {
    write('application.yml', `app.datasource.url: ${url}\n`, 0o600);

    const found = await breaches([], { DB_PASSWORD: 'pw' });

    expect(found).toHaveLength(count);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it.each(['--app.datasource.password=hunter2', '-Dapp.datasource.password=hunter2'])(
    'rule 2 rejects the secret argument %s',
    async (arg) => {
      const found = await problemsIn([arg]);

      expect(found).toEqual([
        breach('2', /: Every user of the machine can see a secret in an argument\. Set app\.datasource\.password in/),
      ]);
      expect(JSON.stringify(found)).not.toContain('hunter2');
    },
  );

  it.each([
    [0o600, 0],
    [0o644, 1],
  ])('a secret behind placeholders in a file of mode %o gives %i breaches', async (mode, count) => {
    write(
      'application.yml',
      'app.datasource.password: ${my.first-part}\nmy.firstPart: ${my.other}\nmy.other: hunter2\n',
      mode,
    );

    expect(await breaches()).toHaveLength(count);
  });

  it('an .env file whose mode cannot be read breaks rule 2', async () => {
    symlinkSync('.env', join(folder, '.env'));

    expect(await problemsIn()).toEqual([
      breach('2', /^The mode of a file with secrets cannot be .*; File: .*\/\.env; Reason: ELOOP\./),
    ]);
  });

  it('rule 2 rejects a secret in a file without extension that others can read', async () => {
    write('hidden', 'app.datasource.password: hunter2\n', 0o644);

    expect(await breaches(['--app.config.import=file:hidden[.yaml]'])).toHaveLength(1);
  });

  it('rule 2 accepts a secret in a document of an environment variable', async () => {
    const variables = { EXTRA: 'app.datasource.password: hunter2' };

    expect(await breaches(['--app.config.import=env:EXTRA[.yaml]'], variables)).toEqual([]);
  });

  it('rule 2 covers map entries whose name marks them as secret', async () => {
    write('application.yml', 'info:\n  relay-token: abc\n', 0o644);

    expect(await problemsIn()).toHaveLength(1);
  });
});

describe('rule 3: the shutdown wait', () => {
  it.each([
    ['21', 0],
    ['20', 1],
    ['5', 1],
    ['', 0],
    ['soon', 1],
  ])('a shutdown wait of 20s with TERMINATION_GRACE=%s gives %i breaches', async (grace, breaches) => {
    expect(await problemsIn([], { TERMINATION_GRACE: grace })).toHaveLength(breaches);
  });

  it('rule 3 includes the pre-drain wait', async () => {
    const waiting = async (preDrain: string): Promise<number> =>
      (await problemsIn([`--server.shutdown-pre-drain=${preDrain}`], { TERMINATION_GRACE: '30' })).length;

    expect([await waiting('0s'), await waiting('9s'), await waiting('10s')]).toEqual([0, 0, 1]);
  });

  it('rule 3 names both values and the origin', async () => {
    const args = ['--app.lifecycle.timeout-per-shutdown-phase=45s'];

    expect(await problemsIn(args, { TERMINATION_GRACE: '30' })).toEqual([
      breach(
        '3',
        /^app\.lifecycle\.timeout-per-shutdown-phase = 45s \("app.*commandLineArgs"\): .*; TERMINATION_GRACE: 30s\. Set /,
      ),
    ]);
  });
});

describe('rule 5: production values', () => {
  it.each([
    'app.jpa.orm.ddl-auto=update',
    'app.jpa.orm.ddl-auto=validate',
    'app.jpa.open-in-view=true',
    'app.jpa.show-sql=true',
  ])('rule 5 rejects %s', async (assignment) => {
    expect(await problemsIn([`--${assignment}`])).toEqual([
      breach('5', /^app\.jpa\.\S+ = \w+ \(.*\. Set app\.jpa\.\S+ to \w+/),
    ]);
  });
});

describe('the webhook', () => {
  const url = (value: string): string => `--app.security.webhook.url=${value}`;
  const SIGNED = { ...PROD, APP_SECURITY_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };

  it('L3: production demands https and a secret of a webhook', async () => {
    expect(await problemsIn([url('http://events.test/')])).toEqual([]);
    expect(await breaches([url('http://events.test/')], PROD)).toEqual([
      breach('security', /The webhook of production has no https/),
      breach('security', /The webhook of production has no secret/),
    ]);
    expect(await breaches([url('https://events.test/a?b=c')], SIGNED)).toEqual([]);
    expect(await breaches([], PROD)).toEqual([]);
  });
});

describe('stack traces in responses', () => {
  const always = '--server.error.include-stacktrace=always';

  it('rule 5 rejects stack traces only with profile prod', async () => {
    expect(await problemsIn([always])).toEqual([]);
    expect(await problemsIn([always], PROD)).toEqual([breach('5', /^server\.error\.include-stacktrace = always/)]);
  });
});

describe('C4: empty texts that would weaken protection', () => {
  const BUNDLE = 'app.ssl.bundle.pem.web';

  it('C4: an empty public URL breaks a rule in production', async () => {
    expect(await breaches([], { ...PROD, PUBLIC_URL: '' })).toEqual([
      breach('security', /^app\.security\.public-url .*: Production must have a public URL/),
    ]);
  });

  it.each([
    ['the certificate bundle of the listener', 'server.ssl.bundle', []],
    ['the certificate bundle of the database', 'app.datasource.ssl.bundle', []],
    ['the secret of a webhook', 'app.security.webhook.secret', ['--app.security.webhook.url=https://events.test/a']],
    ['the only pepper', 'app.security.mfa.backup-code.pepper', []],
    ['the secret of a client', 'app.security.clients.shop.secret', []],
    ['the authorities of a bundle', `${BUNDLE}.truststore.certificate`, []],
    ['the certificate of metadata', 'app.security.saml.idp.corp.metadata-certificate', []],
    ['the username at the mail relay, without which there is no TLS', 'app.mail.username', []],
  ])('C4: %s cannot be empty in any profile, and the report offers to remove it', (_, key, others) => {
    const inputs = { args: [ZONE, `--${key}=`, ...others], variables: {}, workingFolder: folder };
    const { problems } = readConfiguration(PROPERTIES, { ...inputs, packageFolder: PACKAGE_FOLDER });

    expect(problems.map(({ facts, action }) => [Object.fromEntries(facts)['Property'], action])).toEqual([
      [key, expect.stringMatching(/^Set .*, or remove it\.$|^Change /) as string],
    ]);
  });

  it.each([
    ['management.security.user', ['--management.security.user=ops', '--management.security.password=']],
    [
      'management.security.monitoring.user',
      ['--management.security.monitoring.user=ops', '--management.security.monitoring.password='],
    ],
    ['app.boot.admin.client.username', ['--app.boot.admin.client.username=ops', '--app.boot.admin.client.password=']],
    [
      `${BUNDLE}.keystore.private-key`,
      [`--${BUNDLE}.keystore.private-key=file:web.pem`, `--${BUNDLE}.keystore.certificate=`],
    ],
  ])('C4: %s is reported if the other half of its pair is empty', (key, args) => {
    const inputs = { args: [ZONE, ...args], variables: {}, workingFolder: folder, packageFolder: PACKAGE_FOLDER };

    const { problems } = readConfiguration(PROPERTIES, inputs);

    expect(problems.map(({ facts }) => Object.fromEntries(facts)['Property'])).toEqual([key]);
  });

  it.each([
    [
      'an empty password of the mail relay',
      ['--app.mail.host=relay.test', '--app.mail.username=login', '--app.mail.password='],
      'app.mail.username',
    ],
    [
      'an empty private key of the listener',
      ['--server.ssl.bundle=web', `--${BUNDLE}.keystore.certificate=file:web.crt`, `--${BUNDLE}.keystore.private-key=`],
      `${BUNDLE}.keystore.private-key`,
    ],
  ])('C4: %s prevents startup', async (_, args, key) => {
    const found = await problemsIn(args);

    expect(found).toEqual([
      expect.objectContaining({ severity: 'error', text: expect.stringContaining(key) as string }),
    ]);
  });

  it('C4: an account of which both halves are empty is no account', async () => {
    const args = ['--management.security.user=', '--management.security.password='];

    expect(await problemsIn(args)).toEqual([]);
  });
});

describe('required values of production', () => {
  function problemsWith(variables: ConfigurationInputs['variables']): readonly Problem[] {
    const inputs = { args: [ZONE], variables, workingFolder: folder, packageFolder: PACKAGE_FOLDER };
    return readConfiguration(PROPERTIES, inputs).problems;
  }

  it('all missing production values are reported at once, with key, origin and action', () => {
    const problems = problemsWith({ APP_PROFILES_ACTIVE: 'prod' });

    expect(problems.map(({ facts, action }) => [...facts.map(([, text]) => text), action])).toEqual(
      [
        ['app.datasource.url', 'DB_URL'],
        ['app.datasource.username', 'DB_USERNAME'],
        ['app.datasource.password', 'DB_PASSWORD'],
        ['app.security.public-url', 'PUBLIC_URL'],
        ['app.security.mfa.backup-code.pepper', 'BACKUP_CODE_PEPPER'],
        ['app.security.seal.keys.main', 'SEAL_KEY'],
      ].map(([key = '', name = '']) => [
        key,
        `"\${${name}}"`,
        expect.stringMatching(/^class path resource \[application-prod\.yml\] - \d+:\d+$/) as string,
        `nothing sets ${name}`,
        expect.stringMatching(new RegExp(`^Set ${name} .*as an environment variable`)) as string,
      ]),
    );
  });

  it.each([
    ['SEAL_KEY', 'app.security.seal.keys.main', 'openssl rand -base64 32'],
    ['BACKUP_CODE_PEPPER', 'app.security.mfa.backup-code.pepper', 'at least 32 characters'],
  ])('an empty %s is reported with advice about its form', (name, key, advice) => {
    const problems = problemsWith({ ...PROD, [name]: '' });

    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).toContain(key);
    expect(JSON.stringify(problems)).toContain(advice);
  });

  it.each([
    [
      '--app.security.cookie.secure=false',
      /^app\.security\.cookie\.secure = false \("app.*Args"\): .*set it to true\.$/,
    ],
    [
      '--app.security.password.hash.memory=8MB',
      /^app\.security\.password\.hash\.memory = 8MB \("app.*Args"\): .*to 19MB and iterations to 2/,
    ],
    [
      '--app.security.public-url=http://login.example.com',
      /^app\.security\.public-url = http:\/\/login\.example\.com \("app.*Args"\): .* without https\. Set /,
    ],
  ])('profile prod rejects %s', async (argument, text) => {
    expect(await problemsIn([argument], PROD)).toEqual([breach('security', text)]);
  });

  it.each([
    ['http://login.example.com', [], true],
    ['http://10.0.0.5:8080/auth', [], true],
    ['http://login.example.com', ['--app.security.cookie.secure=false'], false],
    ['https://login.example.com', [], false],
    ['http://localhost:8080/auth', [], false],
    ['http://127.0.0.1:8080', [], false],
  ])('A6: the public URL %s with %j gives a warning about Secure cookies: %s', async (url, more, isReported) => {
    const found = await problemsIn([`--app.security.public-url=${url}`, ...more]);
    const warnings = found.filter((text) => JSON.stringify(text).includes('Browsers drop Secure cookies'));

    expect(warnings).toHaveLength(isReported ? 1 : 0);
    expect(JSON.stringify(warnings).includes('warning')).toBe(isReported);
  });

  it('missing production values are reported by key when no packaged file names them', async () => {
    const args = ['--app.config.location=optional:file:./', '--app.profiles.validate=false'];

    const found = await problemsIn([...args, '--app.profiles.active=prod']);

    expect(found.filter(({ rule }) => rule === 'security')).toEqual([
      breach(
        'security',
        /^app\.security\.mfa\.backup-code\.pepper.* \(.*\): Backup codes of production must have a pepper/,
      ),
      breach('security', /^app\.security\.public-url.* \(.*\): Production must have a public URL/),
      breach('security', /^app\.security\.seal\.keys \(not set\): Production must have a seal key/),
    ]);
  });

  it('profile dev requires no production values', async () => {
    expect(await problemsIn([], { APP_PROFILES_ACTIVE: 'dev' })).toEqual([]);
  });
});

describe('the rule about identity providers', () => {
  const CORP = 'app.security.saml.idp.corp';

  it.each([
    [[], true],
    [['authn-instant=time-of-response', 'force-authn=true'], true],
    [['bundle=sp'], false],
    [['authn-instant=time-of-authentication'], false],
  ])('S2: an identity provider with %j gives a warning about ForceAuthn: %s', async (keys, isReported) => {
    const args = ['metadata=https://idp.example/metadata', ...keys].map((each) => `--${CORP}.${each}`);

    const warnings = (await problemsIn(args)).filter(({ text }) => text.includes('ForceAuthn'));

    expect(warnings).toEqual(
      isReported
        ? [
            {
              rule: 'staff login',
              severity: 'warning',
              text:
                `${CORP}.bundle (not set): Users can remove ForceAuthn from unsigned requests, so that an old login is ` +
                'treated as fresh. Set it to a bundle, and let the identity provider reject unsigned requests. If AuthnInstant is the time ' +
                `at which users authenticated, set ${CORP}.authn-instant to time-of-authentication.`,
            },
          ]
        : [],
    );
  });
});

describe('rule 6: the mapper', () => {
  it.each(['mapper.configuration.default-statement-timeout=0', 'mapper.configuration.jdbc-type-for-null=OTHER'])(
    'rule 6 rejects %s',
    async (assignment) => {
      expect(await problemsIn([`--${assignment}`])).toEqual([breach('6', /^mapper\.configuration/)]);
    },
  );
});

describe('rule 7: exposure', () => {
  const include = (ids: string): string => `--management.endpoints.web.exposure.include=${ids}`;

  it.each([
    'env',
    'configprops',
    'heapdump',
    'threaddump',
    'logfile',
    'httpexchanges',
    'http-exchanges',
    'shutdown',
    '*',
  ])('rule 7 rejects the exposure of %s', async (id) => {
    expect(await problemsIn([include(`health,${id}`)])).toEqual([breach('7', /exposure\.include/)]);
  });

  it('rule 7 only warns about other additional endpoints', async () => {
    expect(await problemsIn([include('health,prometheus')])).toEqual([
      { rule: '7', severity: 'warning', text: expect.stringContaining('prometheus is more') as string },
    ]);
  });

  it('S5: rule 7 says nothing about metrics for a scraper on a management port of their own', async () => {
    const ownPort = '--management.server.port=9090';

    expect(await problemsIn([include('health,info,metrics,loggers,prometheus'), ownPort])).toEqual([]);
    expect(await problemsIn([include('health,caches'), ownPort])).toEqual([
      { rule: '7', severity: 'warning', text: expect.stringContaining('caches is more') as string },
    ]);
    expect(await problemsIn([include('health,env'), ownPort])).toEqual([breach('7', /exposure\.include/)]);
  });

  it('S5: both Basic accounts of management need a random password', async () => {
    const account = (prefix: string, user: string): readonly string[] => [
      `--management.security.${prefix}user=${user}`,
      `--management.security.${prefix}password=short`,
    ];

    const found = await problemsIn([...account('', 'ops'), ...account('monitoring.', 'scraper')]);

    const weak = found.map(({ text }) => text).filter((text) => text.includes('weak password'));
    expect(weak).toEqual([
      expect.stringMatching(/^management\.security\.password .* has a weak password/),
      expect.stringMatching(/^management\.security\.monitoring\.password .* has a weak password/),
    ]);
  });

  it('names without an endpoint give warnings of their own', async () => {
    const found = await problemsIn([
      include('health,beans,HTTP-exchange'),
      '--management.endpoints.web.exposure.exclude=healht,heap-dump,*',
      '--management.endpoints.web.path-mapping.metric=m',
    ]);

    expect(found.map(({ rule, severity, text }) => `${severity} ${rule}: ${text}`)).toEqual([
      expect.stringMatching(
        /^warning endpoints: .*include = health,beans.* \(.*commandLineArgs"\): beans names no endpoint\. .* one of health, info/,
      ),
      expect.stringMatching(/: HTTP-exchange names no endpoint\. /),
      expect.stringMatching(/^warning endpoints: .*exclude = .* \(.*\): healht names no endpoint\. /),
      expect.stringMatching(
        /^warning endpoints: management\.endpoints\.web\.path-mapping\.metric = m \(.*\): metric names/,
      ),
    ]);
  });

  it('rule 7 accepts an endpoint that is also excluded', async () => {
    expect(await problemsIn([include('health,env'), '--management.endpoints.web.exposure.exclude=env'])).toEqual([]);
  });
});

describe('management endpoints without authentication', () => {
  const OPEN = '--management.security.enabled=false';

  it.each([[[]], [['--server.port=9090', '--management.server.port=9090']]])(
    'management without authentication on the main listener is an error: %j',
    async (args) => {
      expect(await problemsIn([OPEN, ...args])).toEqual([
        {
          rule: 'management',
          severity: 'error',
          text: expect.stringMatching(
            /^management\.security\.enabled = false \(.*\): .*management\.server\.port/,
          ) as string,
        },
      ]);
    },
  );

  it.each(['9090', '0', '-1'])('management without authentication is accepted on port %s', async (port) => {
    expect(await problemsIn([OPEN, `--management.server.port=${port}`])).toEqual([]);
  });
});

describe('the management password', () => {
  const found = (password: string, user = 'operator'): Promise<readonly Found[]> =>
    problemsIn([], { MANAGEMENT_SECURITY_USER: user, MANAGEMENT_SECURITY_PASSWORD: password });

  it.each([
    ['admin', 'short'],
    ['password', 'short'],
    ['changeit', 'short'],
    ['Correct-horse7', 'short'],
    ['operator', 'the name of the account'],
    ['Operator', 'the name of the account'],
    ['operator-operator-operator-1', 'the name of the account'],
    ['1111111111111111', 'repeats'],
    ['\u{1f511}'.repeat(14), 'short'],
  ])('the weak management password %s gives a warning that does not show it', async (password, why) => {
    const [problem, ...others] = await found(password);

    expect(others).toEqual([]);
    expect(problem).toMatchObject({ rule: 'management', severity: 'warning' });
    expect(problem?.text).toContain('management.security.password = ****** (System Environment Property');
    expect(problem?.text).toContain(why);
    expect(problem?.text).not.toContain(` ${password} `);
  });

  it.each(['9aVtqLw2+XkzP0r', 'a-phrase-of-the-operator-of-old', 'correct horse battery staple'])(
    'the management password %s is accepted',
    async (password) => {
      expect(await found(password)).toEqual([]);
    },
  );
});

describe('the environment of Node', () => {
  it.each([
    [{ NODE_OPTIONS: '--max-old-space-size=512 --inspect=0.0.0.0:9229' }, /^Node's option --inspect is not safe/],
    [{ NODE_OPTIONS: '--inspect-brk' }, /--inspect-brk/],
    [{ NODE_OPTIONS: '--tls-keylog=/tmp/keys' }, /^Node's option --tls-keylog is not safe/],
    [{ NODE_OPTIONS: '--insecure-http-parser' }, /--insecure-http-parser/],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /accept every certificate/],
    [{ NODE_DEBUG: 'http' }, /^NODE_DEBUG makes Node print internals/],
    [{ NODE_DEBUG_NATIVE: 'tls' }, /^NODE_DEBUG_NATIVE/],
  ])('S4: %j is a breach', async (variables, text) => {
    expect(await problemsIn([], variables)).toEqual([breach('runtime', text)]);
  });

  it.each([
    ['"--inspect=0"', '--inspect'],
    ['--max-old-space-size=512 "--ins\\pect=0"', '--inspect'],
    ['--"ins"pect', '--inspect'],
    ['--inspect_brk=0', '--inspect-brk'],
    ['--inspect-brk-node', '--inspect-brk-node'],
    ['--tls_keylog=/tmp/keys', '--tls-keylog'],
    ['--tls_min-v1.0', '--tls-min-v1.0'],
    ['--insecure_http_parser', '--insecure-http-parser'],
    ['--heapsnapshot-signal=SIGUSR2', '--heapsnapshot-signal'],
    ['--heapsnapshot-near-heap-limit=1', '--heapsnapshot-near-heap-limit'],
    ['--abort-on-uncaught-exception', '--abort-on-uncaught-exception'],
    ['--report-on-signal', '--report-on-signal'],
    ['--report-uncaught-exception', '--report-uncaught-exception'],
    ['--report-on-fatalerror', '--report-on-fatalerror'],
    ['--trace-event-categories=node.http', '--trace-event-categories'],
    ['--experimental-config-file=/tmp/node.json', '--experimental-config-file'],
  ])('S1: NODE_OPTIONS=%s is a breach, in every spelling that Node reads', async (options, name) => {
    const text = new RegExp(`^Node's option ${name} is not safe.*NODE_OPTIONS`);

    expect(await problemsIn([], { NODE_OPTIONS: options })).toEqual([breach('runtime', text)]);
  });

  it.each([
    { NODE_OPTIONS: '--title="a --inspect"' },
    { NODE_OPTIONS: '--no-insecure-http-parser --cpu-prof --trace-warnings' },
    { NODE_OPTIONS: '--max-old-space-size=512 --inspect-port=9230' },
    { NODE_TLS_REJECT_UNAUTHORIZED: '1' },
    { NODE_DEBUG: '' },
  ])('S4: %j is accepted', async (variables) => {
    expect(await problemsIn([], variables)).toEqual([]);
  });
});

describe('time zones', () => {
  it('the time zones of process and JSON must be equal', async () => {
    expect(await problemsIn(['--app.json.time-zone=Europe/Berlin'])).toEqual([
      breach(
        'time zone',
        /^app\.json\.time-zone = Europe\/Berlin .*; Process: UTC\. .*-Duser\.timezone=Europe\/Berlin\.$/,
      ),
    ]);
  });

  it('the time zone in a database URL must equal that of the process', async () => {
    const url = '--app.datasource.url=jdbc:mysql://db/login?connectionTimeZone=Asia/Tokyo';

    expect(await problemsIn([url])).toEqual([breach('time zone', /; app\.datasource\.url: Asia\/Tokyo\./)]);
  });

  it.each(['LOCAL', 'SERVER'])('the connection time zone %s is treated as equal', async (zone) => {
    expect(await breaches([`--app.datasource.url=jdbc:mysql://db/login?connectionTimeZone=${zone}`])).toEqual([]);
  });

  it('connectionTimeZone overrides serverTimezone in a database URL', async () => {
    const url = 'jdbc:mysql://db/login?serverTimezone=Asia/Tokyo&connectionTimeZone=UTC';

    expect(await breaches([`--app.datasource.url=${url}`])).toEqual([]);
  });

  it('Etc/UTC equals UTC', async () => {
    expect(await problemsIn(['--app.json.time-zone=Etc/UTC'])).toEqual([]);
  });
});

describe('rule 8: origins', () => {
  it('rule 8 reports a value without a traceable origin', () => {
    const { environment, registry } = readConfiguration(PROPERTIES, {
      args: [],
      variables: {},
      workingFolder: folder,
      packageFolder: PACKAGE_FOLDER,
    });
    const key = KeyName.parse('server.port');
    const lost = new ConfigSource('environment', 'nowhere', [
      { key, spelled: 'server.port', text: '1', origin: { kind: 'variable', name: '' } },
    ]);
    const configuration = new Configuration(new Environment([lost, ...environment.sources]), registry, [], new Map());
    const inputs = { args: [], variables: {}, workingFolder: folder, packageFolder: PACKAGE_FOLDER };

    expect(originsKnown.name).toBe('8');
    expect(originsKnown.check(new RuleFacts(configuration, inputs))).toMatchObject([
      { severity: 'breach', facts: [['Property', 'server.port']] },
    ]);
  });
});

describe('faults that would prevent startup later', () => {
  it.each([
    [
      'tls',
      '--server.ssl.bundle=web',
      /^server\.ssl\.bundle = web \("server.*Unknown certificate bundle "web"; .* Define/,
    ],
    [
      'tokens',
      '--app.security.token.signing-key=file:/nowhere/key.pem',
      /^app\.security\.token\.signing-key = \*{6} \("app.*; Reason: .*ENOENT.* Set .* to a PEM file/,
    ],
    [
      'uploads',
      '--app.servlet.multipart.location=/nowhere',
      /^app\.servlet\.multipart\.location = \/nowhere \("app.*; Reason: the folder does not exist: ENOENT\. Create the/,
    ],
    [
      'logging',
      '--logging.config=gone.yml',
      /^logging\.config = gone\.yml \("logging.*does not exist\. Create the file/,
    ],
    [
      'health',
      '--management.endpoint.health.group.mine.include=dba',
      /^management\.endpoint\.health\.group\.mine\.include = dba \("man.* names the unknown component "dba"; .* Set /,
    ],
    [
      'paths',
      '--management.endpoints.web.base-path=/login',
      /^management\.endpoints\.web\.base-path = \/login \("man.* has the path of another route; .* Set /,
    ],
  ])('the rule %s reports %s as an error', async (rule, argument, text) => {
    expect(await problemsIn([argument])).toEqual([
      { rule, severity: 'error', text: expect.stringMatching(text) as string },
    ]);
  });

  it('every unreadable token key is reported, and masked since the text may be a key', async () => {
    const args = ['--app.security.token.signing-key=hunter2', '--app.security.token.verification-keys=/a,/b'];

    const found = await problemsIn(args);

    expect(found.map(({ text }) => /^\S+ = \S+/.exec(text)?.[0])).toEqual([
      'app.security.token.signing-key = ******',
      'app.security.token.verification-keys = ******',
      'app.security.token.verification-keys = ******',
    ]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });
});

describe('rules beside other problems', () => {
  const inputs = (...args: readonly string[]): ConfigurationInputs => ({
    ...{ args: [ZONE, ...args], variables: {}, workingFolder: folder, packageFolder: PACKAGE_FOLDER },
  });
  const rulesFound = async (inputs: ConfigurationInputs): Promise<readonly string[]> =>
    (await checkRules(readConfiguration(PROPERTIES, inputs), inputs)).map(({ rule }) => rule);

  it('a rule is checked although an unrelated key is invalid', async () => {
    expect(await rulesFound(inputs('--server.shutdown=later', '--app.jpa.show-sql=true'))).toEqual(['5']);
  });

  it('a rule that reads an invalid key is skipped while others are checked', async () => {
    const args = ['--management.server.port=x', '--management.security.enabled=false', '--app.jpa.show-sql=true'];

    expect(await rulesFound(inputs(...args))).toEqual(['5']);
  });

  it('all rules are skipped when a file cannot be read', async () => {
    write('application.yml', 'server: {\n');

    expect(await rulesFound(inputs('--app.jpa.show-sql=true'))).toEqual([]);
  });
});

describe('notes about the database URL', () => {
  it('an unknown parameter of the database URL gives a warning', async () => {
    expect(await problemsIn(['--app.datasource.url=jdbc:mysql://db/login?colour=blue'])).toEqual([
      { rule: 'database', severity: 'warning', text: expect.stringContaining('colour') as string },
    ]);
  });
});

it.each(RULE_NAMES)('docs/reference/configuration-rules.md explains the rule %s', (name) => {
  const page = readFileSync(new URL('../../docs/reference/configuration-rules.md', import.meta.url), 'utf8');
  const [, table = ''] = /^\| Rule .*$\n((?:^\|.*$\n)+)/m.exec(page) ?? [];

  expect(table).toContain(/\d/.test(name) ? `| ${name} ` : `\`${name}\``);
});

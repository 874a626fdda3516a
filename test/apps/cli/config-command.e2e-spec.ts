import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXPIRED_CERTIFICATE } from '../../support/http/expired-certificate.js';
import { freePort } from '../../support/programs/free-port.js';
import { runCli, runService, startService } from '../../support/programs/service.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

function folderWith(files: Readonly<Record<string, string>>): string {
  const cwd = temporaryFolder('cli');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  return cwd;
}

describe('config get', () => {
  it('config get shows the effective value, its origin, and the overridden values by rank', async () => {
    const cwd = folderWith({
      'application.yml': 'server.port: 1004\n',
      'config/application.yml': 'server:\n  port: 1003\n',
    });

    const { exitCode, stdout } = await runCli(
      ['config', 'get', 'server.port', '--server.port=1001', '-Dserver.port=1002'],
      {
        cwd,
        env: { SERVER_PORT: '1005' },
      },
    );

    expect(exitCode).toBe(0);
    expect(stdout.split('\n').slice(0, 7)).toEqual([
      'server.port = 1001',
      '  origin      "server.port" from property source "commandLineArgs"',
      '  source      commandLineArgs',
      '  overridden  1002  ("server.port" from property source "systemProperties")',
      '  overridden  1005  (System Environment Property "SERVER_PORT")',
      '  overridden  1003  (file [config/application.yml] - 2:9)',
      '  overridden  1004  (file [application.yml] - 1:14)',
    ]);
    expect(stdout).toContain('  overridden  8080  (class path resource [application.yml]');
  });

  it.each([
    'app.datasource.pool.maximum-pool-size',
    'app.datasource.pool.maximumPoolSize',
    'APP_DATASOURCE_POOL_MAXIMUMPOOLSIZE',
  ])('config get resolves the spelling %s', async (spelling) => {
    const { exitCode, stdout } = await runCli(['config', 'get', spelling], {
      env: { APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE: '7' },
    });

    expect(exitCode).toBe(0);
    expect(stdout).toContain('app.datasource.pool.maximum-pool-size = 7\n');
    expect(stdout).toContain('System Environment Property "APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE"');
  });

  it('config get shows the default and the effect of a known key that is not set', async () => {
    const { exitCode, stdout } = await runCli(['config', 'get', 'app.datasource.url']);

    expect(exitCode).toBe(0);
    expect(stdout).toContain('app.datasource.url = jdbc:sqlite:./data/login.db  (default)');
    expect(stdout).toContain('effect      F');
  });

  it('config get shows the keys below a prefix', async () => {
    const { exitCode, stdout } = await runCli(['config', 'get', 'server.error']);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^server\.error\.include-stacktrace = never /m);
    expect(stdout).toMatch(/^server\.error\.include-message = /m);
    expect(stdout).not.toContain('server.port');
  });

  it('config get suggests the nearest key for an unknown one and exits with 4', async () => {
    const { exitCode, stdout, stderr } = await runCli(['config', 'get', 'server.prot']);

    expect(exitCode).toBe(4);
    expect(stdout).toBe('');
    expect(stderr).toContain('server.prot is no key of this service; did you mean server.port?');
  });

  it('config get refers to config list if no known key is similar', async () => {
    const { exitCode, stderr } = await runCli(['config', 'get', 'zzzz.yyyy']);

    expect(exitCode).toBe(4);
    expect(stderr).toContain('zzzz.yyyy is no key of this service; "config list" shows all keys');
  });

  it('config get masks a secret from every source', async () => {
    const cwd = folderWith({ 'application.yml': 'app.datasource.password: hunter1\n' });

    const { stdout, stderr } = await runCli(
      ['config', 'get', 'app.datasource.password', '--app.datasource.password=hunter2'],
      {
        cwd,
        env: { APP_DATASOURCE_PASSWORD: 'hunter3' },
      },
    );

    expect(stdout).toContain('app.datasource.password = ******');
    expect(stdout + stderr).not.toContain('hunter');
  });

  it('config get works on an invalid configuration and reports that the service would not start', async () => {
    const { exitCode, stdout, stderr } = await runCli(['config', 'get', 'server.port'], {
      env: { SERVER_PORT: 'abc' },
    });

    expect(exitCode).toBe(0);
    expect(stdout).toContain('server.port = "abc"  cannot be used: not a whole number');
    expect(stderr).toContain('would not start');
  });

  it('config get masks the default of a placeholder that names a secret', async () => {
    const cwd = folderWith({ 'application.yml': 'info.relay: ${MAIL_TOKEN:hunter2}\n' });

    const { stdout, stderr } = await runCli(['config', 'get', 'info.relay'], { cwd });

    expect(stdout).toContain('info.relay = ******');
    expect(stdout + stderr).not.toContain('hunter2');
  });

  it('config get shows the time zone from the variable TZ', async () => {
    const { stdout } = await runCli(['config', 'get', 'user.timezone'], { env: { TZ: 'Europe/Berlin' } });

    expect(stdout).toContain('user.timezone = Europe/Berlin\n  origin      System Environment Property "TZ"');
  });

  it('config get exits with 4 for an empty key', async () => {
    expect((await runCli(['config', 'get', ''])).exitCode).toBe(4);
  });

  it('config get escapes control characters in values', async () => {
    const { stdout } = await runCli(['config', 'get', 'info.note'], { env: { INFO_NOTE: 'a\u001b[31m\nforged = 1' } });

    expect(stdout).toContain('info.note = a\\u001b[31m\\u000aforged = 1\n');
  });

  it('config get shows keys that the service does not define', async () => {
    const cwd = folderWith({ 'application.yml': 'my:\n  region: ${REGION:eu}\n' });

    const { exitCode, stdout } = await runCli(['config', 'get', 'my.region'], { cwd });

    expect(exitCode).toBe(0);
    expect(stdout).toContain('my.region = eu');
  });
});

describe('config list', () => {
  it('config list --changed shows only keys that are set outside the package', async () => {
    const cwd = folderWith({ 'application.yml': 'logging:\n  level:\n    auth.mfa: DEBUG\n' });

    const { exitCode, stdout } = await runCli(['config', 'list', '--changed'], { cwd, env: { SERVER_PORT: '9000' } });

    expect(exitCode).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'server.port = 9000  (System Environment Property "SERVER_PORT")',
      'logging.level.auth.mfa = DEBUG  (file [application.yml] - 3:15)',
    ]);
  });

  it('config list shows only the keys below a prefix', async () => {
    const { stdout } = await runCli(['config', 'list', 'app.datasource']);

    expect(stdout).toMatch(/^app\.datasource\.url = /m);
    expect(stdout).toMatch(/^app\.datasource\.pool\.max-lifetime = /m);
    expect(stdout).not.toContain('server.port');
  });
});

describe('config check', () => {
  it.each(['KST-9', 'Asia/Soul', '+09:00'])(
    'C2: config check reports the variable TZ=%s, with which the process runs in another zone',
    async (zone) => {
      const { exitCode, stdout } = await runCli(['config', 'check'], { env: { TZ: zone } });

      expect(stdout).toMatch(/^breach: rule time zone: user\.timezone = \S+ \(System Environment Property "TZ"\): /m);
      expect(exitCode).toBe(3);
    },
  );

  it.each(['UTC', ':Asia/Seoul', 'Asia/Seoul'])('C2: config check accepts the variable TZ=%s', async (zone) => {
    const args = ['config', 'check', `--app.json.time-zone=${zone.replace(':', '')}`];

    expect((await runCli(args, { env: { TZ: zone } })).stdout).toBe('All configuration rules hold.\n');
  });

  it.each(['+09:00', 'Asia/Soul', 'KST-9'])('C2: user.timezone=%s prevents startup', async (zone) => {
    const { exitCode, stderr } = await runCli(['config', 'check', `-Duser.timezone=${zone}`]);

    expect(stderr).toContain('The value of user.timezone cannot be used');
    expect(exitCode).toBe(3);
  });

  it('C2: the process runs in the zone of user.timezone, whatever the case of its name', async () => {
    const service = await startService({ args: ['-Duser.timezone=asia/seoul', '--app.json.time-zone=Asia/Seoul'] });
    onTestFinished(async () => {
      await service.stop();
    });

    expect(service.stdout).toMatch(/^[\d-]{10} [\d:.]{12}\+09:00 INFO .* Login service is ready/m);
  });

  it.each([
    ['base64: and its body', (body: string) => `base64:${body}`],
    ['Base64 of a PEM text', (body: string) => Buffer.from(`-----BEGIN PRIVATE KEY-----\n${body}`).toString('base64')],
    ['its bare body', (body: string) => body],
  ])('S2: neither config check nor a failed start prints a private key that is given as %s', async (_, form) => {
    const text = form(randomBytes(96).toString('base64'));
    const env = {
      SERVER_SSL_BUNDLE: 'web',
      APP_SSL_BUNDLE_PEM_WEB_KEYSTORE_CERTIFICATE: EXPIRED_CERTIFICATE,
      APP_SSL_BUNDLE_PEM_WEB_KEYSTORE_PRIVATEKEY: text,
      APP_SECURITY_TOKEN_SIGNINGKEY: text,
    };

    const outputs = [await runCli(['config', 'check'], { env }), await runService({ env })];

    for (const { stdout, stderr } of outputs) {
      expect(stderr).toContain('app.ssl.bundle.pem.web.keystore.private-key');
      expect(stderr).toContain('app.security.token.signing-key');
      expect(stdout + stderr).not.toContain(text.slice(10, 40));
    }
  });

  it('config check exits with 0 if all rules hold', async () => {
    const { exitCode, stdout } = await runCli(['config', 'check'], { env: { TZ: 'UTC' } });

    expect(stdout).toBe('All configuration rules hold.\n');
    expect(exitCode).toBe(0);
  });

  it('config check does not connect to a database server, and names the rule that it leaves out', async () => {
    const args = ['config', 'check', '--app.datasource.url=jdbc:mariadb://192.0.2.1/login'];
    const { exitCode, stdout } = await runCli(args, { env: { TZ: 'UTC' } });

    expect(stdout).toMatch(/^note: rule 4 was not checked: .*run: config check --database$/m);
    expect(stdout).toMatch(/^All other configuration rules hold\.$/m);
    expect(exitCode).toBe(0);
  });

  it('config check --database warns about a database server that does not respond, and exits with 0', async () => {
    const url = `jdbc:mariadb://127.0.0.1:${await freePort()}/login`;
    const args = ['config', 'check', '--database', `--app.datasource.url=${url}`];
    const { exitCode, stdout } = await runCli(args, { env: { TZ: 'UTC' } });

    expect(stdout).toMatch(/^warning: rule 4: .*could not be compared.*nothing listens at that host and port/m);
    expect(stdout).toMatch(/^All other configuration rules hold\.$/m);
    expect(exitCode).toBe(0);
  });

  it('config check prints one line per breach and exits with 3', async () => {
    const { exitCode, stdout } = await runCli(
      ['config', 'check', '--app.jpa.show-sql=true', '--app.jpa.orm.ddl-auto=create'],
      {
        env: { TZ: 'UTC' },
      },
    );

    expect(exitCode).toBe(3);
    expect(stdout.match(/^breach: rule 5: .*$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/2 breaches\.\n$/);
  });

  it('config check prints the startup failure report for an invalid value and exits with 3', async () => {
    const { exitCode, stderr } = await runCli(['config', 'check', '--server.port=abc']);

    expect(exitCode).toBe(3);
    expect(stderr).toContain('THE CONFIGURATION CANNOT BE USED');
  });
});

it('the command line without a command prints its commands and exits with 2', async () => {
  const { exitCode, stdout, stderr } = await runCli([]);

  expect(exitCode).toBe(2);
  expect(stdout + stderr).toContain('config');
});

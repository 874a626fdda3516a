import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openMigrateServices } from '../../../src/apps/cli/database/migrate-services.js';
import { RuleFacts } from '../../../src/config/check/rule.js';
import { DatabaseAddress } from '../../../src/platform/persistence/database-address.js';
import { openDatabase } from '../../../src/platform/persistence/database.js';
import { DatabaseUnavailable } from '../../../src/platform/persistence/engines/database-unavailable.js';
import { checkLimits } from '../../../src/platform/persistence/limits-check.js';
import { type MadeCertificate, makeCertificate } from '../../support/http/certificates.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { type DatabaseServer, startDatabaseServer } from '../../support/database/database-server.js';
import { needs } from '../../support/runner/needs.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { BundleFiles, configurationOf } from '../../support/http/tls-bundle.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { startWholeService } from '../../support/programs/whole-service.js';

const PASSWORD = 'a password of these tests';

needs('mariadb', 'openssl')('TLS to a database server', () => {
  let authority: MadeCertificate;
  let stranger: MadeCertificate;
  let certificate: MadeCertificate;
  let presented: MadeCertificate;
  let server: DatabaseServer;
  const addresses: DatabaseAddress[] = [];

  beforeAll(async () => {
    const folder = temporaryFolder('tls-server');
    authority = makeCertificate({ name: 'authority' });
    stranger = makeCertificate({ name: 'stranger' });
    certificate = makeCertificate({ name: 'db', names: 'DNS:localhost', signedBy: authority });
    presented = { ...certificate, certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') };
    copyTo(presented, certificate);
    server = await startDatabaseServer('mariadb', folder, [
      `--ssl-ca=${authority.certificate}`,
      `--ssl-cert=${presented.certificate}`,
      `--ssl-key=${presented.key}`,
    ]);
    const administrator = await asAdministrator();
    await administrator.query('CREATE DATABASE login');
    for (const [name, demand] of [
      ['plain', 'SSL'],
      ['certified', 'X509'],
    ] as const) {
      await administrator.query(`CREATE USER '${name}'@'127.0.0.1' IDENTIFIED BY '${PASSWORD}' REQUIRE ${demand}`);
      await administrator.query(`GRANT ALL PRIVILEGES ON login.* TO '${name}'@'127.0.0.1'`);
    }
    await administrator.end();
  }, 120_000);

  afterEach(() => {
    for (const address of addresses.splice(0)) address.close();
  });

  afterAll(async () => {
    await server.stop();
  });

  function asAdministrator(): Promise<Connection> {
    const { host, port, user, password } = server;
    return createConnection({ host, port, user, password });
  }

  /** The server presents another certificate to new connections. */
  async function present(made: MadeCertificate): Promise<void> {
    copyTo(presented, made);
    const administrator = await asAdministrator();
    await administrator.query('FLUSH SSL');
    await administrator.end();
  }

  interface Choices {
    readonly account?: 'plain' | 'certified';
    readonly host?: string;
    readonly query?: string;
  }

  function argumentsOf(files: BundleFiles | undefined, choices: Choices = {}): readonly string[] {
    const { account = 'plain', host = 'localhost', query = '' } = choices;
    return [
      `--app.datasource.url=jdbc:mariadb://${host}:${server.port}/login${query}`,
      `--app.datasource.username=${account}`,
      `--app.datasource.password=${PASSWORD}`,
      ...(files ? ['--app.datasource.ssl.bundle=partner', ...files.args] : []),
    ];
  }

  /** The cipher of a new connection. */
  async function cipherOf(args: readonly string[]): Promise<string> {
    return cipherAt(await DatabaseAddress.of(configurationOf(args)));
  }

  async function cipherAt(address: DatabaseAddress): Promise<string> {
    const dataSource = await openDatabase(address, {}, () => Promise.resolve());
    try {
      const [row] = await dataSource.query<[{ readonly Value: string }]>("SHOW STATUS LIKE 'Ssl_cipher'");
      return row.Value;
    } finally {
      await dataSource.destroy();
    }
  }

  async function failureOf(args: readonly string[]): Promise<{ readonly reason?: string; readonly action: string }> {
    const failure: unknown = await cipherOf(args).catch((error: unknown) => error);
    if (!(failure instanceof DatabaseUnavailable))
      throw new TypeError('the connection did not fail', { cause: failure });
    const { facts, action } = failure.problem;
    return { reason: Object.fromEntries(facts)['Reason'] ?? '', action };
  }

  it('D6: the authority of a bundle is trusted, and the name of the host is compared', async () => {
    const files = new BundleFiles(authority);

    expect(await cipherOf(argumentsOf(files))).not.toBe('');
    expect(await cipherOf(argumentsOf(files, { host: '127.0.0.1', query: '?sslMode=VERIFY_CA' }))).not.toBe('');
  });

  it('D6: an authority that is not trusted is reported as that, with the key of the bundle', async () => {
    const { reason, action } = await failureOf(argumentsOf(new BundleFiles(stranger)));
    const without = await failureOf(argumentsOf(undefined, { query: '?sslMode=VERIFY_IDENTITY' }));

    for (const failed of [reason, without.reason]) expect(failed).toMatch(/^the TLS handshake failed: .*certificate/);
    for (const todo of [action, without.action]) expect(todo).toContain('app.datasource.ssl.bundle');
  });

  it('D6: a certificate for another name is reported with the names', async () => {
    await present(makeCertificate({ name: 'db', names: 'DNS:db.test', signedBy: authority }));
    const { reason, action } = await failureOf(argumentsOf(new BundleFiles(authority)));
    await present(certificate);

    expect(reason).toContain("not in the cert's altnames: DNS:db.test");
    expect(action).toContain('Name the host in app.datasource.url as its certificate does');
  });

  it('D6: the certificate of a bundle identifies the service', async () => {
    const files = new BundleFiles(authority);
    const without = await failureOf(argumentsOf(files, { account: 'certified' }));
    files.identify(makeCertificate({ name: 'service', signedBy: authority }));

    expect(without.reason).toBe('the server refuses the account or its password');
    expect(without.action).toContain('REQUIRE X509');
    expect(await cipherOf(argumentsOf(files, { account: 'certified' }))).not.toBe('');
  });

  it('D6: changed files are used for new connections', async () => {
    const files = new BundleFiles(stranger);
    const log = new CollectedLog();
    const address = await DatabaseAddress.of(configurationOf(argumentsOf(files)), log.loggers.get('persistence'));
    addresses.push(address);
    await expect(cipherAt(address)).rejects.toThrow('the TLS handshake failed');

    files.trust(authority);
    await waitUntil('the bundle is reloaded', () =>
      log.messages.some((message) => message.includes('Reloaded a certificate bundle for new connections')),
    );

    expect(await cipherAt(address)).not.toBe('');
  });

  it('D6: an account that demands TLS is refused without it, and the report says so', async () => {
    const { reason, action } = await failureOf(argumentsOf(undefined));

    expect(reason).toBe('the server refuses the account or its password');
    expect(action).toContain('An account with REQUIRE SSL or REQUIRE X509 needs TLS');
  });

  it('D6: the service and its commands use the bundle', async () => {
    const files = new BundleFiles(authority).identify(makeCertificate({ name: 'service', signedBy: authority }));
    const args = argumentsOf(files, { account: 'certified' });

    const migrations = await openMigrateServices(configurationOf(args));
    const applied = await migrations.up(false);
    await migrations.close();
    const { isComplete, problems } = await checkLimits(rulesOf(args), true);
    const service = await startWholeService(args);
    const { status } = await fetch(`${service.url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'nobody', pw: 'of this name' }),
    });
    await service.stop();

    expect(applied).not.toHaveLength(0);
    expect({ isComplete, problems }).toEqual({ isComplete: true, problems: [] });
    // It has looked for the account.
    expect(status).toBe(401);
  });
});

function copyTo(files: MadeCertificate, made: MadeCertificate): void {
  copyFileSync(made.certificate, files.certificate);
  copyFileSync(made.key, files.key);
}

function rulesOf(args: readonly string[]): RuleFacts {
  const folder = temporaryFolder();
  return new RuleFacts(configurationOf(args), { args, variables: {}, workingFolder: folder, packageFolder: folder });
}

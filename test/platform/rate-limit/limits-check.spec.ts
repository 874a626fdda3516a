import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkServerRule } from '../../../src/apps/server/configuration-rules.js';
import { PROPERTIES } from '../../../src/apps/server/properties.js';
import { readConfiguration } from '../../../src/config/configuration.js';
import { lineOf } from '../../../src/config/problem.js';
import { FakeDatabaseServer } from '../../support/database/fake-database-server.js';
import { type FreshDatabase, freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../../../src/resources/', import.meta.url));
const PASSWORD = 'a password that no line may show';

interface Checked {
  readonly lines: readonly string[];
  readonly isComplete: boolean;
}

async function checked(args: readonly string[], asksServer: boolean): Promise<Checked> {
  const inputs = { args, variables: {}, workingFolder: temporaryFolder('limits'), packageFolder: PACKAGE_FOLDER };
  const { problems, isComplete } = await checkServerRule(readConfiguration(PROPERTIES, inputs), inputs, asksServer);
  const lines = problems.map(({ rule, severity, ...problem }) => `${severity}: rule ${rule}: ${lineOf(problem)}`);
  return { lines, isComplete };
}

needs('mariadb')('rule 4 on a database server', () => {
  let database: FreshDatabase;

  beforeAll(async () => {
    database = await freshMariadbDatabase();
  });

  const compared = (...args: readonly string[]): Promise<Checked> => {
    const { url, username, password } = database;
    const account = { url, username, password };
    const set = Object.entries(account).map(([name, value]) => `--app.datasource.${name}=${value}`);
    return checked([...set, ...args], true);
  };

  it('a pool within the limits has no problem', async () => {
    expect(await compared()).toEqual({ lines: [], isComplete: true });
  });

  it('a lifetime that is not below wait_timeout is a warning with the limit', async () => {
    const { lines, isComplete } = await compared('--app.datasource.pool.max-lifetime=28800000');

    expect(isComplete).toBe(true);
    expect(lines).toEqual([
      expect.stringMatching(
        /^warning: rule 4: app\.datasource\.pool\.max-lifetime = 28800000 .*wait_timeout.*28800000/,
      ),
    ]);
  });

  it('a pool that exceeds max_connections is a warning with the limit', async () => {
    const { lines } = await compared('--app.datasource.pool.maximum-pool-size=301');

    expect(lines).toEqual([
      expect.stringMatching(
        /^warning: rule 4: app\.datasource\.pool\.maximum-pool-size = 301 .*accepts 300 \(max_connections\)/,
      ),
    ]);
  });

  it('a refused account is a warning without its password', async () => {
    const { lines, isComplete } = await compared(`--app.datasource.password=${PASSWORD}`);

    expect(isComplete).toBe(false);
    expect(lines).toEqual([expect.stringContaining('the server refuses the account or its password')]);
    expect(lines.join()).not.toContain(PASSWORD);
  });
});

describe('rule 4 without an answer of the database server', () => {
  let server: FakeDatabaseServer;

  beforeEach(async () => {
    server = new FakeDatabaseServer();
    await server.open();
  });

  afterEach(() => server.close());

  const args = (): readonly string[] => [
    `--app.datasource.url=jdbc:mariadb://127.0.0.1:${server.port}/login?connectTimeout=3000&password=${PASSWORD}`,
    '--app.datasource.username=login',
  ];
  const uncompared = (reason: RegExp): Checked => ({
    lines: [expect.stringMatching(new RegExp(`^warning: rule 4: .*could not be compared.*${reason.source}`)) as string],
    isComplete: false,
  });

  it('no connection is opened unless it is asked for', async () => {
    expect(await checked(args(), false)).toEqual({ lines: [], isComplete: false });
    expect(server.connections).toBe(0);
  });

  it('a server that does not listen is a warning', async () => {
    await server.close();

    const result = await checked(args(), true);

    expect(result).toEqual(uncompared(/nothing listens at that host and port/));
    expect(result.lines.join()).not.toContain(PASSWORD);
  });

  it('a server that does not respond is a warning', async () => {
    server.behaviour = 'hang';

    const result = await checked(args(), true);

    expect(result).toEqual(uncompared(/the server did not answer in time/));
    expect(result.lines.join()).not.toContain(PASSWORD);
  });

  it('a server that refuses the statement is a warning', async () => {
    expect(await checked(args(), true)).toEqual(uncompared(/refused/));
    expect(server.statements).toBe(1);
  });
});

it('rule 4 is complete on the embedded database, which has no limits of this kind', async () => {
  expect(await checked([], true)).toEqual({ lines: [], isComplete: true });
});

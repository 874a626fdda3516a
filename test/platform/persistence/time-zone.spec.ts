import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkServerRule } from '../../../src/apps/server/configuration-rules.js';
import { PROPERTIES } from '../../../src/apps/server/properties.js';
import { readConfiguration } from '../../../src/config/configuration.js';
import { lineOf } from '../../../src/config/problem.js';
import { openPool } from '../../../src/platform/persistence/database.js';
import {
  readTimeZone,
  reportTimeZone,
  sessionTimeZone,
} from '../../../src/platform/persistence/engines/session-time-zone.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { type DatabaseServer, startDatabaseServer } from '../../support/database/database-server.js';
import { needs } from '../../support/runner/needs.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../../../src/resources/', import.meta.url));

describe('the time zone of a session', () => {
  it.each([
    ['is that of the process without a parameter', undefined, 'UTC', '+00:00'],
    ['is that of the process with LOCAL', 'LOCAL', 'Asia/Seoul', '+09:00'],
    ['is the name of a zone that has several offsets', undefined, 'Europe/Berlin', 'Europe/Berlin'],
    ['is the zone of the URL', 'Asia/Tokyo', 'UTC', '+09:00'],
    ['is the offset of the URL', '-03:00', 'UTC', '-03:00'],
    ['is left to the server with SERVER', 'SERVER', 'UTC', undefined],
    ['is never text of another form', undefined, "x'; DROP TABLE account", undefined],
  ])('%s', (_, stated, ofProcess, expected) => {
    expect(sessionTimeZone(stated, ofProcess)).toBe(expected);
  });
});

needs('mariadb')('a MariaDB server in another time zone than the service', () => {
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await startDatabaseServer('mariadb', temporaryFolder('zone'), ['--default-time-zone=+09:00']);
  });
  afterAll(() => server.stop());

  const settings = (
    parameters = '',
  ): { readonly url: string; readonly username: string; readonly password: string } => ({
    url: `jdbc:mariadb://${server.host}:${server.port}/mysql${parameters}`,
    username: server.user,
    password: server.password,
  });

  async function reported(parameters: string): Promise<{ readonly zone: string; readonly log: CollectedLog }> {
    const log = new CollectedLog();
    const pool = await openPool(settings(parameters), {});
    try {
      await reportTimeZone(pool, log.loggers.get('persistence'));
      return { zone: (await readTimeZone(pool)).name, log };
    } finally {
      await pool.close();
    }
  }

  async function checked(...args: readonly string[]): Promise<readonly string[]> {
    const { username, password } = settings();
    const inputs = {
      args: [`--app.datasource.username=${username}`, `--app.datasource.password=${password}`, ...args],
      variables: {},
      workingFolder: temporaryFolder('zone'),
      packageFolder: PACKAGE_FOLDER,
    };
    const { problems } = await checkServerRule(readConfiguration(PROPERTIES, inputs), inputs, true);
    return problems.map(({ rule, severity, ...problem }) => `${severity}: rule ${rule}: ${lineOf(problem)}`);
  }

  it('sessions of the service have the time zone of its process', async () => {
    const { zone, log } = await reported('');

    expect(zone).toBe('+00:00');
    expect(log.lines).toEqual([]);
  });

  it('a session that the URL leaves in the zone of the server is reported with both zones and what to do', async () => {
    const { zone, log } = await reported('?connectionTimeZone=SERVER');

    expect(zone).toBe('+09:00');
    expect(log.lines).toMatchObject([
      {
        level: 'WARN',
        message: expect.stringContaining('remove connectionTimeZone from app.datasource.url') as string,
        fields: { session: '+09:00', process: 'UTC' },
      },
    ]);
  });

  it('config check reports another time zone with the origin of the URL', async () => {
    expect(await checked(`--app.datasource.url=${settings('?connectionTimeZone=SERVER').url}`)).toEqual([
      expect.stringMatching(
        /^warning: rule time zone: app\.datasource\.url = .*commandLineArgs.*time zone \+09:00, .*; Process: UTC\. .*remove connectionTimeZone/,
      ),
    ]);
    expect(await checked(`--app.datasource.url=${settings().url}`)).toEqual([]);
  });

  it('config check compares with user.timezone, not with the zone of the command', async () => {
    const inKorea = '-Duser.timezone=Asia/Seoul';

    expect(await checked(inKorea, `--app.datasource.url=${settings('?connectionTimeZone=SERVER').url}`)).toEqual([]);
    expect(await checked(inKorea, `--app.datasource.url=${settings().url}`)).toEqual([]);
  });

  it('a zone that the server does not know does not prevent connections, and is reported', async () => {
    // The server has no table of time zones.
    const { zone, log } = await reported('?connectionTimeZone=Europe/Berlin');

    expect(zone).toBe('+09:00');
    expect(log.lines).toMatchObject([{ level: 'WARN', fields: { session: '+09:00' } }]);
  });
});

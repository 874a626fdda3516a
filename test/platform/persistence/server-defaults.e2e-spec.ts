import { createConnection } from 'mysql2/promise';
import { beforeAll, expect, it } from 'vitest';
import type { DatabaseServer } from '../../support/database/database-server.js';
import { administer, databaseOf, OTHER_DEFAULTS, startHostileServer } from '../../support/http/hostile-server.js';
import { secondStep, storyOn } from '../../support/login/login-story.js';
import { needs } from '../../support/runner/needs.js';
import { runCli } from '../../support/programs/service.js';
import type { Engine, StoryDatabase } from '../../support/database/story-database.js';

needs('mariadb')('a database server with other defaults for sessions', () => {
  let server: DatabaseServer;
  let databases = 0;

  beforeAll(async () => {
    server = await startHostileServer();
    await administer(server, ...Object.values(OTHER_DEFAULTS));
    return () => server.stop();
  });

  async function freshDatabase(): Promise<StoryDatabase> {
    databases += 1;
    const { url, username, password } = await databaseOf(server, `story_${databases}`);
    return {
      args: [
        `--app.datasource.url=${url}`,
        `--app.datasource.username=${username}`,
        `--app.datasource.password=${password}`,
      ],
      async query<Row>(sql: string) {
        const { host, port } = server;
        const connection = await createConnection({ host, port, user: username, password, database: username });
        try {
          await connection.query("SET autocommit = 1, sql_mode = '', sql_select_limit = 1000, sql_big_selects = 1");
          const [rows] = await connection.query(sql);
          return rows as unknown as readonly Row[];
        } finally {
          await connection.end();
        }
      },
    };
  }

  it('D1: migrate up commits what it says, and users can be added', async () => {
    const database = await freshDatabase();
    const { args } = database;

    const up = await runCli(['migrate', 'up', ...args]);
    const status = await runCli(['migrate', 'status', ...args]);
    const added = await runCli(['users', 'add', 'jürgen', ...args]);

    expect(up.stdout).toMatch(/^Applied \w+\.\n/);
    expect(status.stdout.match(/^(?:pending|applied)/gm)).toEqual(up.stdout.match(/^Applied/gm)?.map(() => 'applied'));
    expect(added.exitCode, added.stderr).toBe(0);
    expect(await database.query('SELECT HEX(login_id) AS login_id FROM account')).toEqual([
      { login_id: Buffer.from('jürgen').toString('hex').toUpperCase() },
    ]);
  });

  needs('mariadb')('a service on it', () => {
    const engine: Engine = { name: 'MariaDB', freshDatabase };
    const story = storyOn(engine, { people: 2 });

    it('D1: one code completes one login', async () => {
      const person = await story.enrolled();
      const code = story.nextCode(person);
      const tokens = [await story.mfaToken(person), await story.mfaToken(person)];

      const answers = await Promise.all(tokens.map((token) => secondStep(story.client(), token, code)));

      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    });
  });
});

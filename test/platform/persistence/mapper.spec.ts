import { beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import type { DatabaseId } from '../../../src/platform/persistence/mapper/database-id.js';
import { databaseIdOf } from '../../../src/platform/persistence/mapper/database-id.js';
import type { SqlMapper } from '../../../src/platform/persistence/mapper/sql-mapper.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase, type TestDatabase } from '../../support/database/engines.js';
import { mapperOf } from '../../support/database/mapper.js';
import { waitUntil } from '../../support/runner/wait-until.js';

/**
 * Reads rows for minutes, on servers only. A cancelled `SLEEP` or `BENCHMARK` of a statement without a table ends with a
 * result instead of an error.
 */
const SLOW = `SELECT COUNT(*) AS slow_result FROM ${['a', 'b', 'c', 'd', 'e'].map((name) => `used_mfa_token ${name}`).join(', ')}
  WHERE a.expires_at + b.expires_at + c.expires_at + d.expires_at + e.expires_at = 0`;
const FILE = `<mapper namespace="test">
  <insert id="add">INSERT INTO used_mfa_token (jti, expires_at) VALUES (#{jti}, #{at})</insert>
  <update id="move">UPDATE used_mfa_token SET expires_at = #{at} WHERE jti = #{jti}</update>
  <delete id="remove">DELETE FROM used_mfa_token WHERE jti = #{jti}</delete>
  <select id="find" resultType="map">
    SELECT jti, expires_at FROM used_mfa_token <where><if test="jti != null">jti = #{jti}</if></where> ORDER BY jti
  </select>
  <select id="count" resultType="long">SELECT COUNT(*) FROM used_mfa_token WHERE jti = #{jti}</select>
  <select id="members" resultType="map">SELECT 1 AS some_number, NULL AS no_value</select>
  <select id="echo" resultType="map">SELECT #{value} AS value</select>
  <select id="typed" resultType="map">SELECT #{value,jdbcType=VARCHAR} AS value</select>
  <select id="engine" resultType="string">SELECT 'any' AS engine</select>
  <select id="engine" resultType="string" databaseId="sqlite">SELECT 'sqlite' AS engine</select>
  <select id="engine" resultType="string" databaseId="mariadb">SELECT 'mariadb' AS engine</select>
  <select id="tested" resultType="string">SELECT <if test="_databaseId == 'sqlite'">'sqlite'</if>
    <if test="_databaseId != 'sqlite'">'server'</if> AS engine</select>
  <select id="many" resultType="long">
    SELECT n FROM (<foreach collection="numbers" item="n" separator=" UNION ALL ">SELECT #{n} AS n</foreach>) AS t
  </select>
  <select id="slow" resultType="long">${SLOW}</select>
  <select id="patient" resultType="long" timeout="0">SELECT SLEEP(0.3) AS slept</select>
  <select id="limited" resultType="long" timeout="1">${SLOW}</select>
  <update id="uncancelled">UPDATE used_mfa_token SET expires_at = BENCHMARK(100000000000, MD5('slow_result')) WHERE jti = #{jti}</update>
  <select id="secrets" resultType="map">
    SELECT #{password} AS password, #{user} AS user_name, #{backupCode} AS code, #{tokenHash} AS token_hash, #{text} AS text
  </select>
</mapper>`;

interface Mapped {
  readonly mapper: SqlMapper;
  readonly log: CollectedLog;
}

async function mapped({ dataSource }: TestDatabase, keys: readonly string[] = [], as?: DatabaseId): Promise<Mapped> {
  const log = new CollectedLog();
  const args = ['--mapper.mapper-locations=file:test.xml', ...keys.map((key) => `--mapper.${key}`)];
  const databaseId = as ?? (await databaseIdOf(dataSource));
  return { mapper: mapperOf({ files: { 'test.xml': FILE }, args }, { databaseId, loggers: log.loggers }), log };
}

onEveryDatabase('the SQL mapper', (database) => {
  const one = async (mapper: SqlMapper, name: string, parameters: object = {}): Promise<unknown> =>
    (await database.work.single((tx) => mapper.select(tx, name, parameters)))[0];

  it('statements take part in the transaction of the caller', async () => {
    const { mapper } = await mapped(database);
    const { work } = database;
    const failure = new Error('rolled back');

    const undone = work.run(async (tx) => {
      await mapper.change(tx, 'test.add', { jti: 'undone', at: 1 });
      expect(await mapper.select(tx, 'test.count', { jti: 'undone' })).toEqual([1]);
      throw failure;
    });
    await expect(undone).rejects.toBe(failure);
    await work.run((tx) => mapper.change(tx, 'test.add', { jti: 'kept', at: 1 }));

    expect(await one(mapper, 'test.count', { jti: 'undone' })).toBe(0);
    expect(await one(mapper, 'test.find', { jti: 'kept' })).toEqual({ jti: 'kept', expiresAt: 1 });
  });

  it('changes return the number of their rows', async () => {
    const { mapper } = await mapped(database);
    const results = await database.work.run(async (tx) => [
      await mapper.change(tx, 'test.add', { jti: 'once', at: 1 }),
      await mapper.change(tx, 'test.move', { jti: 'once', at: 2 }),
      await mapper.change(tx, 'test.move', { jti: 'unknown', at: 2 }),
      await mapper.change(tx, 'test.remove', { jti: 'once' }),
    ]);

    expect(results).toEqual([1, 1, 0, 1]);
  });

  it.each(["' OR '1'='1", '${order}', '#{jti}', '?; DROP TABLE account', '\\', '__proto__', '100%', 'ünïcode 🗝'])(
    'the hostile value %s is stored and found as it is',
    async (jti) => {
      const { mapper } = await mapped(database);
      await database.work.run((tx) => mapper.change(tx, 'test.add', { jti, at: 1 }));

      expect(await one(mapper, 'test.find', { jti })).toEqual({ jti, expiresAt: 1 });
      expect(await database.work.run((tx) => mapper.change(tx, 'test.remove', { jti }))).toBe(1);
    },
  );

  it('databaseId chooses the statement of the engine', async () => {
    const { mapper } = await mapped(database);
    const { engine } = database;

    expect(await one(mapper, 'test.engine')).toBe(engine === 'MySQL' ? 'any' : engine.toLowerCase());
    expect(await one(mapper, 'test.tested')).toBe(engine === 'SQLite' ? 'sqlite' : 'server');
  });

  it('a statement is called as what it is', async () => {
    const { mapper } = await mapped(database);
    const { work } = database;

    await expect(work.single((tx) => mapper.select(tx, 'test.remove', { jti: 'a' }))).rejects.toThrow('<delete>');
    await expect(work.single((tx) => mapper.change(tx, 'test.find'))).rejects.toThrow('<select>');
    await expect(work.single((tx) => mapper.select(tx, 'test.unknown'))).rejects.toThrow('test.unknown');
  });

  it('mapper.configuration.map-underscore-to-camel-case names members in camel case', async () => {
    const key = 'configuration.map-underscore-to-camel-case';
    const [on, off] = [await mapped(database, [`${key}=true`]), await mapped(database, [`${key}=false`])];

    expect(await one(on.mapper, 'test.members')).toEqual({ someNumber: 1, noValue: null });
    expect(await one(off.mapper, 'test.members')).toEqual({ some_number: 1, no_value: null });
  });

  it('mapper.configuration.call-setters-on-nulls decides whether null columns are members', async () => {
    const key = 'configuration.call-setters-on-nulls';
    const [on, off] = [await mapped(database, [`${key}=true`]), await mapped(database, [`${key}=false`])];

    expect(await one(on.mapper, 'test.members')).toEqual({ someNumber: 1, noValue: null });
    expect(await one(off.mapper, 'test.members')).toEqual({ someNumber: 1 });
  });

  it.each(['NULL', 'OTHER', 'VARCHAR'])(
    'mapper.configuration.jdbc-type-for-null=%s binds null, with and without a type of the parameter',
    async (type) => {
      const keys = [`configuration.jdbc-type-for-null=${type}`, 'configuration.call-setters-on-nulls=true'];
      const { mapper } = await mapped(database, keys);

      expect(await one(mapper, 'test.echo', { value: null })).toEqual({ value: null });
      expect(await one(mapper, 'test.echo', { value: undefined })).toEqual({ value: null });
      expect(await one(mapper, 'test.typed', { value: null })).toEqual({ value: null });
    },
  );

  it('mapper.configuration.default-fetch-size changes nothing, since a select reads all rows', async () => {
    const { mapper } = await mapped(database, ['configuration.default-fetch-size=2']);
    const numbers = [1, 2, 3, 4, 5];

    expect(await database.work.single((tx) => mapper.select(tx, 'test.many', { numbers }))).toEqual(numbers);
  });

  it('mapper.type-aliases-package lets files name result types without their package', async () => {
    const file = `<mapper namespace="short"><select id="counts" resultType="EventCount">
      SELECT 'MFA_OK' AS kind, 'ok' AS result, 7 AS events, 1 AS other</select></mapper>`;
    const args = ['--mapper.mapper-locations=file:short.xml', '--mapper.type-aliases-package=com.example, events'];
    const mapper = mapperOf({ files: { 'short.xml': file }, args });

    expect(await one(mapper, 'short.counts')).toEqual({ kind: 'MFA_OK', result: 'ok', events: 7 });
  });

  it('mapper.config-location reads settings, aliases and mappers; a key of its own wins', async () => {
    const configuration = `<configuration>
      <settings><setting name="callSettersOnNulls" value="true"/>
        <setting name="mapUnderscoreToCamelCase" value="true"/></settings>
      <typeAliases><typeAlias alias="Any" type="map"/><typeAlias alias="Count" type="events.EventCount"/>
        <package name="events"/></typeAliases>
      <mappers><mapper url="file:more.xml"/></mappers>
    </configuration>`;
    const more = `<mapper namespace="more">
      <select id="counts" resultType="Count">SELECT 1 AS events, 2 AS other</select>
      <select id="rows" resultType="EventRow">SELECT 1 AS id, NULL AS user_id</select>
      <select id="any" resultType="map">SELECT 1 AS some_number</select></mapper>`;
    const files = { 'mybatis.xml': configuration, 'more.xml': more };
    const location = '--mapper.config-location=file:mybatis.xml';
    const mapper = mapperOf({ files, args: [location] });
    const key = '--mapper.configuration.map-underscore-to-camel-case=false';
    const explicit = mapperOf({ files, args: [location, key] });

    expect(await one(mapper, 'more.counts')).toEqual({ events: 1 });
    expect(await one(mapper, 'more.rows')).toEqual({ id: 1, user_id: null });
    expect(await one(mapper, 'more.any')).toEqual({ someNumber: 1 });
    expect(await one(explicit, 'more.any')).toEqual({ some_number: 1 });
  });

  describe('the log of statements', () => {
    const secrets = {
      ...{ password: 'a long secret', user: 'anna', backupCode: 'ABCD-1234', tokenHash: 'f00' },
      text: 'from "password=hidden"\nforged line',
    };

    it('the logger mapper shows at DEBUG statements, parameters and row counts, without secrets', async () => {
      const { mapper, log } = await mapped(database);
      log.loggers.setLevel('mapper', 'DEBUG');
      await one(mapper, 'test.secrets', secrets);
      log.loggers.setLevel('mapper', 'INFO');
      await one(mapper, 'test.secrets', secrets);

      expect(log.lines.map(({ logger, level }) => `${level} ${logger}`)).toEqual(['DEBUG mapper.test.secrets']);
      expect(log.lines[0]?.message).toMatch(/^SELECT \? AS password, \? AS user_name/);
      expect(log.lines[0]?.fields).toMatchObject({
        parameters: { password: '******', user: 'anna', backupCode: '******', tokenHash: '******' },
        rows: 1,
      });
    });

    it('the logger of a namespace shows at TRACE the rows, without secrets', async () => {
      const { mapper, log } = await mapped(database);
      log.loggers.setLevel('mapper.test', 'TRACE');
      await one(mapper, 'test.secrets', secrets);

      expect(log.lines.map(({ level }) => level)).toEqual(['DEBUG', 'TRACE']);
      expect(log.lines[1]?.fields).toMatchObject({
        row: { password: '******', user_name: 'anna', code: '******', token_hash: '******' },
      });
    });

    it('a failed statement is logged with the code of the driver', async () => {
      const { mapper, log } = await mapped(database);
      log.loggers.setLevel('mapper', 'DEBUG');
      await expect(one(mapper, 'test.echo', { value: 'x'.repeat(3), other: 1 })).resolves.toBeDefined();
      const failing = database.work.run((tx) => mapper.change(tx, 'test.add', { jti: null, at: 1 }));

      await expect(failing).rejects.toThrow();
      expect(log.of('mapper.test.add')[0]?.fields).toMatchObject({ failure: expect.any(String) as string });
    });
  });

  if (database.engine === 'SQLite') {
    it('the embedded database completes a slow statement and logs it', async () => {
      const file = `<mapper namespace="slow"><select id="count" resultType="long">
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i &lt; 300000) SELECT COUNT(*) FROM n
        </select></mapper>`;
      const args = ['--mapper.mapper-locations=file:slow.xml', '--mapper.configuration.default-statement-timeout=1ms'];
      const log = new CollectedLog();
      const mapper = mapperOf({ files: { 'slow.xml': file }, args }, { loggers: log.loggers });

      expect(await one(mapper, 'slow.count')).toBe(300_000);
      expect(log.messages).toEqual([
        'WARN A statement took longer than its limit; the embedded database cannot cancel it',
      ]);
    });
    return;
  }

  describe('a slow statement on a server', () => {
    beforeAll(async () => {
      const rows = Array.from({ length: 300 }, (_, index) => `('row-${index}', ${index + 1})`);
      const sql = `INSERT INTO used_mfa_token (jti, expires_at) VALUES ${rows.join(', ')}`;
      await database.work.single((tx) => tx.change(sql));
    });

    const TIMEOUT = 'configuration.default-statement-timeout=100ms';

    async function running(): Promise<readonly unknown[]> {
      return database.work.single((tx) =>
        tx.rows("SELECT INFO FROM information_schema.PROCESSLIST WHERE INFO LIKE '%slow_result%' AND INFO NOT LIKE ?", [
          '%PROCESSLIST%',
        ]),
      );
    }

    /** The server sends the error a moment before it ends the statement. */
    const ended = (): Promise<true> => waitUntil('the statement has ended', async () => (await running()).length === 0);

    it('R9: mapper.configuration.default-statement-timeout cancels it on the server', async () => {
      const { mapper } = await mapped(database, [TIMEOUT]);
      const slow = database.work.run((tx) => mapper.select(tx, 'test.slow'));

      await expect(slow).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        facts: { reason: 'database unreachable', cause: { errno: 1969 } },
      });
      await ended();
    });

    it('the attribute timeout of a statement wins over the default', async () => {
      const { mapper } = await mapped(database, [TIMEOUT]);
      const impatient = (await mapped(database)).mapper;

      expect(await database.work.single((tx) => mapper.select(tx, 'test.patient'))).toEqual([0]);
      const limited = database.work.single((tx) => impatient.select(tx, 'test.limited'));
      await expect(limited).rejects.toBeInstanceOf(ServiceError);
      await ended();
    });

    it('a statement that the server does not cancel is killed, and its connection is given up', async () => {
      // On a MySQL, only a select has a limit of the server.
      const { mapper } = await mapped(database, [TIMEOUT], 'mysql');
      await database.work.run((tx) => mapper.change(tx, 'test.add', { jti: 'held', at: 1 }));
      const before = await database.work.single((tx) => tx.rows('SELECT CONNECTION_ID() AS id'));
      const slow = database.work.run((tx) => mapper.change(tx, 'test.uncancelled', { jti: 'held' }));

      await expect(slow).rejects.toMatchObject({ code: 'UNAVAILABLE', facts: { reason: 'database unreachable' } });
      await waitUntil('the server has ended the statement', async () => (await running()).length === 0);
      // The row is not locked any more, and the pool has a connection.
      const moved = database.work.run((tx) => mapper.change(tx, 'test.move', { jti: 'held', at: 3 }));
      expect(await moved).toBe(1);
      const after = await database.work.single((tx) => tx.rows('SELECT CONNECTION_ID() AS id'));
      expect(after).not.toEqual(before);
    });

    it('more slow statements than connections leave the pool usable', async () => {
      const { mapper } = await mapped(database, [TIMEOUT]);
      const all = Array.from({ length: 25 }, () => database.work.run((tx) => mapper.select(tx, 'test.slow')));
      const ends = await Promise.allSettled(all);

      expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']));
      await waitUntil('the server has ended the statements', async () => (await running()).length === 0);
      const quick = Array.from({ length: 25 }, () => database.work.run((tx) => mapper.select(tx, 'test.engine')));
      expect(await Promise.all(quick)).toHaveLength(25);
    });
  });
});

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli, runService } from '../../support/programs/service.js';
import { onSqlite } from '../../support/database/story-database.js';
import { storyOn } from '../../support/login/login-story.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

const LOCATION = '--mapper.mapper-locations=file:mapper/**/*.xml';
const FAULTY: Readonly<Record<string, string>> = {
  'mapper/reports.xml':
    '<mapper namespace="reports">\n' +
    '  <select id="logins" resultType="map">\n' +
    "    SELECT * FROM security_event <where><if test='kind = 1'>kind = #{kind}</if></where>\n" +
    '    <include refid="period"/>\n' +
    '  </select>\n' +
    '</mapper>\n',
  'mapper/more/broken.xml': '<mapper namespace="more">\n  <select id="a">\n</mapper>\n',
  'mapper/twice.xml':
    '<mapper namespace="events">\n\n  <select id="report" resultType="map">SELECT 1</select>\n</mapper>\n',
};

function folderWith(files: Readonly<Record<string, string>>): string {
  const cwd = temporaryFolder('mappers');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  return cwd;
}

it('startup reports the problems of all mapper files with file and line, and creates no database', async () => {
  const cwd = folderWith(FAULTY);

  const { exitCode, stdout, stderr } = await runService({
    isAlone: true,
    cwd,
    args: [LOCATION, '--server.shutdown=x'],
  });

  expect(exitCode).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain('APPLICATION FAILED TO START');
  expect(stderr).toContain('5 problems');
  expect(stderr).toContain('file [mapper/reports.xml] - 3:41');
  expect(stderr).toContain('Reason: "kind = 1" is not understood');
  expect(stderr).toContain('file [mapper/reports.xml] - 4:5');
  expect(stderr).toContain('The fragment period is unknown');
  expect(stderr).toContain('file [mapper/more/broken.xml] - 2:3');
  expect(stderr).toContain('The statement events.report is defined twice');
  expect(stderr).toContain('file [mapper/twice.xml] - 3:3');
  expect(stderr).toContain('of mapper/events/security-event.xml');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});

it('config check and commands report faulty mapper files', async () => {
  const cwd = folderWith({ 'mapper/it.xml': '<mapper namespace="a">\n<cache/></mapper>' });

  const check = await runCli(['config', 'check', LOCATION], { cwd });
  const command = await runCli(['users', 'add', 'anna', LOCATION], { cwd });

  expect(check.exitCode).toBe(3);
  expect(check.stdout + check.stderr).toContain('file [mapper/it.xml] - 2:1');
  expect(command.exitCode).toBe(3);
  expect(command.stderr).toContain('file [mapper/it.xml] - 2:1');
});

onSqlite('events', (engine) => {
  const story = storyOn(engine, { people: 2 });

  it('C9: a command whose own statement the database rejects fails with one line, without a stack', async () => {
    const own = '<select id="search" databaseId="sqlite" resultType="map">SELECT nothing FROM security_event</select>';
    const cwd = folderWith({ 'mapper/own.xml': `<mapper namespace="events">${own}</mapper>` });
    const location = `--mapper.mapper-locations=file:${join(cwd, 'mapper/own.xml')}`;

    const { exitCode, stdout, stderr } = await story.command('events', 'search', location);

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^The command failed: .*"nothing".*\n$/);
  });

  it('the commands find and count what users did', async () => {
    const person = await story.enrolled();
    await story.signIn(person);
    const found = await story.command('events', 'search', '--user', person.id, '--kind', 'MFA_OK');
    const report = await story.command('events', 'report', '--from', '2020-01-01');
    const unknown = await story.command('events', 'search', '--user', 'nobody');

    expect(found.exitCode, found.stderr).toBe(0);
    expect(found.stdout).toMatch(/^\S+Z {2}MFA_OK {2}ok {2}subject=\S+ .*id=[\da-f-]{36}$/m);
    expect(report.stdout).toMatch(/^LOGIN_PASSWORD_OK +ok +\d+$/m);
    expect(unknown).toMatchObject({ exitCode: 4, stdout: '' });
  });
});

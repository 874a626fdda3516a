import { writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { HttpClient } from '../../support/http/http-client.js';
import { startService } from '../../support/programs/service.js';
import '../../support/runner/matchers.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

const PRELOAD = new URL('../../support/database/failing-disk-preload.ts', import.meta.url);

it('R2: a service whose disk does not confirm a commit ends without a response, and the next start keeps all earlier facts', async () => {
  const cwd = temporaryFolder('failing-disk');
  const flag = join(cwd, 'fails');
  const preload = new URL(PRELOAD);
  preload.searchParams.set('when', flag);
  const start = { cwd, isAlone: true, nodeArguments: ['--import', preload.href] };
  const failedLogins = (): unknown => {
    const database = new DatabaseSync(join(cwd, 'data/login.db'));
    const [row] = database
      .prepare("SELECT COUNT(*) AS n FROM security_event WHERE kind = 'LOGIN_PASSWORD_FAILED'")
      .all();
    const [integrity] = database.prepare('PRAGMA integrity_check').all();
    database.close();
    return { ...row, ...integrity };
  };
  const guess = { id: 'nobody', pw: 'a wrong password' };

  const service = await startService(start);
  const client = new HttpClient(service.url);
  expect(await client.post('/login', guess)).toBeRefused(401, 'INVALID_CREDENTIALS');
  writeFileSync(flag, '');
  await expect(client.post('/login', guess)).rejects.toThrow();
  expect(await service.exit).toMatchObject({ signal: 'SIGKILL' });
  expect(service.stderr).toContain('The disk did not confirm a commit (EIO)');

  rmSync(flag);
  const restarted = await startService(start);
  expect(await new HttpClient(restarted.url).post('/login', guess)).toBeRefused(401, 'INVALID_CREDENTIALS');
  await restarted.stop();
  // The unconfirmed event may have been stored or not.
  expect([
    { n: 2, integrity_check: 'ok' },
    { n: 3, integrity_check: 'ok' },
  ]).toContainEqual(failedLogins());
});

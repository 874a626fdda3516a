import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataSourceOptions } from '../../../src/platform/persistence/database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

describe('the file of the SQLite database', () => {
  it('only the owner can access the file and the folders created for it', async () => {
    const above = join(temporaryFolder(), 'a');

    await dataSourceOptions({ url: `jdbc:sqlite:${join(above, 'b', 'login.db')}` });

    const modes = [above, join(above, 'b'), join(above, 'b', 'login.db')].map((each) => statSync(each).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it.runIf(existsSync('/proc/self'))('a database in a folder that cannot be created is unavailable', async () => {
    const opening = dataSourceOptions({ url: 'jdbc:sqlite:/proc/no-such-folder/data/login.db' });

    await expect(opening).rejects.toMatchObject({ name: 'DatabaseUnavailable', cause: { code: 'ENOENT' } });
  });
});

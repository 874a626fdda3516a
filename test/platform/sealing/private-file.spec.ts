import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPrivateFile } from '../../../src/platform/persistence/database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

describe('the file of the SQLite database', () => {
  it('only the owner can access the file and the folders created for it', () => {
    const above = join(temporaryFolder(), 'a');

    createPrivateFile(join(above, 'b', 'login.db'));

    const modes = [above, join(above, 'b'), join(above, 'b', 'login.db')].map((each) => statSync(each).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it.runIf(existsSync('/proc/self'))('createPrivateFile fails when its folder cannot be created', () => {
    expect(() => createPrivateFile('/proc/no-such-folder/data/login.db')).toThrow('ENOENT');
  });
});

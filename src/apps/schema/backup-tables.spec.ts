import { describe, expect, it } from 'vitest';
import { BACKUP } from './backup-tables.js';

describe('a restored account', () => {
  it.each([
    [{}, 7],
    [{ last_used_step: 'x' }, 7],
    [{ last_used_step: null }, 7],
    [{ last_used_step: -1 }, 7],
    [{ last_used_step: 9 }, 9],
  ])('accepts no TOTP code that was used before, with %j in the file', (row, lastUsedStep) => {
    const account = BACKUP.tables.find(({ table }) => table === 'account');

    const restored = account?.restored?.(row, { lastUsedStep: 7, keepsBackupCodes: false });

    expect(restored).toMatchObject({ last_used_step: lastUsedStep });
  });
});

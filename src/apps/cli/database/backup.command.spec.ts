import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { BackupRejection } from '../../../platform/persistence/backup/backup-format.js';
import { addBackupCommands } from './backup.command.js';

async function failing(failure: Error): Promise<unknown> {
  const outcome: { code?: number; lines: string[] } = { lines: [] };
  const fails = (): Promise<never> => Promise.reject(failure);
  const say = (line: string): void => void outcome.lines.push(line);
  const parts = {
    ...{ backUp: fails, checkRestore: fails, open: fails, hasOwnSigningKey: () => false },
    ...{ actor: 'cli:root', print: say, printError: say },
  };
  const program = new Command().exitOverride();
  addBackupCommands(program, parts, (code) => {
    outcome.code = code;
  });
  await program.parseAsync(['restore', 'file'], { from: 'user' });
  return outcome;
}

describe('restore', () => {
  it('prints no control character of a file', async () => {
    expect(await failing(new BackupRejection('It has the migration "\u009b2J".'))).toEqual({
      code: 1,
      lines: ['It has the migration "\\u009b2J".'],
    });
  });

  it('names the reason of the driver if the database fails', async () => {
    const cause = Object.assign(new Error('database or disk is full'), { errcode: 13 });

    expect(await failing(new ServiceError('UNAVAILABLE', { cause }))).toEqual({
      code: 1,
      lines: ['The database has failed (SQLITE 13); try again.'],
    });
  });
});

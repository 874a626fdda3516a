import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/programs/temporary-folder.js';
import { CommandLog } from './command-log.js';
import { loadServiceConfiguration } from '../server/service-configuration.js';
import { ConfigurationFailure } from '../../config/problem.js';

describe('the log of a command', () => {
  const workingFolder = temporaryFolder('command-log');

  /** The log of a command with these arguments, and what it writes to the error output. */
  function opened(...args: readonly string[]): { log: CommandLog; written: string[] } {
    const inputs = { args, variables: {}, workingFolder, packageFolder: workingFolder };
    const written: string[] = [];
    const log = new CommandLog(loadServiceConfiguration(inputs), inputs, (text) => void written.push(text));
    return { log, written };
  }

  it('A7: appends only events to the log file of the service', async () => {
    const file = join(workingFolder, 'service.log');
    writeFileSync(file, 'a line of the service\n');
    const { log, written } = opened(`--logging.file.name=${file}`);
    log.loggers.get('events').info('USER_CHANGED');
    log.loggers.get('account').info('A password is hashed anew');

    await log.close();

    expect(written).toEqual([]);
    expect(readFileSync(file, 'utf8')).toMatch(/^a line of the service\n.*events +: USER_CHANGED\n$/);
  });

  it('A8: writes to standard error if the log file cannot be opened, since the change is done already', async () => {
    const loop = join(workingFolder, 'loop.log');
    symlinkSync(loop, loop);
    const { log, written } = opened(`--logging.file.name=${loop}`);
    log.loggers.get('events').info('USER_DELETED');

    await log.close();

    expect(written.join('')).toMatch(/events +: USER_DELETED\n$/);
  });

  it('A8: rejects an unusable logging.config before the command changes anything', () => {
    expect(() => opened('--logging.config=file:missing.yml')).toThrow(ConfigurationFailure);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeptProcess } from './kept-process.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from '../runner/wait-until.js';

const IDLE = 'setInterval(() => undefined, 1000)';

describe('kept process', () => {
  it('a kept process returns output and exit code and has only the given environment', async () => {
    const script = 'console.log(Object.keys(process.env).join()); console.error("err"); process.exitCode = 3';
    const kept = await node(script, { ONLY: 'this' });

    expect(await kept.exit).toEqual({ code: 3, signal: null });
    expect(kept.stdout).toBe('ONLY\n');
    expect(kept.stderr).toBe('err\n');
  });

  it('stop sends a kept process a signal that it can handle', async () => {
    const kept = await node(`process.on('SIGTERM', () => process.exit(7)); console.log('up'); ${IDLE}`);
    await waitUntil('the command runs', () => kept.stdout.includes('up'));

    expect(await kept.stop()).toEqual({ code: 7, signal: null });
  });

  it('start of a kept process rejects an unknown command', async () => {
    const cwd = temporaryFolder();

    await expect(KeptProcess.start(join(cwd, 'nothing'), [], { env: {}, cwd })).rejects.toThrow('ENOENT');
  });

  it('a kept process and its folder disappear when the test process is killed', async () => {
    const folder = join(temporaryFolder(), 'kept');
    mkdirSync(folder);
    const pidFile = join(temporaryFolder(), 'pid');
    const command = `fs.writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); ${IDLE}`;
    const args = [
      JSON.stringify(process.execPath),
      JSON.stringify(['-e', command]),
      JSON.stringify({ env: {}, cwd: '/', folder }),
    ];
    const script = `import { KeptProcess } from ${JSON.stringify(join(import.meta.dirname, 'kept-process.ts'))};
      await KeptProcess.start(${args.join()});
      console.log('kept');`;
    const testProcess = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // The command may run before its test process has named it to the keeper.
    await once(testProcess.stdout, 'data');
    // The file is empty for a moment.
    const pid = await waitUntil(
      'the command runs',
      () => existsSync(pidFile) && (Number(readFileSync(pidFile, 'utf8')) || undefined),
    );

    testProcess.kill('SIGKILL');
    await once(testProcess, 'exit');

    expect(await waitUntil('the command has ended', () => !isRunning(pid))).toBe(true);
    expect(await waitUntil('the folder is deleted', () => !existsSync(folder))).toBe(true);
  });
});

async function node(script: string, env: Readonly<Record<string, string>> = {}): Promise<KeptProcess> {
  return KeptProcess.start(process.execPath, ['-e', script], { env, cwd: temporaryFolder() });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HostedProcess, type HostedRun } from './hosted-process.js';
import { temporaryFolder } from './temporary-folder.js';

const folder = temporaryFolder('hosted');

describe('hosted process', () => {
  it('a run ends with its own output even if its host writes more', async () => {
    const first = await run("console.log('one'); setImmediate(() => console.log('late')); process.exit(3);");
    expect(await first.exit).toEqual({ code: 3, signal: null });
    const second = await run("console.log('two'); process.exit();");
    expect(await second.exit).toEqual({ code: 0, signal: null });

    expect([first.pid === second.pid, first.stdout]).toEqual([true, 'one\n']);
  });

  it('a run has the arguments and environment of its own start only', async () => {
    const script = 'console.log(JSON.stringify([process.argv.slice(2), process.env])); process.exit();';
    const first = await run(script, { args: ['a', 'b'], env: { ONE: '1' } });
    await first.exit;
    const second = await run(script, { args: ['c'], env: { TWO: '2' } });
    await second.exit;

    expect(JSON.parse(second.stdout)).toEqual([['c'], { TWO: '2' }]);
    expect(second.pid).toBe(first.pid);
  });
});

let scripts = 0;

async function run(source: string, options: Partial<Pick<HostedRun, 'args' | 'env'>> = {}): Promise<HostedProcess> {
  scripts += 1;
  const script = join(folder, `script-${scripts}.mjs`);
  writeFileSync(script, source);
  return HostedProcess.start({ script, args: [], env: {}, cwd: folder, clock: undefined, ...options });
}

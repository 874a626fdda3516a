import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, runService, startService } from './service.js';
import { waitUntil } from '../runner/wait-until.js';

describe('built service in tests', () => {
  it('a started service serves its announced URL and stops with exit code 0', async () => {
    const service = await startService();

    expect((await fetch(`${service.url}/`)).status).toBe(200);
    expect(service.managementUrl).toBeUndefined();
    expect(await service.stop()).toBe(0);
    await expect(fetch(`${service.url}/`)).rejects.toThrow('fetch failed');
  });

  it('a started service uses a fresh working folder and the given variables', async () => {
    const service = await startService({ env: { APP_DATASOURCE_URL: 'jdbc:sqlite:./here/own.db' } });
    await service.stop();

    expect(statSync(join(service.cwd, 'here/own.db')).isFile()).toBe(true);
  });

  it('a started service announces a separate management listener', async () => {
    const service = await startService({ args: ['--management.server.port=0'] });

    await waitUntil('the management listener is announced', () => service.managementUrl);
    expect((await fetch(`${String(service.managementUrl)}/health`)).status).toBe(200);
    await service.stop();
  });

  it('runService returns the output of a failed startup', async () => {
    const ended = await runService({ args: ['--server.port=eight'] });

    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('APPLICATION FAILED TO START');
  });

  it('startService rejects with the output of a failed startup', async () => {
    await expect(startService({ args: ['--server.port=eight'] })).rejects.toThrow('APPLICATION FAILED TO START');
  });

  it('runCli runs one command of the command line', async () => {
    const ended = await runCli(['config', 'get', 'server.port']);

    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain('8080');
  });
});

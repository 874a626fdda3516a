import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, runService, startService } from './service.js';
import { waitUntil } from './wait-until.js';

describe('the built service as tests run it', () => {
  it('answers at the announced URL and ends with code 0 when asked to stop', async () => {
    const service = await startService();

    expect((await fetch(`${service.url}/`)).status).toBe(200);
    expect(service.managementUrl).toBeUndefined();
    expect(await service.stop()).toBe(0);
    await expect(fetch(`${service.url}/`)).rejects.toThrow('fetch failed');
  });

  it('works in a fresh folder and sees only the variables it is given', async () => {
    const service = await startService({ env: { APP_DATASOURCE_URL: 'jdbc:sqlite:./here/own.db' } });
    await service.stop();

    expect(statSync(join(service.cwd, 'here/own.db')).isFile()).toBe(true);
  });

  it('tells where a management listener of its own is', async () => {
    const service = await startService({ args: ['--management.server.port=0'] });

    await waitUntil('the management listener is announced', () => service.managementUrl);
    expect((await fetch(`${String(service.managementUrl)}/health`)).status).toBe(200);
    await service.stop();
  });

  it('gives what a failed start prints', async () => {
    const ended = await runService({ args: ['--server.port=eight'] });

    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('APPLICATION FAILED TO START');
  });

  it('rejects with the output when a service does not start', async () => {
    await expect(startService({ args: ['--server.port=eight'] })).rejects.toThrow('APPLICATION FAILED TO START');
  });

  it('runs one command of the command line', async () => {
    const ended = await runCli(['config', 'get', 'server.port']);

    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain('8080');
  });
});

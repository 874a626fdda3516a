import { afterEach, describe, expect, it } from 'vitest';
import { messagesOf } from '../../src/signin/messages/messages.js';
import { freePort } from '../support/programs/free-port.js';
import { HttpClient } from '../support/http/http-client.js';
import { type ManagedService, startManaged } from '../support/management/management.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { waitUntil } from '../support/runner/wait-until.js';
import '../support/runner/matchers.js';

let service: ManagedService | undefined;

afterEach(async () => {
  await service?.release();
  service = undefined;
});

async function start(...args: readonly string[]): Promise<ManagedService> {
  service = await startManaged({ args });
  return service;
}

describe('management.server.port', () => {
  it('management.server.port equal to server.port keeps the endpoints on the main listener without their own base path', async () => {
    const port = await freePort();

    const { url, managementUrl } = await start(
      `--server.port=${port}`,
      `--management.server.port=${port}`,
      '--management.server.address=127.0.0.2',
      '--management.server.base-path=/ops',
    );

    expect(managementUrl).toBeUndefined();
    expect(await new HttpClient(url).get('/actuator/health')).toBeAnswered(200);
    expect(await new HttpClient(url).get('/ops/actuator/health')).toBeRefused(404, 'NOT_FOUND');
  });

  it('a separate management listener sends browsers an error page in their language', async () => {
    const { managementUrl } = await start('--management.server.port=0');

    const page = await fetch(`${managementUrl}/none`, { headers: { accept: 'text/html', 'accept-language': 'ko' } });

    expect(page.status).toBe(404);
    expect(await page.text()).toContain(messagesOf('ko').errors.NOT_FOUND);
  });
});

describe('graceful shutdown', () => {
  it('R1: the management listener serves probes and scrapes until the last request has its response', async () => {
    const { url, operator, stranger, pid, exit } = await start('--management.server.port=0');
    const body = JSON.stringify({ id: 'nobody', pw: 'no password of anybody' });
    const login = await RawConnection.open(url);
    const head = `POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    login.send(`${head}Expect: 100-continue\r\n\r\n`);
    // Ensures that the service has the request before the signal.
    await waitUntil('the service asks for the body', () => login.text.includes('100 Continue'));

    process.kill(pid, 'SIGTERM');
    await waitUntil('the main listener accepts no connection', async () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    );
    const [readiness, liveness, scrape] = [
      await stranger.get('/health/readiness'),
      await stranger.get('/health/liveness'),
      await operator.get('/prometheus'),
    ];
    login.send(body);
    await login.untilClosed();

    expect([readiness.status, liveness.status, scrape.status]).toEqual([503, 200, 200]);
    expect(readiness.body['status']).toBe('OUT_OF_SERVICE');
    expect(login.statuses).toEqual([100, 401]);
    expect((await exit).code).toBe(0);
    await expect(fetch(stranger.baseUrl)).rejects.toThrow();
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STEPS } from '../support/console-steps.js';
import { FakeConsole } from '../support/fake-console.js';
import { HttpClient } from '../support/http-client.js';
import { type ManagedService, OPERATOR, startManaged } from '../support/management.js';
import { waitUntil } from '../support/wait-until.js';

describe('a console that the service registers with', () => {
  let console: FakeConsole;
  let service: ManagedService;
  /** As the registration says: where to call, and as whom. */
  let client: HttpClient;

  beforeAll(async () => {
    console = await FakeConsole.start();
    service = await startManaged({
      args: [
        `--app.boot.admin.client.url=${console.url}`,
        `--app.boot.admin.client.instance.metadata.user.name=${OPERATOR.user}`,
        '--app.boot.admin.client.instance.metadata.user.password=${management.security.password}',
        '--management.server.port=0',
        '--management.httpexchanges.recording.enabled=true',
        '--management.endpoint.shutdown.access=unrestricted',
        '--logging.file.name=login.log',
      ],
    });
    const { body } = await waitUntil('the service registers', () => console.calls[0]);
    const { managementUrl, metadata } = body as {
      readonly managementUrl: string;
      readonly metadata: Readonly<Record<string, string>>;
    };
    client = new HttpClient(managementUrl);
    const account = `${metadata['user.name'] ?? ''}:${metadata['user.password'] ?? ''}`;
    client.headers['authorization'] = `Basic ${Buffer.from(account).toString('base64')}`;
    await new HttpClient(service.url).get('/');
  });
  afterAll(async () => {
    await service.kill();
    await console.stop();
  });

  it('is told what it needs', () => {
    const { managementUrl = '', url } = service;

    expect(console.calls[0]).toMatchObject({
      method: 'POST',
      path: '/instances',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: { name: 'login-service', managementUrl, healthUrl: `${managementUrl}/health`, serviceUrl: url },
    });
  });

  it.each(STEPS)('$call is answered with what it reads', async ({ call, headers, json, status, reads = {} }) => {
    const [method = '', path = ''] = call.split(' ');

    const answer = await client.send(method, path, { headers, json });

    expect(answer).toMatchObject({ status, body: reads });
  });

  it('POST /shutdown is answered, and the console then told that the service is gone', async () => {
    const answer = await client.send('POST', '/shutdown');

    expect(answer).toMatchObject({ status: 200, body: { message: 'Shutting down, bye...' } });
    expect((await service.exit).code).toBe(0);
    expect(console.calls.at(-1)).toMatchObject({ method: 'DELETE', path: '/instances/instance%2F1' });
  });
});

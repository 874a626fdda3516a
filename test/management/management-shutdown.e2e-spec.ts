import { expect, it } from 'vitest';
import { startManaged } from '../support/management/management.js';
import { waitUntil } from '../support/runner/wait-until.js';

/** The header with which a console sends a call without a body. */
const OF_CONSOLE = { headers: { 'x-requested-with': 'XMLHttpRequest' } };
const ACCESS = '--management.endpoint.shutdown.access=unrestricted';

it('POST /actuator/shutdown confirms the request and stops the service with exit code 0', async () => {
  const service = await startManaged({ args: [ACCESS] });

  const { status, body } = await service.operator.send('POST', '/shutdown', OF_CONSOLE);

  expect({ status, body }).toEqual({ status: 200, body: { message: 'Shutting down, bye...' } });
  expect((await service.exit).code).toBe(0);
  expect(service.stdout).toContain('Stopped\n');
});

it('POST /actuator/shutdown rejects a request without a content type, which a cross-site form can send', async () => {
  const service = await startManaged({ args: [ACCESS] });

  const { status } = await service.operator.send('POST', '/shutdown');

  expect(status).toBe(415);
  expect(await service.stop()).toBe(0);
  expect(service.stdout).not.toContain('A shutdown is requested');
});

it('a SIGTERM after POST /actuator/shutdown does not interrupt the graceful shutdown', async () => {
  const service = await startManaged({ args: [ACCESS, '--server.shutdown-pre-drain=1s'] });
  await service.operator.send('POST', '/shutdown', OF_CONSOLE);
  await waitUntil('the service is stopping', () => service.stdout.includes('readiness is down'));

  expect(await service.stop()).toBe(0);
  expect(service.stdout).toContain('Stopped\n');
});

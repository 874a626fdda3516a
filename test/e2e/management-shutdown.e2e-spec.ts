import { expect, it } from 'vitest';
import { startManaged } from '../support/management.js';
import { waitUntil } from '../support/wait-until.js';

/** What a console sends where a call has no body. */
const OF_CONSOLE = { headers: { 'x-requested-with': 'XMLHttpRequest' } };
const ACCESS = '--management.endpoint.shutdown.access=unrestricted';

it('shutdown says so, and ends the service in good order', async () => {
  const service = await startManaged({ args: [ACCESS] });

  const { status, body } = await service.operator.send('POST', '/shutdown', OF_CONSOLE);

  expect({ status, body }).toEqual({ status: 200, body: { message: 'Shutting down, bye...' } });
  expect((await service.exit).code).toBe(0);
  expect(service.stdout).toContain('Stopped\n');
});

it('shutdown is not reached by what a page of another site can post', async () => {
  const service = await startManaged({ args: [ACCESS] });

  const { status } = await service.operator.send('POST', '/shutdown');

  expect(status).toBe(415);
  expect(await service.stop()).toBe(0);
  expect(service.stdout).not.toContain('asked to stop');
});

it('shutdown and the signal of a supervisor after it do not cut anything off', async () => {
  const service = await startManaged({ args: [ACCESS, '--server.shutdown-pre-drain=1s'] });
  await service.operator.send('POST', '/shutdown', OF_CONSOLE);
  await waitUntil('the service stops', () => service.stdout.includes('readiness refuses'));

  expect(await service.stop()).toBe(0);
  expect(service.stdout).toContain('Stopped\n');
});

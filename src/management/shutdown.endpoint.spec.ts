import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ask } from '../../test/support/http/operation-request.js';
import type { LogLine } from '../observability/logging/log-line.js';
import { Loggers } from '../observability/logging/loggers.js';
import { ShutdownEndpoint, ShutdownTrigger } from './shutdown.endpoint.js';

const lines: LogLine[] = [];
const stopper = new ShutdownTrigger();
const endpoint = new ShutdownEndpoint(stopper, new Loggers([{ append: (line) => lines.push(line) }]));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('the shutdown endpoint responds first and stops the service half a second later', async () => {
  const stop = vi.fn();
  stopper.onShutdown(stop);

  expect(await ask(endpoint, 'POST')).toEqual({ body: { message: 'Shutting down, bye...' } });
  vi.advanceTimersByTime(499);
  expect(stop).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);

  expect(stop).toHaveBeenCalledOnce();
});

it('the shutdown endpoint logs its caller', async () => {
  lines.length = 0;
  await ask(endpoint, 'POST', { operator: { name: 'ops', roles: ['ROLE_MANAGEMENT'] } });

  expect(lines).toMatchObject([{ level: 'WARN', logger: 'management', fields: { caller: 'ops' } }]);
});

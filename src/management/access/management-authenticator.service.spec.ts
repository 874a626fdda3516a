import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PasswordThrottle } from '../../account/throttle/password-throttle.service.js';
import type { RequestAuthenticator } from '../../auth/guards/request-authenticator.service.js';
import type { LogLine } from '../../logging/log-line.js';
import { Loggers } from '../../logging/loggers.js';
import { ManagementAuthenticator } from './management-authenticator.service.js';
import { ManagementSecurityProperties } from './access.properties.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Callers where a token is looked up in a database that says nothing. */
function inSilence() {
  const lines: LogLine[] = [];
  const loggers = new Loggers([{ append: (line) => lines.push(line) }]);
  const authentication = { authenticate: () => new Promise(() => undefined) } as unknown as RequestAuthenticator;
  const callers = new ManagementAuthenticator(
    new ManagementSecurityProperties(),
    authentication,
    {} as PasswordThrottle,
    loggers,
  );
  return { callers, lines };
}

it('R4: who cannot be looked up is nobody to an open endpoint before a probe gives up', async () => {
  const { callers, lines } = inSilence();

  const admitted = callers.authenticate('Bearer abc', { isPublic: true, needsOtp: false });
  await vi.advanceTimersByTimeAsync(999);

  await expect(Promise.race([admitted, Promise.resolve('still waiting')])).resolves.toBeUndefined();
  expect(lines.map(({ message }) => message)).toEqual(['A caller cannot be looked up within 500ms']);
});

it('a closed endpoint waits for who it is', async () => {
  const { callers } = inSilence();

  const admitted = callers.authenticate('Bearer abc', { isPublic: false, needsOtp: true });
  await vi.advanceTimersByTimeAsync(10_000);

  await expect(Promise.race([admitted, Promise.resolve('still waiting')])).resolves.toBe('still waiting');
});

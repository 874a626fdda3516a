import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LogLine } from '../../observability/logging/log-line.js';
import { Loggers } from '../../observability/logging/loggers.js';
import type { OperatorCredentials } from '../../kernel/principal/operator.js';
import { ManagementAuthenticator } from './management-authenticator.service.js';
import { ManagementSecurityProperties } from './access.properties.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** An authenticator whose look-up of access tokens waits for an unresponsive database. */
function withUnresponsiveDatabase() {
  const lines: LogLine[] = [];
  const loggers = new Loggers([{ append: (line) => lines.push(line) }]);
  const credentials = { verifyAccessToken: () => new Promise(() => undefined) } as unknown as OperatorCredentials;
  const authenticator = new ManagementAuthenticator(new ManagementSecurityProperties(), credentials, loggers);
  return { authenticator, lines };
}

it('R4: a public endpoint treats a caller whose look-up takes too long as anonymous, before a probe times out', async () => {
  const { authenticator, lines } = withUnresponsiveDatabase();

  const admitted = authenticator.authenticate('Bearer abc', { isPublic: true, needsMfa: false });
  await vi.advanceTimersByTimeAsync(999);

  await expect(Promise.race([admitted, Promise.resolve('still waiting')])).resolves.toBeUndefined();
  expect(lines.map(({ message }) => message)).toEqual(['A caller cannot be looked up within 500ms']);
});

it('a protected endpoint waits until the caller is looked up', async () => {
  const { authenticator } = withUnresponsiveDatabase();

  const admitted = authenticator.authenticate('Bearer abc', { isPublic: false, needsMfa: true });
  await vi.advanceTimersByTimeAsync(10_000);

  await expect(Promise.race([admitted, Promise.resolve('still waiting')])).resolves.toBe('still waiting');
});

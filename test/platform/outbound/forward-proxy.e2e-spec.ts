import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { ForwardProxyServer } from '../../support/http/forward-proxy.js';
import { HttpClient } from '../../support/http/http-client.js';
import { needs } from '../../support/runner/needs.js';
import { type RunningService, startService } from '../../support/programs/service.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { WebhookReceiver } from '../../support/events/webhook-receiver.js';
import '../../support/runner/matchers.js';

needs('openssl')('a service behind a forward proxy', () => {
  const certificate = makeCertificate({ name: 'receiver.test' });
  const receiver = new WebhookReceiver(certificate);
  const proxy = new ForwardProxyServer();
  let service: RunningService;

  beforeAll(async () => {
    await Promise.all([receiver.start(), proxy.start()]);
    service = await startService({
      args: [
        `--app.security.webhook.url=${receiver.url}`,
        '--app.security.webhook.kinds=LOGIN_PASSWORD_FAILED',
        '--app.security.webhook.retry-delays=1s',
        // The receiver of the test is on this machine.
        '-Dhttp.nonProxyHosts=none.invalid',
      ],
      env: {
        HTTPS_PROXY: `http://login:p%40ss@127.0.0.1:${proxy.port}`,
        NODE_EXTRA_CA_CERTS: certificate.certificate,
      },
      isAlone: true,
    });
  });
  afterAll(async () => {
    await service.release();
    await Promise.all([receiver.stop(), proxy.stop()]);
  });

  /** An event whose response was cut off arrives again. */
  const events = (): number => new Set(receiver.deliveries.map(({ id }) => id)).size;
  const delivered = (count: number): Promise<boolean> =>
    waitUntil(`${count} events have arrived`, () => events() >= count, { limitMillis: 30_000 });
  /** Records an event. */
  const signInWrongly = async (): Promise<void> => {
    const answer = await new HttpClient(service.url).post('/login', { id: 'unknown', pw: 'wrong' });
    expect(answer).toBeRefused(401, 'INVALID_CREDENTIALS');
  };

  it('delivers events over https through a tunnel of the proxy that HTTPS_PROXY names, with its credentials', async () => {
    await signInWrongly();
    await delivered(1);

    const target = new URL(receiver.url).host;
    expect(new Set(proxy.calls)).toEqual(new Set([`CONNECT ${target} Basic ${btoa('login:p@ss')}`]));
    expect(receiver.deliveries[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  it('delivers an event once the proxy that was stopped is back, and logins do not wait for it', async () => {
    await proxy.stop();
    await signInWrongly();
    await waitUntil('the failure is logged', () =>
      service.log.some((line) => line.includes('The webhook does not accept events')),
    );
    expect(events()).toBe(1);
    await proxy.start();

    await delivered(2);
    expect(service.stdout).not.toContain('p@ss');
  });
});

import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../../test/support/http/certificates.js';
import { freePort } from '../../../../test/support/programs/free-port.js';
import { SmtpRelayServer } from '../../../../test/support/mail/smtp-server.js';
import { waitUntil } from '../../../../test/support/runner/wait-until.js';
import { HealthComponents } from '../../../observability/health/health-components.js';
import { MailIndicator } from './mail.indicator.js';
import { MailProperties } from '../mail.properties.js';
import type { SmtpRelay } from './smtp-relay.service.js';

const GOOD = makeCertificate();

let server: Server | undefined;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

/** A relay that sends these pieces and collects what it receives. */
async function relay(...greeting: readonly string[]) {
  const heard: string[] = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (text) => heard.push(text.toString()));
    socket.on('error', () => undefined);
    for (const piece of greeting) socket.write(piece);
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await waitUntil('the relay listens', () => server?.listening);
  return { port, heard };
}

function indicator(
  port: number,
  host?: string,
  more: Partial<MailProperties> = {},
): { readonly mail: MailIndicator; readonly components: HealthComponents } {
  const components = new HealthComponents();
  const properties = Object.assign(new MailProperties(), { host, port, ...more });
  const relay = { tlsOptions: () => Promise.resolve({ ca: GOOD.pem }) } as unknown as SmtpRelay;
  return { mail: new MailIndicator(properties, relay, components), components };
}

function check(port: number, signal = new AbortController().signal) {
  return indicator(port, '127.0.0.1').mail.check(signal);
}

it('the mail indicator is registered only if a relay is configured', () => {
  expect(indicator(25).components.all).toEqual([]);
  expect(indicator(25, 'relay.example').components.all).toHaveLength(1);
});

describe('the health of the mail relay', () => {
  it('names its location', () => {
    expect(indicator(25, 'relay.example').mail.subject).toEqual({ location: 'relay.example:25' });
  });

  it.each([
    ['in one line', ['220 relay.example ESMTP\r\n']],
    ['in pieces', ['22', '0 relay.example', ' ESMTP\r\n']],
    ['in several lines', ['220-relay.example\r\n220-no spam\r\n', '220 ready\r\n']],
  ])('is UP for a greeting %s, after which the indicator sends QUIT', async (_, greeting) => {
    const { port, heard } = await relay(...greeting);

    expect(await check(port)).toEqual({ status: 'UP' });
    await waitUntil('the relay has received QUIT', () => heard.length > 0);
    expect(heard).toEqual(['QUIT\r\n']);
  });

  it('is UP over implicit TLS if the certificate is trusted, and an error otherwise', async () => {
    const certificates = [GOOD, makeCertificate()];
    const relays = await Promise.all(
      certificates.map((certificate) => SmtpRelayServer.start({ certificate, isImplicit: true })),
    );
    const checks = relays.map(({ address: { host, port } }) =>
      indicator(port, host, { tls: 'implicit' }).mail.check(new AbortController().signal),
    );

    const [trusted, foreign] = await Promise.allSettled(checks);

    expect(trusted).toEqual({ status: 'fulfilled', value: { status: 'UP' } });
    expect(foreign).toMatchObject({ reason: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
    await Promise.all(relays.map((each) => each.stop()));
  });

  it('is DOWN if the greeting rejects the connection', async () => {
    const { port } = await relay('554 no service for you\r\n');

    expect(await check(port)).toEqual({ status: 'DOWN', details: { error: 'Error: greeted with 554' } });
  });

  it('fails if the connection is refused, also for a name with several addresses', async () => {
    const port = await freePort();

    await expect(check(port)).rejects.toThrow(/ECONNREFUSED/);
    await expect(indicator(port, 'localhost').mail.check(new AbortController().signal)).rejects.toThrow();
  });

  it('fails if the connection ends without a greeting', async () => {
    const { port } = await relay();
    const hangUp = async (): Promise<void> => {
      await waitUntil('the relay is connected', () => sockets.length > 0);
      sockets[0]?.end();
    };

    const [outcome] = await Promise.allSettled([check(port), hangUp()]);

    expect(outcome).toMatchObject({ reason: new Error('the connection was closed before the response') });
  });

  it('fails if the greeting does not end', async () => {
    const { port } = await relay('220-x\r\n'.repeat(20_000));

    await expect(check(port)).rejects.toThrow('the response does not end');
  });

  it('closes the connection to a silent relay when the check is aborted', async () => {
    const { port } = await relay();
    const ending = new AbortController();
    const health = check(port, ending.signal);
    await waitUntil('the relay is connected', () => sockets.length > 0);

    ending.abort();

    await expect(health).rejects.toThrow(/abort/i);
    await waitUntil('the connection is closed', () => sockets[0]?.closed);
  });
});

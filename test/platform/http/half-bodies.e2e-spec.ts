import { afterEach, describe, expect, it } from 'vitest';
import { DataSize } from '../../../src/config/bind/data-size.js';
import { Duration } from '../../../src/config/bind/duration.js';
import { EmbeddedProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import type { HostOptions } from '../../../src/platform/http/host-options.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { HttpClient } from '../../support/http/http-client.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const KIBIBYTE = 1024;
const FORM = 'application/x-www-form-urlencoded';

let service: EchoService;
const open: RawConnection[] = [];

afterEach(async () => {
  for (const connection of open.splice(0)) connection.leave();
  await service.stop();
});

async function start(embedded: Partial<EmbeddedProperties> = {}, options: HostOptions = {}): Promise<void> {
  service = await startEchoService({
    ...options,
    bodyMemory: 256 * KIBIBYTE,
    embedded: Object.assign(
      new EmbeddedProperties(),
      { maxHttpFormPostSize: DataSize.ofBytes(128 * KIBIBYTE) },
      embedded,
    ),
  });
}

async function send(path: string, type: string, framing: string, body: string): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  open.push(connection);
  connection.send(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n${body}`);
  return connection;
}

/** A form of 100 KB of which only the first `kibibytes` arrive. */
function halfForm(kibibytes: number): Promise<RawConnection> {
  return send('/form', FORM, `Content-Length: ${100 * KIBIBYTE}`, `token=${'x'.repeat(kibibytes * KIBIBYTE - 6)}`);
}

/** Unfinished JSON without Content-Length, of which `kibibytes` arrive in chunks of one byte. */
function halfJson(kibibytes: number): Promise<RawConnection> {
  return send('/any', 'application/json', 'Transfer-Encoding: chunked', '1\r\n"\r\n'.repeat(kibibytes * KIBIBYTE));
}

async function untilRefused(clients: readonly RawConnection[], count: number): Promise<readonly RawConnection[]> {
  await waitUntil(
    `${count} requests are rejected`,
    () => clients.filter(({ statuses }) => statuses.length > 0).length >= count,
  );
  return clients.filter(({ statuses }) => statuses.length > 0);
}

describe('R7: incomplete request bodies', () => {
  it.each([
    ['forms', () => halfForm(60), 6],
    ['JSON in chunks of a byte', () => halfJson(40), 6],
  ])('R7: incomplete %s beyond the memory limit get 503 with Retry-After', async (_, sendIncomplete, count) => {
    await start();
    const clients: RawConnection[] = [];
    for (let at = 0; at < count; at += 1) clients.push(await sendIncomplete());

    const refused = await untilRefused(clients, 2);

    for (const { text } of refused) {
      expect(text).toMatch(/^HTTP\/1\.1 503 /);
      expect(text).toMatch(/^retry-after: 1\r$/im);
      expect(text).toMatch(/^connection: close\r$/im);
      expect(text).toContain('"code":"UNAVAILABLE"');
    }
    expect(clients.length - refused.length).toBeGreaterThan(1);
    expect(service.log.texts).toEqual([]);
  });

  it('R7: smaller bodies are accepted while incomplete ones fill the memory limit', async () => {
    await start();
    for (let at = 0; at < 8; at += 1) await halfForm(60);
    const client = new HttpClient(service.url);

    const token = (kibibytes: number): Record<string, string> => ({ token: 'x'.repeat(kibibytes * KIBIBYTE) });
    const answers = [
      await client.post('/note', { text: 'a' }),
      await client.post('/any', 'x'.repeat(30 * KIBIBYTE)),
      await client.send('POST', '/form', { form: token(30) }),
    ];

    // The form gets 400 because its token is longer than the schema allows, so it was read completely.
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
  });

  it('R7: incomplete bodies release their memory when the client disconnects or times out', async () => {
    await start({ connectionTimeout: Duration.ofSeconds(0.3) });

    for (let round = 0; round < 4; round += 1) {
      const clients = [await halfForm(60), await halfForm(60), await halfForm(60)];
      if (round % 2 === 0) for (const client of clients) client.leave();
      else await untilRefused(clients, 3);
      await waitUntil('all requests have ended', () => service.listener.inProgress === 0);

      expect(clients.flatMap(({ statuses }) => statuses)).not.toContain(503);
    }
  });
});

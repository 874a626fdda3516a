import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { needs } from '../../support/runner/needs.js';
import { handshake, overHttp1 } from '../../support/http/secure-client.js';
import { type RunningService, startService } from '../../support/programs/service.js';
import { countSlowly } from '../../support/http/slow-reader.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

/** Numbers of pipelined requests whose responses exceed all buffers between the service and its client. */
const BURSTS = [
  ['hundreds of kB', 40, () => '/openapi.json'],
  ['95 kB', 200, (page: string) => /"(\/assets\/logo-[^"]+\.svg)"/.exec(page)?.[1] ?? ''],
  ['some kB', 3000, () => '/portal/login'],
] as const;

async function start(...args: readonly string[]): Promise<RunningService> {
  const logo = join(temporaryFolder('logo'), 'logo.svg');
  writeFileSync(logo, `<svg xmlns="http://www.w3.org/2000/svg"><!--${'x'.repeat(95_000)}--></svg>`);
  return startService({ isAlone: true, args: [`--app.branding.logo=${logo}`, ...args] });
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Pad: ${'a'.repeat(60)}\r\n\r\n`;
}

describe('X3: the service outlives clients that read pipelined responses slowly', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await start();
    return () => service.release();
  });

  it.each(BURSTS)('X3: a client that reads many responses of %s slowly gets all of them', async (_, count, pathIn) => {
    const { hostname, port, origin } = new URL(service.url);
    const path = pathIn(await (await fetch(`${origin}/portal/login`)).text());
    const other = async () => (await fetch(`${origin}/actuator/health`)).text();
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');

    expect(await countSlowly(socket, get(path).repeat(count), count, other)).toBe(count);
    expect(service.troubles).toEqual([]);
  });
});

needs('openssl')('X3: the service outlives clients that read pipelined responses slowly over TLS', () => {
  let service: RunningService;
  let ca: string;

  beforeAll(async () => {
    const { certificate, key, pem } = makeCertificate();
    ca = pem;
    const bundle = '--app.ssl.bundle.pem.web.keystore';
    service = await start(
      '--server.ssl.bundle=web',
      `${bundle}.certificate=${certificate}`,
      `${bundle}.private-key=${key}`,
    );
    return () => service.release();
  });

  it.each(BURSTS)('X3: a client that reads many responses of %s slowly gets all of them', async (_, count, pathIn) => {
    const path = pathIn((await overHttp1(service.url, '/portal/login', { ca })).text);
    const other = () => overHttp1(service.url, '/actuator/health', { ca });
    const socket = await handshake(service.url, { ca });

    expect(await countSlowly(socket, get(path).repeat(count), count, other)).toBe(count);
    expect(service.troubles).toEqual([]);
  });
});

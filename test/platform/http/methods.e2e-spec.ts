import { readFileSync, readdirSync } from 'node:fs';
import { METHODS } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { SystemClock } from '../../../src/kernel/clock/clock.js';
import { ConversionProblem } from '../../../src/config/problem.js';
import { AccessLog } from '../../../src/platform/http/records/access-log.js';
import { accessPattern } from '../../../src/platform/http/records/access-pattern.js';
import { makeCertificate, type MadeCertificate } from '../../support/http/certificates.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { held } from '../../support/http/held.controller.js';
import { needs } from '../../support/runner/needs.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { handshake } from '../../support/http/secure-client.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

/** Methods that some route supports, and CONNECT, which Node handles separately. */
const COMMON = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT'];
/** The other methods that Node's parser accepts, such as PROPFIND, QUERY and LINK. */
const UNCOMMON = METHODS.filter((method) => !COMMON.includes(method));

/** Headers of every response (http-api section 9). */
const HEADERS = {
  'api-version': '1',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'content-type': 'application/problem+json',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': expect.any(String) as string,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
const ALLOWED_ON_FACTS = 'GET, HEAD, POST, OPTIONS';

let folder: string;
let log: AccessLog;

function newLog(): AccessLog {
  const pattern = accessPattern.parse('%m %U %H %s %{X-Request-Id}o');
  if (pattern instanceof ConversionProblem) throw new TypeError(pattern.reason);
  folder = temporaryFolder('methods');
  log = new AccessLog({
    pattern,
    directory: folder,
    maxDays: -1,
    totalBytes: 0,
    clock: new SystemClock(),
    log: new Loggers([{ append: ({ message }) => expect.unreachable(message) }]).get('server'),
  });
  return log;
}

/** The access log line of the response with that request id. */
function lineOf(requestId: string): Promise<string> {
  return waitUntil(`${requestId} is in the access log`, async () => {
    await log.open();
    const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    return text
      .join('')
      .split('\n')
      .find((line) => line.endsWith(` ${requestId}`));
  });
}

interface Received {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

function parsed(text: string): Received {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const fields = [...head.matchAll(/^([\w-]+): ?(.*)\r?$/gm)].map(([, name = '', value = '']) => [
    name.toLowerCase(),
    value.trimEnd(),
  ]);
  return { headers: Object.fromEntries(fields) as Received['headers'], body: JSON.parse(body) };
}

it('the log names the method of a request rejected with 405', async () => {
  const service = await startEchoService();
  service.log.loggers.setLevel('server', 'DEBUG');

  await sendRaw(service.url, 'PROPFIND /facts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await service.stop();

  expect(service.log.messages).toEqual(['DEBUG METHOD_NOT_ALLOWED PROPFIND (no route)']);
});

describe('uncommon methods over HTTP/1', () => {
  let service: EchoService;

  beforeAll(async () => {
    service = await startEchoService({ accessLog: newLog() });
  });

  afterEach(() => {
    held.releaseAll();
  });

  afterAll(() => service.stop());

  it.each(UNCOMMON)('H9: %s gets 405 with Allow on a known path and 404 elsewhere, with any body', async (method) => {
    for (const more of [
      '\r\n',
      'Content-Length: 0\r\n\r\n',
      'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
      'Content-Type: nonsense\r\nContent-Length: 2\r\n\r\n{}',
      'Content-Length: 2\r\n\r\n{}',
    ]) {
      const head = `Host: x\r\nX-Request-Id: id-of-${method}\r\nConnection: close\r\n${more}`;
      const known = await sendRaw(service.url, `${method} /facts?secret=1 HTTP/1.1\r\n${head}`);
      const unknown = await sendRaw(service.url, `${method} /nowhere HTTP/1.1\r\n${head}`);

      expect([known.statuses, unknown.statuses], more).toEqual([[405], [404]]);
      expect(parsed(known.text)).toMatchObject({
        headers: { ...HEADERS, allow: ALLOWED_ON_FACTS, 'x-request-id': `id-of-${method}` },
        body: { code: 'METHOD_NOT_ALLOWED', status: 405, instance: '/facts', request_id: `id-of-${method}` },
      });
      expect(parsed(unknown.text)).toMatchObject({ headers: HEADERS, body: { code: 'NOT_FOUND', status: 404 } });
    }
    expect(await lineOf(`id-of-${method}`)).toMatch(`${method} /facts HTTP/1.1 405 `);
  });

  it('R7: a request rejected with 405 stays in progress until its body has arrived', async () => {
    const connection = await RawConnection.open(service.url);
    connection.send('PROPFIND /facts HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n');
    await waitUntil('the request is in progress', () => service.listener.inProgress === 1, { everyMillis: 2 });

    connection.send('{}');
    await connection.untilAnswered();

    expect(connection.statuses).toEqual([405]);
    await waitUntil('the request has ended', () => service.listener.inProgress === 0, { everyMillis: 2 });
    connection.leave();
  });

  describe('H9: CONNECT', () => {
    const request = (more = ''): string => `CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n${more}\r\n`;

    it('CONNECT gets 405 with an empty Allow header and closes the connection', async () => {
      const { statuses, text } = await sendRaw(service.url, request('X-Request-Id: id-of-tunnel\r\n'));

      expect(statuses).toEqual([405]);
      expect(parsed(text)).toMatchObject({
        headers: { ...HEADERS, allow: '', connection: 'close', 'x-request-id': 'id-of-tunnel' },
        body: { code: 'METHOD_NOT_ALLOWED', status: 405, request_id: 'id-of-tunnel' },
      });
      expect(text).not.toContain('evil');
      expect(await lineOf('id-of-tunnel')).toBe('CONNECT evil.example:443 HTTP/1.1 405 id-of-tunnel');
    });

    it('bytes after CONNECT are not read as requests', async () => {
      const { statuses } = await sendRaw(service.url, `${request()}GET /plain HTTP/1.1\r\nHost: x\r\n\r\n`);

      expect(statuses).toEqual([405]);
    });

    it('CONNECT gets its response after those of earlier requests', async () => {
      const connection = await RawConnection.open(service.url);
      connection.send(`GET /held HTTP/1.1\r\nHost: x\r\n\r\n${request()}`);
      await waitUntil('the previous request is in progress', () => held.count === 1, { everyMillis: 2 });

      expect(connection.text).toBe('');
      held.release();
      await connection.untilClosed();

      expect(connection.statuses).toEqual([200, 405]);
    });

    it('R8: clients that disconnect after CONNECT cause no errors', async () => {
      for (let count = 0; count < 20; count += 1) {
        const connection = await RawConnection.open(service.url);
        connection.send(request());
        connection.leave();
      }

      expect((await sendRaw(service.url, request())).statuses).toEqual([405]);
      expect(service.log.texts).toEqual([]);
    });
  });

  describe.each(['websocket', 'h2c', 'TLS/1.0', 'nonsense'])('H7: Upgrade: %s', (to) => {
    const upgrade = `Host: x\r\nUpgrade: ${to}\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n`;
    const json = 'Content-Type: application/json\r\nContent-Length: 12\r\n';

    it('a request with Upgrade gets its usual response, and the connection is closed', async () => {
      const id = `id-of-${to.replace('/', '-')}`;
      const post = `POST /note HTTP/1.1\r\n${upgrade}X-Request-Id: ${id}\r\n${json}\r\n{"text":"a"}`;

      const { statuses, text } = await sendRaw(service.url, `${post}GET /plain HTTP/1.1\r\nHost: x\r\n\r\n`);
      const refused = await sendRaw(service.url, `GET /nowhere HTTP/1.1\r\n${upgrade}\r\n`);

      expect([statuses, refused.statuses]).toEqual([[200], [404]]);
      expect(text).toMatch(/^connection: close\r$/im);
      expect(text).not.toMatch(/^upgrade:/im);
      expect(await lineOf(id)).toBe(`POST /note HTTP/1.1 200 ${id}`);
    });

    it('nothing behind a request with Upgrade is executed as a request', async () => {
      const connection = await RawConnection.open(service.url);
      const inner = 'POST /held HTTP/1.1\r\nHost: x\r\n\r\n';
      connection.send(
        `GET /held HTTP/1.1\r\n${upgrade}\r\nPOST /any HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n`,
      );
      await waitUntil('the first request is in progress', () => held.count === 1, { everyMillis: 2 });
      connection.send(inner);
      await waitUntil('both requests are in progress', () => service.listener.inProgress === 2, { everyMillis: 2 });

      expect(held.count).toBe(1);
      held.release();
      await connection.untilClosed();

      expect(connection.statuses).toEqual([200]);
      expect(held.count).toBe(0);
    });
  });
});

needs('openssl')('uncommon methods over TLS', () => {
  let made: MadeCertificate;
  let service: EchoService;

  beforeAll(async () => {
    made = makeCertificate();
    service = await startEchoService({
      accessLog: newLog(),
      tls: {
        context: { cert: readFileSync(made.certificate), key: readFileSync(made.key) },
        onUpdate: () => () => undefined,
      },
    });
  });

  afterAll(async () => {
    await service.stop();
  });

  it('H9: CONNECT over TLS is rejected with all headers of https', async () => {
    const socket = await handshake(`https://127.0.0.1:${service.port}`, { ca: made.pem });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n');
    await new Promise((resolve) => socket.once('end', resolve));
    socket.destroy();

    expect(text).toMatch(/^HTTP\/1\.1 405 /);
    expect(parsed(text).headers).toMatchObject({
      ...HEADERS,
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    });
  });

  it('uncommon methods leave no request in progress and log no errors', async () => {
    await waitUntil('all requests have ended', () => service.listener.inProgress === 0);

    expect(service.log.texts).toEqual([]);
  });
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Duration } from '../../../src/config/bind/duration.js';
import { EmbeddedProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { type Answer, HttpClient, type RequestOptions } from '../../support/http/http-client.js';
import '../../support/runner/matchers.js';
import { BOUNDARY, type FilePart, MULTIPART, multipart } from '../../support/http/multipart.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { startUploadService, type UploadService } from '../../support/http/upload-service.js';
import { waitUntil } from '../../support/runner/wait-until.js';

let service: UploadService;

function post(path: string, parts: readonly FilePart[], options: RequestOptions = {}): Promise<Answer> {
  const { headers, ...rest } = options;
  const raw = multipart(...parts);
  return new HttpClient(service.url).send('POST', path, {
    raw,
    headers: { 'content-type': MULTIPART, ...headers },
    ...rest,
  });
}

/** A request head with a Content-Length, or for a chunked body. */
function head(length: number | 'chunked', path = '/upload'): string {
  const lines = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${MULTIPART}\r\n${lines}\r\n\r\n`;
}

function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** Sends the given bytes and keeps the connection open. */
async function begin(...pieces: readonly (string | Buffer)[]): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => undefined).resume();
  for (const piece of pieces) socket.write(piece);
  return socket;
}

describe('file uploads', () => {
  beforeAll(async () => {
    service = await startUploadService();
  });
  afterEach(() => service.letGo());
  afterAll(() => service.stop());

  it('an upload reaches its handler completely, in a private file that is removed afterwards', async () => {
    const content = 'line\r\n'.repeat(50_000);

    const answer = await post('/upload', [{ content, fileName: '../people.csv', mediaType: 'Text/CSV' }]);

    expect(answer).toBeAnswered(200);
    expect(answer.body).toEqual({
      name: 'people.csv',
      mediaType: 'text/csv',
      size: content.length,
      mode: '600',
      text: content,
    });
    expect(service.files).toEqual([]);
  });

  it.each([
    ['rejects the request', 'refuse', 409, 'CONFLICT'],
    ['fails', 'fail', 500, 'INTERNAL_ERROR'],
  ])('the file of an upload is removed when its handler %s', async (_, then, status, code) => {
    expect(await post(`/upload?then=${then}`, [{ content: 'x' }])).toBeRefused(status, code);
    expect(service.files).toEqual([]);
  });

  it('an upload with an invalid query is not stored', async () => {
    const { filesMade } = service;

    expect(await post('/upload?then=dance', [{ content: 'x' }])).toBeRefused(400, 'VALIDATION_FAILED');
    expect(service.filesMade).toBe(filesMade);
  });

  it('an upload of a caller without permission is not stored', async () => {
    const { filesMade } = service;

    expect(await post('/guarded', [{ content: 'x'.repeat(500_000) }])).toBeRefused(403, 'ACCESS_DENIED');
    expect(service.filesMade).toBe(filesMade);
    expect(await post('/guarded', [{ content: 'x' }], { headers: { 'x-please': '1' } })).toBeAnswered(201);
    expect(service.filesMade).toBe(filesMade + 1);
  });

  it.each([
    ['to a caller with permission', '/upload', 200],
    ['never to a caller without permission', '/guarded', 403],
  ])('100 Continue is sent %s', async (_, path, status) => {
    const body = multipart({ content: 'x' });
    const socket = await begin(head(body.length, path).replace('\r\n\r\n', '\r\nexpect: 100-continue\r\n\r\n'));
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    const isAsked = (): boolean => Buffer.concat(received).toString().startsWith('HTTP/1.1 100 Continue\r\n\r\n');
    if (status === 200) await waitUntil('the service asks for the body', isAsked);

    socket.write(body);

    const answer = await waitUntil('the response arrives', () =>
      / (?:200|403) [^]*\}$/.exec(Buffer.concat(received).toString()),
    );
    expect(isAsked()).toBe(status === 200);
    expect(answer[0]).toMatch(new RegExp(`^ ${status} `));
    socket.destroy();
  });

  it('the file of an upload is removed when its client disconnects in the middle', async () => {
    const body = multipart({ content: 'x'.repeat(100_000) });
    const { runs } = service;
    const socket = await begin(head(body.length), body.subarray(0, 50_000));
    await waitUntil('the file exists', () => service.files.length === 1);

    socket.destroy();

    await waitUntil('the file is deleted', () => service.files.length === 0);
    expect(service.runs).toBe(runs);
    expect(service.log.texts.filter((line) => !line.includes('a defect'))).toEqual([]);
  });

  it('the file of an upload stays until its handler ends, even when the client has disconnected', async () => {
    const body = multipart({ content: 'x' });
    const { runs } = service;
    service.hold();
    const socket = await begin(head(body.length), body);
    await waitUntil('the handler runs', () => service.runs > runs);

    socket.destroy();
    await once(socket, 'close');
    // The response to the next request shows that the service has handled the lost connection.
    expect(await new HttpClient(service.url).post('/json')).toBeAnswered(200);
    expect(service.files).toHaveLength(1);
    service.letGo();

    await waitUntil('the file is deleted', () => service.files.length === 0);
  });

  it.each([
    ['JSON', 'application/json', '{}'],
    ['a form', 'application/x-www-form-urlencoded', 'file=x'],
    ['text', 'text/csv', 'login_id'],
    ['another kind of multipart', `multipart/mixed; boundary=${BOUNDARY}`, multipart({ content: 'x' })],
  ])('H1: an upload must be multipart/form-data, not %s', async (_, type, raw) => {
    const answer = await new HttpClient(service.url).send('POST', '/upload', {
      raw,
      headers: { 'content-type': type },
    });

    expect(answer).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('H1: routes without uploads reject them', async () => {
    expect(await post('/json', [{ content: 'x' }])).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(await post('/nowhere', [{ content: 'x' }])).toBeRefused(404, 'NOT_FOUND');
  });

  it('H5: a compressed upload is rejected', async () => {
    const raw = gzipSync(multipart({ content: 'x' }));
    const headers = { 'content-type': MULTIPART, 'content-encoding': 'gzip' };

    const answer = await new HttpClient(service.url).send('POST', '/upload', { raw, headers });

    expect(answer).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each<readonly [string, RequestOptions, object]>([
    ['no body', {}, { field: 'file', code: 'required' }],
    ['an empty body', { raw: '', headers: { 'content-type': MULTIPART } }, { field: 'file', code: 'required' }],
    ['no boundary', { raw: 'x', headers: { 'content-type': 'multipart/form-data' } }, { field: '', code: 'format' }],
    [
      'a truncated body',
      { raw: multipart({ content: 'half' }).subarray(0, -6), headers: { 'content-type': MULTIPART } },
      { field: '', code: 'format' },
    ],
    [
      'two files',
      { raw: multipart({ content: 'a' }, { content: 'b' }), headers: { 'content-type': MULTIPART } },
      { field: 'file', code: 'unknown' },
    ],
  ])('H1: an upload with %s is rejected', async (_, options, error) => {
    const answer = await new HttpClient(service.url).send('POST', '/upload', options);

    expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
    expect(answer.body['errors']).toEqual([error]);
    expect(service.files).toEqual([]);
  });

  it('H1: an upload shorter than its Content-Length is rejected', async () => {
    const { hostname, port } = new URL(service.url);
    const body = multipart({ content: 'x' });
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes)).on('error', () => undefined);
    socket.end(Buffer.concat([Buffer.from(head(body.length + 1)), body]));
    await once(socket, 'close');

    expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 400 /);
    await waitUntil('the file is deleted', () => service.files.length === 0);
  });
});

describe('H5: upload limits', () => {
  const FILE = 20_000;
  const REQUEST = 30_000;
  const around = multipart({ content: '' }).length;

  beforeAll(async () => {
    service = await startUploadService({ maxFileBytes: FILE, maxRequestBytes: REQUEST });
  });
  afterAll(() => service.stop());

  it('a file of the maximum size is accepted, and one byte more is rejected', async () => {
    const answers = await Promise.all([FILE, FILE + 1].map((size) => post('/upload', [{ content: 'x'.repeat(size) }])));

    expect(answers[0]).toBeAnswered(200);
    expect(answers[1]).toBeRefused(413, 'PAYLOAD_TOO_LARGE');
    expect(service.files).toEqual([]);
  });

  it('a Content-Length above the limit is rejected before the body arrives', async () => {
    const { filesMade } = service;

    const { statuses, text } = await sendRaw(service.url, head(REQUEST + 1));

    expect(statuses).toEqual([413]);
    expect(text).toContain('"code":"PAYLOAD_TOO_LARGE"');
    expect(text).toMatch(/^connection: close\r$/im);
    expect(service.filesMade).toBe(filesMade);
  });

  it('the request limit applies to chunked uploads', async () => {
    // The preamble before the first boundary does not belong to the file.
    const preamble = (size: number): Buffer => Buffer.from('p'.repeat(size - 2) + '\r\n');
    const body = multipart({ content: '' });
    const sent = (size: number): Promise<{ readonly statuses: readonly number[] }> =>
      sendRaw(
        service.url,
        head('chunked').replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'),
        chunk(preamble(size - around)),
        chunk(body),
        '0\r\n\r\n',
      );

    expect((await sent(REQUEST)).statuses).toEqual([200]);
    expect((await sent(REQUEST + 1)).statuses).toEqual([413]);
    expect(service.files).toEqual([]);
  });

  it('an oversized upload gets 413 while it is still being sent, and is disconnected', async () => {
    const socket = await begin(head('chunked'), chunk(multipart({ content: 'x'.repeat(FILE + 1) })));
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    const more = setInterval(() => socket.write(chunk(Buffer.alloc(1000))), 5);

    // `once` would fail when a piece is written after the connection was closed.
    await new Promise((resolve) => socket.on('close', resolve));

    clearInterval(more);
    expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 413 /);
    expect(service.files).toEqual([]);
  });
});

describe('H5: stalled uploads', () => {
  beforeAll(async () => {
    service = await startUploadService(
      {},
      Object.assign(new EmbeddedProperties(), { connectionTimeout: Duration.ofSeconds(1) }),
    );
  });
  afterAll(() => service.stop());

  it.each(['with a length', 'in chunks'])(
    'a stalled upload %s gets 408, and its connection and its file are removed',
    async (how) => {
      const body = multipart({ content: 'x'.repeat(1000) });
      const half = body.subarray(0, 500);

      const { statuses } = await (how === 'in chunks'
        ? sendRaw(service.url, head('chunked'), chunk(half))
        : sendRaw(service.url, head(body.length), half));

      expect(statuses).toEqual([408]);
      await waitUntil('the file is deleted', () => service.files.length === 0);
      expect(service.log.texts).toEqual([]);
    },
  );

  it('an upload whose rest arrives after the timeout gets 408, and its handler does not run', async () => {
    const body = multipart({ content: 'x'.repeat(1000) });
    const { runs } = service;
    const socket = await begin(head(body.length), body.subarray(0, 500));
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    await waitUntil('the file exists', () => service.files.length === 1);
    // Later than the timeout, and earlier than the end of the wait of other responses for a body.
    const rest = setTimeout(() => socket.write(body.subarray(500)), 1300);

    await closed;

    clearTimeout(rest);
    await waitUntil('the request has ended', () => service.inProgress === 0);
    expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 408 /);
    expect(service.runs).toBe(runs);
    expect(service.log.texts).toEqual([]);
  });

  it('a slow upload that keeps sending succeeds', async () => {
    const body = multipart({ content: 'x'.repeat(40) });
    const socket = await begin(head(body.length).replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    let sent = 0;
    const trickle = setInterval(() => {
      socket.write(body.subarray(sent, sent + 10));
      sent += 10;
    }, 100);

    await once(socket, 'close');

    clearInterval(trickle);
    expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

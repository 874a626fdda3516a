import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Duration } from '../../src/config/bind/duration.js';
import { EmbeddedProperties } from '../../src/http/admission/embedded.properties.js';
import { type Answer, HttpClient, type RequestOptions } from '../support/http-client.js';
import '../support/matchers.js';
import { BOUNDARY, type FilePart, MULTIPART, multipart } from '../support/multipart.js';
import { sendRaw } from '../support/raw-http.js';
import { startUploadService, type UploadService } from '../support/upload-service.js';
import { waitUntil } from '../support/wait-until.js';

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

/** A head that promises `length` bytes, or chunks without a number. */
function head(length: number | 'chunked', path = '/upload'): string {
  const lines = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${MULTIPART}\r\n${lines}\r\n\r\n`;
}

function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** Sends what is given and leaves the connection open. */
async function begin(...pieces: readonly (string | Buffer)[]): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => undefined).resume();
  for (const piece of pieces) socket.write(piece);
  return socket;
}

describe('an upload', () => {
  beforeAll(async () => {
    service = await startUploadService();
  });
  afterEach(() => service.letGo());
  afterAll(() => service.stop());

  it('reaches its handler whole, in a private file that is gone with the request', async () => {
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
    ['refuses', 'refuse', 409, 'CONFLICT'],
    ['fails', 'fail', 500, 'INTERNAL_ERROR'],
  ])('is removed where its handler %s', async (_, then, status, code) => {
    expect(await post(`/upload?then=${then}`, [{ content: 'x' }])).toBeRefused(status, code);
    expect(service.files).toEqual([]);
  });

  it('is not even stored where the query does not fit', async () => {
    const { filesMade } = service;

    expect(await post('/upload?then=dance', [{ content: 'x' }])).toBeRefused(400, 'VALIDATION_FAILED');
    expect(service.filesMade).toBe(filesMade);
  });

  it('is not even stored where the caller may not', async () => {
    const { filesMade } = service;

    expect(await post('/guarded', [{ content: 'x'.repeat(500_000) }])).toBeRefused(403, 'ACCESS_DENIED');
    expect(service.filesMade).toBe(filesMade);
    expect(await post('/guarded', [{ content: 'x' }], { headers: { 'x-please': '1' } })).toBeAnswered(201);
    expect(service.filesMade).toBe(filesMade + 1);
  });

  it.each([
    ['to a caller who may', '/upload', 200],
    ['never to a caller who may not', '/guarded', 403],
  ])('asks for its bytes, where the client waits to be asked, %s', async (_, path, status) => {
    const body = multipart({ content: 'x' });
    const socket = await begin(head(body.length, path).replace('\r\n\r\n', '\r\nexpect: 100-continue\r\n\r\n'));
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    const isAsked = (): boolean => Buffer.concat(received).toString().startsWith('HTTP/1.1 100 Continue\r\n\r\n');
    if (status === 200) await waitUntil('the client is asked', isAsked);

    socket.write(body);

    const answer = await waitUntil('the answer', () => / (?:200|403) [^]*\}$/.exec(Buffer.concat(received).toString()));
    expect(isAsked()).toBe(status === 200);
    expect(answer[0]).toMatch(new RegExp(`^ ${status} `));
    socket.destroy();
  });

  it('is removed when its client leaves in the middle', async () => {
    const body = multipart({ content: 'x'.repeat(100_000) });
    const { runs } = service;
    const socket = await begin(head(body.length), body.subarray(0, 50_000));
    await waitUntil('the file is there', () => service.files.length === 1);

    socket.destroy();

    await waitUntil('the file is gone', () => service.files.length === 0);
    expect(service.runs).toBe(runs);
    expect(service.complaints.filter((line) => !line.includes('a defect'))).toEqual([]);
  });

  it('stays for a handler whose client has left, and is removed when that ends', async () => {
    const body = multipart({ content: 'x' });
    const { runs } = service;
    service.hold();
    const socket = await begin(head(body.length), body);
    await waitUntil('the handler runs', () => service.runs > runs);

    socket.destroy();
    await once(socket, 'close');
    // Whatever the service does about a connection that is gone, it has done when it answers the next.
    expect(await new HttpClient(service.url).post('/json')).toBeAnswered(200);
    expect(service.files).toHaveLength(1);
    service.letGo();

    await waitUntil('the file is gone', () => service.files.length === 0);
  });

  it.each([
    ['JSON', 'application/json', '{}'],
    ['a form', 'application/x-www-form-urlencoded', 'file=x'],
    ['text', 'text/csv', 'login_id'],
    ['another kind of multipart', `multipart/mixed; boundary=${BOUNDARY}`, multipart({ content: 'x' })],
  ])('H1: is multipart/form-data and not %s', async (_, type, raw) => {
    const answer = await new HttpClient(service.url).send('POST', '/upload', {
      raw,
      headers: { 'content-type': type },
    });

    expect(answer).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('H1: is taken only by routes that ask for one', async () => {
    expect(await post('/json', [{ content: 'x' }])).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(await post('/nowhere', [{ content: 'x' }])).toBeRefused(404, 'NOT_FOUND');
  });

  it('H5: is not compressed', async () => {
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
      'a body that is cut off',
      { raw: multipart({ content: 'half' }).subarray(0, -6), headers: { 'content-type': MULTIPART } },
      { field: '', code: 'format' },
    ],
    [
      'two files',
      { raw: multipart({ content: 'a' }, { content: 'b' }), headers: { 'content-type': MULTIPART } },
      { field: 'file', code: 'unknown' },
    ],
  ])('H1: is refused with %s', async (_, options, error) => {
    const answer = await new HttpClient(service.url).send('POST', '/upload', options);

    expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
    expect(answer.body['errors']).toEqual([error]);
    expect(service.files).toEqual([]);
  });

  it('H1: that ends before the length it promised is refused', async () => {
    const { hostname, port } = new URL(service.url);
    const body = multipart({ content: 'x' });
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes)).on('error', () => undefined);
    socket.end(Buffer.concat([Buffer.from(head(body.length + 1)), body]));
    await once(socket, 'close');

    expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 400 /);
    await waitUntil('the file is gone', () => service.files.length === 0);
  });
});

describe('H5: an upload with limits', () => {
  const FILE = 20_000;
  const REQUEST = 30_000;
  const around = multipart({ content: '' }).length;

  beforeAll(async () => {
    service = await startUploadService({ maxFileBytes: FILE, maxRequestBytes: REQUEST });
  });
  afterAll(() => service.stop());

  it('holds a file of the largest size, and none of a byte more', async () => {
    const answers = await Promise.all([FILE, FILE + 1].map((size) => post('/upload', [{ content: 'x'.repeat(size) }])));

    expect(answers[0]).toBeAnswered(200);
    expect(answers[1]).toBeRefused(413, 'PAYLOAD_TOO_LARGE');
    expect(service.files).toEqual([]);
  });

  it('is refused by the length it promises before a byte is read', async () => {
    const { filesMade } = service;

    const { statuses, text } = await sendRaw(service.url, head(REQUEST + 1));

    expect(statuses).toEqual([413]);
    expect(text).toContain('"code":"PAYLOAD_TOO_LARGE"');
    expect(text).toMatch(/^connection: close\r$/im);
    expect(service.filesMade).toBe(filesMade);
  });

  it('is counted where it promises no length', async () => {
    // What stands in front of the first boundary is no file.
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

  it('is told that it is too large while it is still being sent, and cut off', async () => {
    const socket = await begin(head('chunked'), chunk(multipart({ content: 'x'.repeat(FILE + 1) })));
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    const more = setInterval(() => socket.write(chunk(Buffer.alloc(1000))), 5);

    // Not `once`, which fails where a piece is written to what was cut off a moment ago.
    await new Promise((resolve) => socket.on('close', resolve));

    clearInterval(more);
    expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 413 /);
    expect(service.files).toEqual([]);
  });
});

describe('H5: a client that is silent in the middle of an upload', () => {
  beforeAll(async () => {
    service = await startUploadService(
      {},
      Object.assign(new EmbeddedProperties(), { connectionTimeout: Duration.ofSeconds(1) }),
    );
  });
  afterAll(() => service.stop());

  it.each(['with a length', 'in chunks'])('%s gets a 408, and its connection and its file are gone', async (how) => {
    const body = multipart({ content: 'x'.repeat(1000) });
    const half = body.subarray(0, 500);

    const { statuses } = await (how === 'in chunks'
      ? sendRaw(service.url, head('chunked'), chunk(half))
      : sendRaw(service.url, head(body.length), half));

    expect(statuses).toEqual([408]);
    await waitUntil('the file is gone', () => service.files.length === 0);
    expect(service.complaints).toEqual([]);
  });

  it('is not one that sends slowly', async () => {
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

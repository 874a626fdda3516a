import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { receive, type ReceivedFile, type TextDemand, type UploadLimits } from './receive.js';

const FOLDER = temporaryFolder('receive');
const BOUNDARY = 'xXxXx';
const UNLIMITED: UploadLimits = { maxFileBytes: Infinity, maxRequestBytes: Infinity, maxMillis: Infinity };
const NEVER = new AbortController().signal;
let files = 0;

interface Outcome {
  readonly received: ReceivedFile;
  readonly content: Buffer;
}

interface Options {
  readonly contentType?: string;
  readonly silenceMillis?: number;
  readonly demand?: TextDemand;
}

async function outcomeOf(
  pieces: Readable | readonly (string | Uint8Array)[],
  limits: Partial<UploadLimits> = {},
  { contentType = `multipart/form-data; boundary=${BOUNDARY}`, silenceMillis = 60_000, demand }: Options = {},
): Promise<Outcome> {
  files += 1;
  const path = join(FOLDER, String(files));
  const target = await open(path, 'wx');
  const stream = pieces instanceof Readable ? pieces : Readable.from(pieces.map((piece) => Buffer.from(piece)));
  const onLate = (): Readable => stream.destroy();
  const body = { stream, contentType, silenceMillis, onLate, stop: NEVER, ...(demand && { demand }) };
  try {
    const received = await receive(body, 'file', target, { ...UNLIMITED, ...limits });
    return { received, content: await readFile(path) };
  } finally {
    await target.close();
  }
}

async function rejectionOf(...given: Parameters<typeof outcomeOf>): Promise<unknown> {
  const failure: unknown = await outcomeOf(...given).catch((error: unknown) => error);
  if (!(failure instanceof ServiceError)) throw new Error('no rejection', { cause: failure });
  return { code: failure.code, errors: failure.facts.errors };
}

function part(head: string, content: string | Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
}

function filePart(content: string | Uint8Array, name = 'people.csv', more = ''): Buffer {
  return part(`Content-Disposition: form-data; name="file"; filename="${name}"${more}`, content);
}

const END = `--${BOUNDARY}--\r\n`;
const invalid = (field: string, code: string): object => ({ code: 'VALIDATION_FAILED', errors: [{ field, code }] });
const MALFORMED = invalid('', 'format');
const TOO_LARGE = { code: 'PAYLOAD_TOO_LARGE', errors: undefined };

describe('an upload', () => {
  it('is stored byte for byte, in whatever chunks it arrives', async () => {
    const cases = fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(400), { maxLength: 8 }));

    await fc.assert(
      fc.asyncProperty(cases, async ([content, cuts]) => {
        const body = Buffer.concat([filePart(content), Buffer.from(END)]);
        const at = [0, ...cuts.toSorted((one, other) => one - other), body.length];

        const { content: written, received } = await outcomeOf(
          at.slice(1).map((until, index) => body.subarray(at[index], until)),
        );

        expect(written).toEqual(Buffer.from(content));
        expect(received.size).toBe(content.length);
      }),
    );
  });

  it('has the name and the media type of its part', async () => {
    const { received } = await outcomeOf([
      filePart('a', 'people.csv', '\r\nContent-Type: Text/CSV; charset=utf-8'),
      END,
    ]);

    expect(received).toEqual({ name: 'people.csv', mediaType: 'text/csv', size: 1 });
  });

  it('may lack a file name', async () => {
    const head = 'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream';

    const { received } = await outcomeOf([part(head, 'a'), END]);

    expect(received).toEqual({ name: '', mediaType: 'application/octet-stream', size: 1 });
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\users\\\\people.csv', 'people.csv'],
    ['..', ''],
    ['__proto__', '__proto__'],
    ['a\0b', 'a\0b'],
    ['jürgen.csv', 'jürgen.csv'],
    ['x'.repeat(1000), 'x'.repeat(255)],
  ])('has only the base name if its file name is %j', async (sent, name) => {
    const { received } = await outcomeOf([filePart('a', sent), END]);

    expect(received.name).toBe(name);
  });

  it('is accepted up to exactly the size limits', async () => {
    const body = Buffer.concat([filePart('x'.repeat(1000)), Buffer.from(END)]);
    const limits = { maxFileBytes: 1000, maxRequestBytes: body.length };

    expect((await outcomeOf([body], limits)).received.size).toBe(1000);
    expect(await rejectionOf([body], { ...limits, maxFileBytes: 999 })).toEqual(TOO_LARGE);
    expect(await rejectionOf([body], { ...limits, maxRequestBytes: body.length - 1 })).toEqual(TOO_LARGE);
  });

  it('is rejected as soon as the file is too large, before its end is received', async () => {
    const endless = Readable.from(
      (function* () {
        yield filePart('');
        for (;;) yield Buffer.alloc(1000);
      })(),
    );

    expect(await rejectionOf(endless, { maxFileBytes: 50_000 })).toEqual(TOO_LARGE);
  });

  it.each([
    ['an empty body', [], invalid('file', 'required')],
    ['no part', [END], invalid('file', 'required')],
    [
      'another file',
      [part('Content-Disposition: form-data; name="photo"; filename="a"', 'x'), END],
      invalid('photo', 'unknown'),
    ],
    ['two files', [filePart('a'), filePart('b'), END], invalid('file', 'unknown')],
    ['a text of that name', [part('Content-Disposition: form-data; name="file"', 'x'), END], invalid('file', 'type')],
    [
      'a text besides',
      [filePart('a'), part('Content-Disposition: form-data; name="note"', 'x'), END],
      invalid('note', 'unknown'),
    ],
    [
      'the prototype as a name',
      [part('Content-Disposition: form-data; name="__proto__"', 'x'), END],
      invalid('__proto__', 'unknown'),
    ],
    [
      'the prototype as a file',
      [part('Content-Disposition: form-data; name="__proto__"; filename="a"', 'x'), END],
      invalid('__proto__', 'unknown'),
    ],
    [
      'a NUL in the name',
      [part('Content-Disposition: form-data; name="fi\0le"; filename="a"', 'x'), END],
      invalid('fi\0le', 'unknown'),
    ],
    [
      'a name without end',
      [part(`Content-Disposition: form-data; name="${'n'.repeat(500)}"`, 'x'), END],
      invalid('n'.repeat(64), 'unknown'),
    ],
    ['a part without a name', [part('Content-Type: text/plain', 'x'), END], invalid('file', 'required')],
    ['a text without a name', [part('Content-Disposition: form-data', 'x'), END], invalid('', 'unknown')],
    ['a file without a name', [part('Content-Disposition: form-data; filename="a"', 'x'), END], invalid('', 'unknown')],
    ['parts without end', Array.from({ length: 100 }, () => part('Content-Type: text/plain', 'x')), MALFORMED],
    ['headers without end', [part(`X-A: ${'x'.repeat(100_000)}`, 'x'), END], invalid('file', 'required')],
    ['a cut-off file', [filePart('half').subarray(0, -4)], MALFORMED],
    ['a cut-off head', [filePart('half').subarray(0, 40)], MALFORMED],
    ['no boundary in it', ['login_id\nanna\n'], MALFORMED],
    ['another boundary', ['--other\r\n\r\nx\r\n--other--\r\n'], MALFORMED],
  ])('is rejected if it has %s', async (_, pieces, rejection) => {
    expect(await rejectionOf(pieces)).toEqual(rejection);
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
    'multipart/form-data; charset=utf-8',
    'multipart/form-data; note="; boundary=xXxXx; "',
  ])('is rejected if its media type is %s', async (contentType) => {
    expect(await rejectionOf([filePart('a'), END], {}, { contentType })).toEqual(MALFORMED);
  });

  describe('an upload with a demanded text', () => {
    const textPart = (value: string, name = 'token'): Buffer =>
      part(`Content-Disposition: form-data; name="${name}"`, value);
    const demand: TextDemand = {
      names: ['token'],
      verify: (texts) => {
        if (texts.get('token') !== 'good') throw new ServiceError('CROSS_SITE');
      },
    };
    const CROSS_SITE = { code: 'CROSS_SITE', errors: undefined };

    it('is stored if the text precedes the file and is accepted', async () => {
      const { content } = await outcomeOf([textPart('good'), filePart('a'), END], {}, { demand });

      expect(content.toString()).toBe('a');
    });

    it.each([
      ['without the text', [filePart('a'), END], CROSS_SITE],
      ['with another value', [textPart('bad'), filePart('a'), END], CROSS_SITE],
      ['with an empty value', [textPart(''), filePart('a'), END], CROSS_SITE],
      ['with the text behind the file', [filePart('a'), textPart('good'), END], CROSS_SITE],
      ['with the text twice', [textPart('bad'), textPart('good'), filePart('a'), END], invalid('token', 'format')],
      ['with a long text', [textPart('good'.repeat(100)), filePart('a'), END], invalid('token', 'format')],
      ['with another text', [textPart('good', 'note'), filePart('a'), END], invalid('note', 'unknown')],
      [
        'with the text as a file',
        [part('Content-Disposition: form-data; name="token"; filename="a"', 'good'), END],
        invalid('token', 'unknown'),
      ],
      ['with the text alone', [textPart('good'), END], invalid('file', 'required')],
    ])('S5: %s is rejected', async (_, pieces, rejection) => {
      expect(await rejectionOf(pieces, {}, { demand })).toEqual(rejection);
    });

    it('S5: is rejected before the rest of its file arrives, and nothing of it is written', async () => {
      const endless = Readable.from(
        (function* () {
          yield filePart('x'.repeat(1000));
          for (;;) yield Buffer.alloc(1000);
        })(),
      );
      const path = join(FOLDER, 'unwritten');
      const target = await open(path, 'wx');
      const contentType = `multipart/form-data; boundary=${BOUNDARY}`;
      const body = {
        stream: endless,
        contentType,
        silenceMillis: 60_000,
        onLate: () => undefined,
        stop: NEVER,
        demand,
      };

      await expect(receive(body, 'file', target, UNLIMITED)).rejects.toMatchObject({ code: 'CROSS_SITE' });

      await target.close();
      expect(await readFile(path)).toHaveLength(0);
    });
  });

  it('is aborted if no byte arrives within the permitted silence', async () => {
    const silent = new Readable({ read: () => undefined });
    silent.push(filePart('half').subarray(0, -4));

    expect(await rejectionOf(silent, {}, { silenceMillis: 20 })).toEqual(MALFORMED);
    expect(silent.destroyed).toBe(true);
  });

  it('leaves the stream open when it is rejected, so that the rest can be discarded', async () => {
    const stream = Readable.from([filePart('x'.repeat(100)), Buffer.from(END)]);

    await rejectionOf(stream, { maxFileBytes: 10 });

    expect(stream.destroyed).toBe(false);
  });

  it('fails with UNAVAILABLE if the disk fails', async () => {
    const target = await open('/dev/full', 'w');
    const stream = Readable.from([filePart('x'.repeat(100)), Buffer.from(END)]);
    const body = {
      stream,
      contentType: `multipart/form-data; boundary=${BOUNDARY}`,
      silenceMillis: 60_000,
      onLate: () => undefined,
      stop: NEVER,
    };

    const received = receive(body, 'file', target, UNLIMITED).finally(() => target.close());

    await expect(received).rejects.toMatchObject({ code: 'UNAVAILABLE', facts: { cause: { code: 'ENOSPC' } } });
  });

  it('H1: is accepted or rejected and always ends, whatever its bytes', async () => {
    const token = fc.constantFrom(
      ...[
        `--${BOUNDARY}`,
        `--${BOUNDARY}--`,
        '\r\n',
        '\r\n\r\n',
        '--',
        '\r',
        '\n',
        ':',
        ';',
        '"',
        '\0',
        'xXxX',
        '\xff',
      ],
    );
    const line = fc.constantFrom(
      'Content-Disposition: form-data; name="file"; filename="a"',
      ...['name="file"', 'filename="a"', "filename*=utf-8''%ff", "name*=x'y'%00", 'name=', 'filename="..\\'].map(
        (parameter) => `Content-Disposition: form-data; ${parameter}`,
      ),
      ...['form-data', 'attachment; name="file"', ''].map((value) => `Content-Disposition: ${value}`),
      ...['text/csv', 'application/octet-stream', 'multipart/mixed; boundary=inner', ';;', 'a; charset=utf-16'].map(
        (type) => `Content-Type: ${type}`,
      ),
    );
    const wholePart = fc
      .tuple(fc.array(line, { maxLength: 4 }), fc.string({ maxLength: 20 }))
      .map(([lines, content]) => `--${BOUNDARY}\r\n${lines.join('\r\n')}\r\n\r\n${content}\r\n`);
    const pieces = fc.oneof(token, line, { arbitrary: wholePart, weight: 2 });
    const bodies = fc.tuple(
      fc.array(pieces, { maxLength: 12 }).map((all) => all.concat(END)),
      fc.boolean(),
    );

    await fc.assert(
      fc.asyncProperty(bodies, async ([texts, isWhole]) => {
        const bytes = Buffer.from(texts.join(''), 'latin1');
        const outcome = await outcomeOf(isWhole ? [bytes] : Array.from(bytes, (byte) => Uint8Array.of(byte))).catch(
          (error: unknown) => error,
        );

        expect(outcome instanceof ServiceError ? outcome.code : outcome).toSatisfy(
          (end) => end === 'VALIDATION_FAILED' || 'received' in (end as object),
        );
      }),
      { numRuns: 300 },
    );
  });
});

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable, Transform } from 'node:stream';
import { LogFile } from '../observability/logging/logging.module.js';
import { ManagementEndpoint } from './dispatch/management-endpoint.decorator.js';
import { type Endpoint, NOT_FOUND, type Operation, type OperationRequest, type Result } from './dispatch/operation.js';
import { ExternalLogfileProperties } from './management.properties.js';

const TEXT = 'text/plain';
/** Opening a named pipe must not wait for a writer. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;
const UNREADABLE_CODES: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ENXIO', 'ELOOP'];

/** `GET {management_base}/logfile`: the current log file, or a range of its bytes (management API, section 13). */
@ManagementEndpoint()
export class LogfileEndpoint implements Endpoint {
  readonly id = 'logfile';
  readonly requiresMfaToRead = true;

  readonly operations: readonly Operation[] = [
    {
      method: 'GET',
      pathTemplate: '',
      readsHeaders: ['range', 'if-range'],
      produces: [TEXT],
      run: (request) => this.read(request),
    },
  ];

  private readonly path: string | undefined;
  private readonly type: string;

  constructor(logFile: LogFile, { externalFile }: ExternalLogfileProperties) {
    this.path = externalFile ?? logFile.path;
    const charset = externalFile === undefined ? logFile.charset : 'UTF-8';
    this.type = `${TEXT}; charset=${charset.toLowerCase()}`;
  }

  private async read({ headers }: OperationRequest): Promise<Result> {
    const handle = this.path === undefined ? undefined : await openFile(this.path);
    if (!handle) return NOT_FOUND;
    try {
      const found = await handle.stat();
      const result = found.isFile() ? rangeResponse(handle, found.size, this.type, headers) : NOT_FOUND;
      if (!(result.body instanceof Readable)) await handle.close();
      return result;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

/** The response to a request for the file or a part of it; its body is a stream that closes the file at its end. */
function rangeResponse(handle: FileHandle, size: number, type: string, request: OperationRequest['headers']): Result {
  // The response has no validator, so a condition never holds and the whole file is sent.
  const range = request['if-range'] === undefined ? parseRange(request.range, size) : 'whole';
  const headers = { 'content-type': type, 'accept-ranges': 'bytes' };
  if (range === 'beyond') return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } };
  if (size === 0) return { body: '', headers };
  // The length is fixed now: lines appended while the file is sent are not part of the response.
  if (range === 'whole') {
    const body = readBytes(handle, { first: 0, last: size - 1 });
    return { body, headers: { ...headers, 'content-length': String(size) } };
  }
  const { first, last } = range;
  return {
    status: 206,
    body: readBytes(handle, range),
    headers: {
      ...headers,
      'content-length': String(last - first + 1),
      'content-range': `bytes ${first}-${last}/${size}`,
    },
  };
}

/** Fails if the file was truncated while it was sent: the client must not wait for the rest of the announced length. */
function readBytes(handle: FileHandle, { first, last }: ByteRange): Readable {
  let missing = last - first + 1;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      missing -= chunk.length;
      done(null, chunk);
    },
    flush(done) {
      done(missing === 0 ? null : new Error('The file became shorter while it was sent'));
    },
  });
  return pipeline(handle.createReadStream({ start: first, end: last }), counted, () => undefined);
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, FLAGS);
  } catch (error) {
    if (UNREADABLE_CODES.includes((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}

/** Positions of the first and the last byte, counted from 0. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const BYTES = /^bytes=[ \t]*(?<first>\d*)-(?<last>\d*)[ \t]*$/i;

/**
 * Parses a `Range` header (RFC 9110 section 14) for a file of `size` bytes. Other units, several ranges and malformed
 * ranges mean `whole`, as a server may ignore them.
 */
function parseRange(header: string | undefined, size: number): ByteRange | 'whole' | 'beyond' {
  const { first = '', last = '' } = BYTES.exec(header ?? '')?.groups ?? {};
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'beyond' : { first: size - length, last: size - 1 };
  }
  if (last !== '' && Number(last) < Number(first)) return 'whole';
  if (Number(first) >= size) return 'beyond';
  return { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

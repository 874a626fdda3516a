import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable, Transform } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LogFile } from '../logging/file/log-file.js';
import { type Endpoint, NOT_FOUND, type Operation, type OperationRequest, type Result } from './dispatch/operation.js';
import { type ByteRange, parseRange } from './byte-range.js';
import { ExternalLogfileProperties } from './management.properties.js';

const TEXT = 'text/plain';
/** Never waits for a writer where somebody put a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;
const UNREADABLE_CODES: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ENXIO', 'ELOOP'];

/** `GET {management_base}/logfile`: the present file of the log, or a range of its bytes (management API, section 13). */
@Injectable()
export class LogfileEndpoint implements Endpoint {
  readonly id = 'logfile';
  readonly requiresOtpToRead = true;

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

/** With a stream for a body, which closes the file at its end. */
function rangeResponse(handle: FileHandle, size: number, type: string, asked: OperationRequest['headers']): Result {
  // Files have no validator here that a condition could hold for.
  const range = asked['if-range'] === undefined ? parseRange(asked.range, size) : 'whole';
  const headers = { 'content-type': type, 'accept-ranges': 'bytes' };
  if (range === 'beyond') return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } };
  if (size === 0) return { body: '', headers };
  // Lines that come meanwhile belong to the next answer.
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

/** Fails where the file became shorter meanwhile: whoever was promised more must be cut off, and not kept waiting. */
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

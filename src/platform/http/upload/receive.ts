import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import { ServiceError } from '../../../kernel/errors/service-error.js';

/** Limit of parts, including parts without a name. */
const MAX_PARTS = 8;
const MAX_PART_HEADERS = 16;
const MAX_PART_HEADERS_LENGTH = 8 * 1024;
/** The boundary parameter; RFC 2046 section 5.1.1 allows 70 characters. */
const BOUNDARY = /;\s*boundary\s*=\s*(?:"[^"\\]{1,70}"|[^\s;"]{1,70})\s*(?:;|$)/i;
/** Maximum length of a part name in the response. */
const MAX_FIELD_LENGTH = 64;
const MAX_NAME_LENGTH = 255;
/** Limit of a text before the file, in bytes; a form token has less than 80. */
const MAX_TEXT_BYTES = 256;

/** Size limits. */
export interface UploadLimits {
  /** Limit of the file; Infinity for no limit. */
  readonly maxFileBytes: number;
  /** Limit of the whole body; Infinity for no limit. */
  readonly maxRequestBytes: number;
  /** Longest time in which the whole body must arrive; Infinity for no limit. */
  readonly maxMillis: number;
}

/** Texts that precede the file of a body, such as a form token. */
export interface TextDemand {
  readonly names: readonly string[];
  /** Verifies the texts before anything of the file is written. @throws ServiceError to reject the body */
  readonly verify: (texts: ReadonlyMap<string, string>) => void;
}

/** The incoming body of an upload. */
export interface IncomingBody {
  readonly stream: Readable;
  /** `multipart/form-data` with its boundary. */
  readonly contentType: string;
  /** Maximum time without a byte. */
  readonly silenceMillis: number;
  /** Called after such a silence or at the end of the permitted time; aborts `stop` and ends the stream. */
  readonly onLate: () => void;
  /** Ends the reading with its reason when it is aborted. */
  readonly stop: AbortSignal;
  /** Demand for texts before the file; without it, the body must not contain any. */
  readonly demand?: TextDemand;
}

export interface ReceivedFile {
  /** File name as sent, without folders; never used in a path. */
  readonly name: string;
  /** Media type of the part, in lower case and without parameters. */
  readonly mediaType: string;
  /** Size in bytes. */
  readonly size: number;
}

/**
 * Reads a whole `multipart/form-data` body (RFC 7578) that must consist of the demanded texts and one file named `field`,
 * and writes the file. An invalid part ends the reading at once; the rest of the body is left to the error response.
 * @throws ServiceError `VALIDATION_FAILED`, `PAYLOAD_TOO_LARGE`; `UNAVAILABLE` if the file cannot be written
 */
export async function receive(
  body: IncomingBody,
  field: string,
  target: FileHandle,
  limits: UploadLimits,
): Promise<ReceivedFile> {
  const parser = await parserOf(body, limits);
  const reception = new Reception(parser, field, target, body.demand);
  let isTaking = false;
  const silence = setTimeout(() => {
    // A slow disk must not count as silence of the client.
    if (!isTaking) body.onLate();
  }, body.silenceMillis);
  const deadline = Number.isFinite(limits.maxMillis) ? setTimeout(body.onLate, limits.maxMillis) : undefined;
  let size = 0;
  try {
    // Not `pipe`: a listener that lets the body flow elsewhere must not bypass the disk, and the connection must
    // outlive an error.
    for await (const chunk of body.stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      isTaking = true;
      body.stop.throwIfAborted();
      size += chunk.length;
      if (size > limits.maxRequestBytes) throw new ServiceError('PAYLOAD_TOO_LARGE', { reason: 'upload request' });
      await reception.take(chunk);
      isTaking = false;
      silence.refresh();
    }
    clearTimeout(silence);
    clearTimeout(deadline);
    body.stop.throwIfAborted();
    if (size === 0) throw rejection(field, 'required');
    return await reception.end();
  } catch (error) {
    reception.fail(body.stop.aborted ? body.stop.reason : error);
    throw reception.failure;
  } finally {
    clearTimeout(silence);
    clearTimeout(deadline);
    await reception.settled();
  }
}

/** Checks the parts of one body; the first error is reported. */
class Reception {
  private readonly stop = new AbortController();
  private readonly finished: Promise<unknown>;
  private file: { readonly stream: BusboyFileStream; readonly name: string; readonly mediaType: string } | undefined;
  private written: Promise<void> = Promise.resolve();
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly parser: BusboyInstance,
    private readonly field: string,
    private readonly target: FileHandle,
    private readonly demand: TextDemand | undefined,
  ) {
    // The parser may finish before the body ends.
    this.finished = once(parser, 'finish', { signal: this.stop.signal });
    this.finished.catch((error: unknown) => this.fail(error));
    parser.on('error', (error) => this.fail(error));
    parser.on('partsLimit', () => this.fail(rejection('', 'format')));
    parser.on('field', (name, value, isNameCut, isValueCut) => this.takeText(name, value, isNameCut || isValueCut));
    parser.on('file', (name, stream, fileName, _encoding, mediaType) => this.begin(name, stream, fileName, mediaType));
  }

  get failure(): ServiceError {
    return this.stop.signal.reason as ServiceError;
  }

  fail(error: unknown): void {
    this.stop.abort(error instanceof ServiceError ? error : rejection('', 'format', error));
    this.file?.stream.destroy();
  }

  async take(chunk: Buffer): Promise<void> {
    const isReady = this.parser.write(chunk);
    this.stop.signal.throwIfAborted();
    if (!isReady) await once(this.parser, 'drain', { signal: this.stop.signal });
  }

  async end(): Promise<ReceivedFile> {
    this.parser.end();
    await this.finished;
    await this.written;
    this.stop.signal.throwIfAborted();
    if (!this.file) throw rejection(this.field, 'required');
    const { stream, name, mediaType } = this.file;
    return { name, mediaType, size: stream.bytesRead };
  }

  /** Resolves when writing has stopped. */
  settled(): Promise<void> {
    return this.written;
  }

  private takeText(name: string | undefined, value: string, isCut: boolean): void {
    if (name === undefined || !this.demand?.names.includes(name)) {
      this.fail(rejection(name, name === this.field ? 'type' : 'unknown'));
    }
    // A text behind the file comes too late to decide about it.
    else if (isCut || this.file || this.texts.has(name)) this.fail(rejection(name, 'format'));
    else this.texts.set(name, value);
  }

  /** Begins the part with the file. Names may be missing, contrary to the types of the parser. */
  private begin(
    name: string | undefined,
    stream: BusboyFileStream,
    fileName: string | undefined,
    mediaType: string,
  ): void {
    const error = name !== this.field || this.file ? rejection(name, 'unknown') : this.rejectionOfTexts();
    if (error !== undefined) {
      stream.on('error', () => undefined).resume();
      this.fail(error);
      return;
    }
    this.file = { stream, name: (fileName ?? '').slice(0, MAX_NAME_LENGTH), mediaType };
    stream.once('limit', () => this.fail(new ServiceError('PAYLOAD_TOO_LARGE', { reason: 'uploaded file' })));
    this.written = this.target.writeFile(stream).catch((error: unknown) => this.fail(writeFailure(error)));
  }

  /** The error of the texts before the file; undefined if they are accepted. */
  private rejectionOfTexts(): unknown {
    try {
      this.demand?.verify(this.texts);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

async function parserOf(
  { contentType, demand }: IncomingBody,
  { maxFileBytes }: UploadLimits,
): Promise<BusboyInstance> {
  if (!BOUNDARY.test(contentType)) throw rejection('', 'format');
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        ...(Number.isFinite(maxFileBytes) && { fileSize: maxFileBytes }),
        fieldSize: demand ? MAX_TEXT_BYTES : 0,
        parts: MAX_PARTS,
        headerPairs: MAX_PART_HEADERS,
        headerSize: MAX_PART_HEADERS_LENGTH,
      },
    });
  } catch (error) {
    // The parser reads the media type more strictly, e.g. a boundary inside quotation marks.
    throw rejection('', 'format', error);
  }
}

/** Error about a part of the body; `cause` is the error of the parser or the connection. */
function rejection(field: string | undefined, code: string, cause?: unknown): ServiceError {
  const errors = [{ field: (field ?? '').slice(0, MAX_FIELD_LENGTH).toWellFormed(), code }];
  return new ServiceError('VALIDATION_FAILED', { errors, cause });
}

function writeFailure(error: unknown): unknown {
  const isOfTheDisk = (error as NodeJS.ErrnoException).syscall !== undefined;
  return isOfTheDisk ? new ServiceError('UNAVAILABLE', { reason: 'upload not stored', cause: error }) : error;
}

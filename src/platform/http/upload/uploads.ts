import { rmSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Slot } from '../admission/admission.js';
import { sendContinue } from '../body/unread-body.js';
import { type IncomingBody, type ReceivedFile, receive, type TextDemand, type UploadLimits } from './receive.js';
import type { UploadFolder } from './upload-folder.js';

/** Interval of the check that the sender may still send. */
const VERIFY_MILLIS = 2000;

export interface UploadOptions extends UploadLimits {
  readonly folder: UploadFolder;
  /** Limit of uploads of one sender at once. */
  readonly maxPerSender: number;
}

/** Sender of an upload. */
interface UploadSender {
  /** Id of the account; its uploads are counted together. */
  readonly subject: string;
  /**
   * Verifies that the sender may send; called while the file arrives and once it has arrived.
   * @throws ServiceError if the upload must end
   */
  verify(): Promise<void>;
}

export interface UploadedFile extends ReceivedFile {
  readonly path: string;
}

/** An upload that has not been read yet. */
export interface IncomingUpload {
  /**
   * Receives the file in the part `field`, without a slot, and passes it to `run`, with one. The file is removed when `run`
   * has ended, also after an error or a disconnect.
   * @throws ServiceError `VALIDATION_FAILED`, `PAYLOAD_TOO_LARGE`, `RATE_LIMITED`, `UNAVAILABLE`; as `sender.verify` does
   */
  use<T>(field: string, sender: UploadSender, run: (file: UploadedFile) => Promise<T>): Promise<T>;
}

/** The functions of the listener that uploads use. */
export interface UploadHost {
  /** Maximum time without a byte. */
  readonly silenceMillis: number;
  /** Responds to a request whose body is not awaited any longer, with 408 unless there is an `error`. */
  readonly respondEarly: (request: FastifyRequest, reply: FastifyReply, error?: ServiceError) => void;
  /** Waits for a slot. @throws ServiceError `UNAVAILABLE` */
  readonly slotFor: (request: FastifyRequest) => Promise<Slot>;
}

const incoming = new WeakMap<object, (reply: FastifyReply) => IncomingUpload>();
const demands = new WeakMap<object, TextDemand>();

/** Files of requests in progress; files of aborted requests would otherwise outlive the process. */
const present = new Set<string>();

/** Error of an upload whose client has already got a 408. */
const LATE = new ServiceError('VALIDATION_FAILED');

const NO_UPLOAD: IncomingUpload = {
  use: (field) => Promise.reject(new ServiceError('VALIDATION_FAILED', { errors: [{ field, code: 'required' }] })),
};

/** The upload of a request; a request without a body has no file. */
export function uploadOf(request: FastifyRequest, reply: FastifyReply): IncomingUpload {
  return incoming.get(request)?.(reply) ?? NO_UPLOAD;
}

/**
 * Demands texts before the file of the upload of a request: nothing of the file is stored unless `verify` accepts them.
 * False if the request, which is that of Fastify, has no upload.
 */
export function demandTexts(request: object, demand: TextDemand): boolean {
  if (!incoming.has(request)) return false;
  demands.set(request, demand);
  return true;
}

/** Accepts `multipart/form-data` if `bodyError` does; nothing is read yet. */
export function registerUploads(fastify: FastifyInstance, options: UploadOptions, host: UploadHost): void {
  const senders = new Senders(options.maxPerSender);
  if (!process.listeners('exit').includes(removePresent)) process.once('exit', removePresent);
  fastify.addContentTypeParser('multipart/form-data', (request, stream, done) => {
    // An unmatched path gets 404, whatever the body.
    if (request.is404) {
      done(null);
      return;
    }
    const { 'content-type': contentType = '' } = request.headers;
    incoming.set(request, (reply) => {
      const stop = new AbortController();
      const end = (error?: ServiceError): void => {
        if (stop.signal.aborted) return;
        stop.abort(error ?? LATE);
        // The response does not end the body, for which the upload waits.
        reply.raw.once('finish', () => stream.destroy());
        host.respondEarly(request, reply, error);
      };
      const demand = demands.get(request);
      const { silenceMillis } = host;
      const body = { stream, contentType, silenceMillis, onLate: end, stop: stop.signal, ...(demand && { demand }) };
      return {
        use: async (field, sender, run) => {
          rejectByLength(request, options);
          return senders.count(sender, () => {
            // While the file arrives, the request does nothing that others could do in its slot.
            request.lifecycle?.releaseSlot();
            sendContinue(request.raw, reply.raw);
            return use({ ...body, field, sender, end, slot: () => host.slotFor(request) }, options, run);
          });
        },
      };
    });
    done(null);
  });
}

function rejectByLength({ headers }: FastifyRequest, { maxRequestBytes }: UploadOptions): void {
  if (Number(headers['content-length'] ?? 0) <= maxRequestBytes) return;
  throw new ServiceError('PAYLOAD_TOO_LARGE', { reason: 'upload request' });
}

/** An upload in progress. */
interface Upload extends IncomingBody {
  readonly field: string;
  readonly sender: UploadSender;
  /** Responds, and ends the reading. */
  readonly end: (error: ServiceError) => void;
  readonly slot: () => Promise<Slot>;
}

async function use<T>(
  upload: Upload,
  { folder, ...limits }: UploadOptions,
  run: (file: UploadedFile) => Promise<T>,
): Promise<T> {
  const path = folder.newFile();
  // The file is opened before the first byte arrives, so that it cannot be created after its removal.
  const target = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw new ServiceError('UNAVAILABLE', { reason: 'upload not stored', cause });
  });
  present.add(path);
  try {
    const received = await receiveFrom(upload, target, limits).finally(() => target.close());
    const slot = await upload.slot();
    try {
      return await run({ path, ...received });
    } finally {
      slot.leave();
    }
  } catch (error) {
    // Another process has removed the file or its folder.
    const isGone = (error as NodeJS.ErrnoException).path === path;
    throw isGone ? new ServiceError('UNAVAILABLE', { reason: 'upload not readable', cause: error }) : error;
  } finally {
    // A file that cannot be removed does not affect the response; removal is retried at shutdown.
    await rm(path, { force: true }).then(
      () => present.delete(path),
      () => undefined,
    );
  }
}

/** Receives the file for as long as its sender may send it. */
async function receiveFrom(upload: Upload, target: FileHandle, limits: UploadLimits): Promise<ReceivedFile> {
  const { field, sender, end } = upload;
  const arrival = new AbortController();
  void verifyUntil(arrival.signal, sender, end);
  const received = await receive(upload, field, target, limits).finally(() => {
    arrival.abort();
  });
  await sender.verify();
  return received;
}

async function verifyUntil(
  arrived: AbortSignal,
  sender: UploadSender,
  end: (error: ServiceError) => void,
): Promise<void> {
  try {
    for (;;) {
      await wait(VERIFY_MILLIS, undefined, { signal: arrived });
      await sender.verify();
    }
  } catch (error) {
    if (arrived.aborted) return;
    end(error instanceof ServiceError ? error : new ServiceError('INTERNAL_ERROR', { cause: error }));
  }
}

/** Counts the uploads of each sender. */
class Senders {
  private readonly uploads = new Map<string, number>();

  constructor(private readonly limit: number) {}

  /** @throws ServiceError `RATE_LIMITED` */
  async count<T>({ subject }: UploadSender, upload: () => Promise<T>): Promise<T> {
    const others = this.uploads.get(subject) ?? 0;
    if (others >= this.limit) {
      throw new ServiceError('RATE_LIMITED', { reason: 'uploads of one user', retryAfterSeconds: 10 });
    }
    this.uploads.set(subject, others + 1);
    try {
      return await upload();
    } finally {
      const left = (this.uploads.get(subject) ?? 1) - 1;
      if (left > 0) this.uploads.set(subject, left);
      else this.uploads.delete(subject);
    }
  }
}

function removePresent(): void {
  for (const file of present) {
    try {
      rmSync(file, { force: true });
    } catch {
      // The next startup retries and reports a problem of the folder.
    }
  }
}

import { rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors/service-error.js';
import { sendContinue } from '../body/unread-body.js';
import { type IncomingBody, type ReceivedFile, receive, type TextDemand, type UploadLimits } from './receive.js';
import type { UploadFolder } from './upload-folder.js';

export interface UploadOptions extends UploadLimits {
  readonly folder: UploadFolder;
}

export interface UploadedFile extends ReceivedFile {
  readonly path: string;
}

/** An upload that has not been read yet. */
export interface IncomingUpload {
  /**
   * Receives the file in the part `field` and passes it to `run`. The file is removed when `run` has ended, also after
   * an error or a disconnect.
   * @throws ServiceError `VALIDATION_FAILED`, `PAYLOAD_TOO_LARGE`, `UNAVAILABLE`
   */
  use<T>(field: string, run: (file: UploadedFile) => Promise<T>): Promise<T>;
}

/** Handling of a client that stops sending. */
export interface SilentClients {
  /** Maximum time without a byte. */
  readonly limitMillis: number;
  /** Responds to the request. */
  readonly onSilent: (request: FastifyRequest, reply: FastifyReply) => void;
}

const incoming = new WeakMap<object, (reply: FastifyReply) => IncomingUpload>();
const demands = new WeakMap<object, TextDemand>();

/** Files of requests in progress; files of aborted requests would otherwise outlive the process. */
const present = new Set<string>();

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
export function registerUploads(fastify: FastifyInstance, options: UploadOptions, silent: SilentClients): void {
  if (!process.listeners('exit').includes(removePresent)) process.once('exit', removePresent);
  fastify.addContentTypeParser('multipart/form-data', (request, stream, done) => {
    // An unmatched path gets 404, whatever the body.
    if (request.is404) {
      done(null);
      return;
    }
    const { 'content-type': contentType = '' } = request.headers;
    incoming.set(request, (reply) => {
      const onSilence = (): void => {
        // The response does not end the body, for which the upload waits.
        reply.raw.once('finish', () => stream.destroy());
        silent.onSilent(request, reply);
      };
      const demand = demands.get(request);
      const body = { stream, contentType, silenceMillis: silent.limitMillis, onSilence, ...(demand && { demand }) };
      return {
        use: async (field, run) => {
          refuseByLength(request, options);
          sendContinue(request.raw, reply.raw);
          return use(body, field, options, run);
        },
      };
    });
    done(null);
  });
}

function refuseByLength({ headers }: FastifyRequest, { maxRequestBytes }: UploadOptions): void {
  if (Number(headers['content-length'] ?? 0) <= maxRequestBytes) return;
  throw new ServiceError('PAYLOAD_TOO_LARGE', { reason: 'upload request' });
}

async function use<T>(
  body: IncomingBody,
  field: string,
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
    const received = await receive(body, field, target, limits).finally(() => target.close());
    return await run({ path, ...received });
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

function removePresent(): void {
  for (const file of present) {
    try {
      rmSync(file, { force: true });
    } catch {
      // The next startup retries and reports a problem of the folder.
    }
  }
}

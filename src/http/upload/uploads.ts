import { rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors/service-error.js';
import { sendContinue } from '../body/unread-body.js';
import { type IncomingBody, type ReceivedFile, receive, type UploadLimits } from './receive.js';
import type { UploadFolder } from './upload-folder.js';

export interface UploadOptions extends UploadLimits {
  readonly folder: UploadFolder;
}

export interface UploadedFile extends ReceivedFile {
  readonly path: string;
}

/** An upload of which nothing was read so far. */
export interface IncomingUpload {
  /**
   * Receives the whole file that the part `field` holds, and gives it to `run`; when `run` has ended, whatever became of
   * it and of the client, the file is removed.
   * @throws ServiceError `VALIDATION_FAILED`, `PAYLOAD_TOO_LARGE`, `UNAVAILABLE`
   */
  use<T>(field: string, run: (file: UploadedFile) => Promise<T>): Promise<T>;
}

/** What happens where a client stops sending. */
export interface SilentClients {
  /** How long no byte may come. */
  readonly limitMillis: number;
  /** Answers the request. */
  readonly onSilent: (request: FastifyRequest, reply: FastifyReply) => void;
}

const incoming = new WeakMap<FastifyRequest, (reply: FastifyReply) => IncomingUpload>();

/** Files of requests under way; those of requests that are cut off would otherwise outlive the process. */
const present = new Set<string>();

const NO_UPLOAD: IncomingUpload = {
  use: (field) => Promise.reject(new ServiceError('VALIDATION_FAILED', { errors: [{ field, code: 'required' }] })),
};

/** The upload of a request; one without a body holds no file. */
export function uploadOf(request: FastifyRequest, reply: FastifyReply): IncomingUpload {
  return incoming.get(request)?.(reply) ?? NO_UPLOAD;
}

/** Takes `multipart/form-data`, as far as `bodyRefusal` lets it through. Reads nothing yet. */
export function registerUploads(fastify: FastifyInstance, options: UploadOptions, silent: SilentClients): void {
  if (!process.listeners('exit').includes(removePresent)) process.once('exit', removePresent);
  fastify.addContentTypeParser('multipart/form-data', (request, stream, done) => {
    // The path is wrong, whatever the body.
    if (request.is404) {
      done(null);
      return;
    }
    const { 'content-type': contentType = '' } = request.headers;
    incoming.set(request, (reply) => {
      const onSilence = (): void => {
        // The response alone does not end the body, for which the upload waits.
        reply.raw.once('finish', () => stream.destroy());
        silent.onSilent(request, reply);
      };
      const body = { stream, contentType, silenceMillis: silent.limitMillis, onSilence };
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
  // Before the first byte arrives, so that no file can be made after it was removed.
  const target = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw new ServiceError('UNAVAILABLE', { reason: 'upload not stored', cause });
  });
  present.add(path);
  try {
    const received = await receive(body, field, target, limits).finally(() => target.close());
    return await run({ path, ...received });
  } catch (error) {
    // Somebody else has removed it, or its folder, before it was read.
    const isGone = (error as NodeJS.ErrnoException).path === path;
    throw isGone ? new ServiceError('UNAVAILABLE', { reason: 'upload not readable', cause: error }) : error;
  } finally {
    // Its answer is good, whatever the folder does; what stays in the way is tried again at the end.
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
      // The next start tries again, and says what is wrong with the folder.
    }
  }
}

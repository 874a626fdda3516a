import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors/service-error.js';
import { factsOfRoute } from '../route-facts.decorator.js';
import { type ReadBody, readForm, readJson } from './json-body.js';

const FORM = 'application/x-www-form-urlencoded';

/** Largest bodies in bytes; a negative number sets no limit. */
export interface BodyLimits {
  readonly json: number;
  readonly form: number;
}

/** Takes JSON, and forms on the routes that ask for them; every other body is a 415. */
export function readBodies(fastify: FastifyInstance, limits: BodyLimits): void {
  fastify.removeAllContentTypeParsers();
  addReader(fastify, { type: 'application/json', isForm: false, limit: limits.json }, readJson);
  addReader(fastify, { type: FORM, isForm: true, limit: limits.form }, readForm);
}

function addReader(
  fastify: FastifyInstance,
  { type, isForm, limit }: { readonly type: string; readonly isForm: boolean; readonly limit: number },
  read: (body: Buffer) => ReadBody,
): void {
  const bodyLimit = limit < 0 ? Number.MAX_SAFE_INTEGER : limit;
  fastify.addContentTypeParser<Buffer>(type, { parseAs: 'buffer', bodyLimit }, (request, body, done) => {
    // The path is wrong, whatever the body.
    if (request.is404) {
      done(null);
      return;
    }
    if ((factsOfRoute(request).takesForm === true) !== isForm || !isUtf8Stated(request) || isEncoded(request)) {
      done(new ServiceError('UNSUPPORTED_MEDIA_TYPE'));
      return;
    }
    const result = read(body);
    if (result) done(null, result.value);
    else done(new ServiceError('VALIDATION_FAILED'));
  });
}

function isUtf8Stated({ headers }: FastifyRequest): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** Compressed bodies are not taken: a few bytes could stand for gigabytes. */
function isEncoded({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

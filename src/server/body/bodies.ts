import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors/service-error.js';
import type { Charset } from '../json/charset.js';
import { Encoding } from '../json/encoding.js';
import { factsOfRoute } from '../route-facts.decorator.js';
import { type ReadBody, readForm, readJson } from './json-body.js';

const FORM = 'application/x-www-form-urlencoded';

/** Largest bodies in bytes; a negative number sets no limit. */
export interface BodyLimits {
  readonly json: number;
  readonly form: number;
}

interface Reader {
  readonly type: string;
  readonly isForm: boolean;
  readonly limit: number;
  readonly read: (body: Buffer, charset: Charset) => ReadBody;
}

/** Takes JSON, and forms on the routes that ask for them; every other body is a 415. */
export function readBodies(fastify: FastifyInstance, limits: BodyLimits, encoding = new Encoding()): void {
  fastify.removeAllContentTypeParsers();
  addReader(fastify, encoding, { type: 'application/json', isForm: false, limit: limits.json, read: readJson });
  addReader(fastify, encoding, { type: FORM, isForm: true, limit: limits.form, read: readForm });
}

function addReader(fastify: FastifyInstance, encoding: Encoding, { type, isForm, limit, read }: Reader): void {
  const bodyLimit = limit < 0 ? Number.MAX_SAFE_INTEGER : limit;
  fastify.addContentTypeParser<Buffer>(type, { parseAs: 'buffer', bodyLimit }, (request, body, done) => {
    // The path is wrong, whatever the body.
    if (request.is404) {
      done(null);
      return;
    }
    const charset = encoding.ofRequest(request.headers['content-type']);
    const { takesForm = false, takesUpload = false } = factsOfRoute(request);
    if (takesForm !== isForm || takesUpload || charset === undefined || isEncoded(request)) {
      done(new ServiceError('UNSUPPORTED_MEDIA_TYPE'));
      return;
    }
    const result = read(body, charset);
    if (result) done(null, result.value);
    else done(new ServiceError('VALIDATION_FAILED'));
  });
}

/** Compressed bodies are not taken: a few bytes could stand for gigabytes. */
function isEncoded({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

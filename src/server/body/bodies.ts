import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors/service-error.js';
import type { Charset } from '../json/charset.js';
import { Encoding } from '../json/encoding.js';
import { type ReadBody, readForm, readJson } from './json-body.js';

/** Methods whose bodies are read; of all others nobody reads one. */
export const TAKES_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const UPLOAD = 'multipart/form-data';

/** Largest bodies in bytes; a negative number sets no limit. */
export interface BodyLimits {
  readonly json: number;
  readonly form: number;
}

interface Reader {
  readonly type: string;
  readonly limit: number;
  readonly read: (body: Buffer, charset: Charset) => ReadBody;
}

/** Takes JSON and forms, as far as `bodyRefusal` lets them through; every other body is a 415. */
export function readBodies(fastify: FastifyInstance, limits: BodyLimits, encoding = new Encoding()): void {
  fastify.removeAllContentTypeParsers();
  addReader(fastify, encoding, { type: JSON_TYPE, limit: limits.json, read: readJson });
  addReader(fastify, encoding, { type: FORM, limit: limits.form, read: readForm });
}

function addReader(fastify: FastifyInstance, encoding: Encoding, { type, limit, read }: Reader): void {
  const bodyLimit = limit < 0 ? Number.MAX_SAFE_INTEGER : limit;
  fastify.addContentTypeParser<Buffer>(type, { parseAs: 'buffer', bodyLimit }, (request, body, done) => {
    // The path is wrong, whatever the body.
    if (request.is404) {
      done(null);
      return;
    }
    const charset = encoding.ofRequest(request.headers['content-type']);
    if (charset === undefined) {
      done(new ServiceError('UNSUPPORTED_MEDIA_TYPE'));
      return;
    }
    const result = read(body, charset);
    if (result) done(null, result.value);
    else done(new ServiceError('VALIDATION_FAILED'));
  });
}

/** Why a body is not even read: it is not what the route takes, or compressed, and a few bytes stand for gigabytes. */
export function bodyRefusal({ method, headers, is404, passage }: FastifyRequest): ServiceError | undefined {
  const { 'content-type': contentType, 'content-encoding': coding = 'identity' } = headers;
  // Where the path is wrong, it is so whatever the body.
  if (!TAKES_BODY.has(method) || contentType === undefined || is404) return undefined;
  const { takesForm = false, takesUpload = false } = passage?.facts ?? {};
  const taken = takesUpload ? UPLOAD : takesForm ? FORM : JSON_TYPE;
  const isTaken = contentType.replace(/[;\s].*$/s, '').toLowerCase() === taken && coding.toLowerCase() === 'identity';
  return isTaken ? undefined : new ServiceError('UNSUPPORTED_MEDIA_TYPE');
}

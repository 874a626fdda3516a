import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Charset } from '../../../kernel/encoding/charset.js';
import { Encoding } from '../json/encoding.js';
import { BodyMemory } from './body-memory.js';
import { readBody } from './read-body.js';
import type { RouteOptions } from '../route-options.decorator.js';
import { type ReadBody, readForm, readJson } from '../../../kernel/encoding/strict-json.js';

/** Methods whose bodies are read. */
export const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const UPLOAD = 'multipart/form-data';
/** JSON formats with their own media types (RFC 6839 section 3.1); `bodyError` accepts those that the route names. */
const NAMED_JSON = /^application\/[\w.-]+\+json *(?:;|$)/i;

/** Consoles send UTF-8 and do not follow the encoding keys for users of the service. */
const OF_MANAGEMENT = new Encoding();

/** Limits in bytes. */
export interface BodyLimits {
  /** Limit of one JSON body; a negative number means unlimited, here and below. */
  readonly json: number;
  /** Limit of one form. */
  readonly form: number;
  /** Limit of all incomplete bodies together, unless the limit of one body is larger; has a default. */
  readonly memory?: number | undefined;
}

interface Reader {
  readonly type: string | RegExp;
  readonly limit: number;
  readonly memory: BodyMemory;
  readonly read: (body: Buffer, charset: Charset) => ReadBody;
}

/** Parses JSON and forms that `bodyError` accepts; every other body gets 415. */
export function registerBodyParsers(fastify: FastifyInstance, limits: BodyLimits, encoding = new Encoding()): void {
  fastify.removeAllContentTypeParsers();
  const memory = new BodyMemory(Math.max(limits.json, limits.form), limits.memory);
  for (const type of [JSON_TYPE, NAMED_JSON]) {
    addReader(fastify, encoding, { type, limit: limits.json, memory, read: readJson });
  }
  addReader(fastify, encoding, { type: FORM, limit: limits.form, memory, read: readForm });
}

function addReader(fastify: FastifyInstance, encoding: Encoding, { type, memory, read, ...reader }: Reader): void {
  const limits = { limit: reader.limit < 0 ? memory.limit : reader.limit, memory };
  fastify.addContentTypeParser(type, (request, stream, done) => {
    // An unmatched path gets 404, whatever the body.
    if (request.is404) {
      done(null);
      return;
    }
    const { isManagement = false } = request.lifecycle?.routeOptions ?? {};
    const charset = (isManagement ? OF_MANAGEMENT : encoding).ofRequest(request.headers['content-type']);
    if (charset === undefined) {
      done(new ServiceError('UNSUPPORTED_MEDIA_TYPE'));
      return;
    }
    readBody(stream, request.headers['content-length'], limits, (rejection, body) => {
      const result = rejection ? undefined : read(body, charset);
      if (result) done(null, result.value);
      else done(rejection ?? new ServiceError('VALIDATION_FAILED'));
    });
  });
}

/** The media types that a route accepts as its body. */
export function acceptedTypes({ takesForm = false, takesUpload = false, jsonTypes }: RouteOptions): readonly string[] {
  if (takesUpload) return [UPLOAD];
  return takesForm ? [FORM] : (jsonTypes ?? [JSON_TYPE]);
}

/**
 * Rejects a body before it is read: the wrong media type, or compressed, since a few bytes could expand to gigabytes.
 */
export function bodyError({ method, headers, is404, lifecycle }: FastifyRequest): ServiceError | undefined {
  const { 'content-type': contentType, 'content-encoding': coding = 'identity' } = headers;
  // An unmatched path gets 404, whatever the body.
  if (!METHODS_WITH_BODY.has(method) || contentType === undefined || is404) return undefined;
  const type = contentType.replace(/[;\s].*$/s, '').toLowerCase();
  const isTaken = acceptedTypes(lifecycle?.routeOptions ?? {}).includes(type) && coding.toLowerCase() === 'identity';
  return isTaken ? undefined : new ServiceError('UNSUPPORTED_MEDIA_TYPE');
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors/service-error.js';
import type { Charset } from '../../encoding/charset.js';
import { Encoding } from '../json/encoding.js';
import { BodyMemory } from './body-memory.js';
import { readBody } from './read-body.js';
import type { RouteOptions } from '../route-options.decorator.js';
import { type ReadBody, readForm, readJson } from '../../encoding/strict-json.js';

/** Methods whose bodies are read; of all others nobody reads one. */
export const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const UPLOAD = 'multipart/form-data';
/** Formats of JSON with names of their own (RFC 6839 section 3.1); `bodyRefusal` lets through what a route names. */
const NAMED_JSON = /^application\/[\w.-]+\+json *(?:;|$)/i;

/** Consoles send UTF-8 whatever the users of the service do, and follow none of its keys. */
const OF_MANAGEMENT = new Encoding();

/** In bytes. */
export interface BodyLimits {
  /** Of one JSON body; a negative number sets no limit of its own, here as below. */
  readonly json: number;
  /** Of one form. */
  readonly form: number;
  /** Of all bodies together that are not whole yet, unless one alone may be larger; left out for the default. */
  readonly memory?: number | undefined;
}

interface Reader {
  readonly type: string | RegExp;
  readonly limit: number;
  readonly memory: BodyMemory;
  readonly read: (body: Buffer, charset: Charset) => ReadBody;
}

/** Takes JSON and forms, as far as `bodyRefusal` lets them through; every other body is a 415. */
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
    // The path is wrong, whatever the body.
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
    readBody(stream, request.headers['content-length'], limits, (refusal, body) => {
      const result = refusal ? undefined : read(body, charset);
      if (result) done(null, result.value);
      else done(refusal ?? new ServiceError('VALIDATION_FAILED'));
    });
  });
}

/** The media types of the bodies that a route takes. */
export function acceptedTypes({ takesForm = false, takesUpload = false, jsonTypes }: RouteOptions): readonly string[] {
  if (takesUpload) return [UPLOAD];
  return takesForm ? [FORM] : (jsonTypes ?? [JSON_TYPE]);
}

/** Why a body is not even read: it is not what the route takes, or compressed, and a few bytes stand for gigabytes. */
export function bodyError({ method, headers, is404, lifecycle }: FastifyRequest): ServiceError | undefined {
  const { 'content-type': contentType, 'content-encoding': coding = 'identity' } = headers;
  // Where the path is wrong, it is so whatever the body.
  if (!METHODS_WITH_BODY.has(method) || contentType === undefined || is404) return undefined;
  const type = contentType.replace(/[;\s].*$/s, '').toLowerCase();
  const isTaken = acceptedTypes(lifecycle?.routeOptions ?? {}).includes(type) && coding.toLowerCase() === 'identity';
  return isTaken ? undefined : new ServiceError('UNSUPPORTED_MEDIA_TYPE');
}

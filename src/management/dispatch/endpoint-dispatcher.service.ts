import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import type { ListenerResponse, PlainRequest } from '../../http/listener.js';
import type { Operator } from '../access/operator.js';
import { ManagementAuthenticator, type AccessRequirements } from '../access/management-authenticator.service.js';
import { JSON_TYPES } from './media-types.js';
import type { Operation, OperationRequest, Result } from './operation.js';
import { ResponseCache } from './response-cache.js';
import { discoveryBody, discoveryType } from './discovery.js';
import { readFlatBody } from './flat-body.js';
import { isJsonValue, isStream, jsonText } from './bodies.js';
import { negotiate } from './negotiation.js';
import type { ExposedEndpoint } from './exposed-endpoint.js';

type Handler = (request: PlainRequest) => Promise<ListenerResponse>;

/** Turns requests into those of operations, and their results into answers (management API, section 1). */
@Injectable()
export class EndpointDispatcher {
  constructor(
    private readonly callers: ManagementAuthenticator,
    private readonly clock: Clock,
  ) {}

  /** Checks what a caller sends in an order that tells strangers nothing of the operation. */
  handlerFor({ timeToLiveMillis, ...offer }: ExposedEndpoint, operation: Operation): Handler {
    const isCached = timeToLiveMillis > 0 && operation.method === 'GET' && operation.pathTemplate === '';
    const cache = isCached ? new ResponseCache(this.clock, timeToLiveMillis) : undefined;
    const { produces = JSON_TYPES, isAnonymous = false } = operation;
    const demands = requirementsOf(offer, operation);
    const looksUp = !(demands.isPublic && isAnonymous);
    return async (request) => {
      rejectCrossSite(request, operation);
      const operator = looksUp ? await this.callers.authenticate(request.headers.authorization, demands) : undefined;
      if (operation.method === 'POST') requireContentType(request, operation);
      const mediaType = produces.length === 0 ? '' : negotiate(request.headers.accept, produces);
      if (mediaType === undefined) throw new ServiceError('NOT_ACCEPTABLE');
      const asked = toOperationRequest(request, operation, operator, mediaType);
      return toResponse(await (cache ? runCached(cache, operation, asked) : operation.run(asked)), mediaType);
    };
  }

  /** The discovery page of what is offered. */
  discoveryHandler(offers: readonly ExposedEndpoint[]): Handler {
    return async ({ url, headers }) => {
      await this.callers.authenticate(headers.authorization, { isPublic: false, needsOtp: false });
      const mediaType = discoveryType(headers.accept);
      if (mediaType === undefined) throw new ServiceError('NOT_ACCEPTABLE');
      return toResponse({ body: discoveryBody(url, offers) }, mediaType);
    };
  }
}

/** Closed by default: only reads can be open, and only reads can do without a second factor. */
function requirementsOf(
  { isPublic, requiresOtpToRead }: Omit<ExposedEndpoint, 'timeToLiveMillis'>,
  { method }: Operation,
): AccessRequirements {
  const isRead = method === 'GET';
  return { isPublic: isPublic && isRead, needsOtp: requiresOtpToRead || !isRead };
}

function takesOneSegment({ pathTemplate }: Operation): boolean {
  return pathTemplate !== '' && !pathTemplate.startsWith('{*');
}

/** `Origin` is not looked at: consoles pass on the one they got. */
function rejectCrossSite({ headers }: PlainRequest, { method }: Operation): void {
  if (method !== 'GET' && headers['sec-fetch-site'] === 'cross-site') throw new ServiceError('CROSS_SITE');
}

/**
 * A page of another site can make a browser post with the credentials it knows, but neither with the media type of JSON,
 * also where there is no body, nor with `X-Requested-With`, which consoles send along with calls that have none.
 */
function requireContentType({ headers }: PlainRequest, { hasNoParameters = false }: Operation): void {
  if (headers['content-type'] !== undefined) return;
  if (hasNoParameters && headers['x-requested-with'] !== undefined) return;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
}

function toOperationRequest(
  { method, url, query, headers, parameter, body }: PlainRequest,
  operation: Operation,
  operator: Operator | undefined,
  mediaType: string,
): OperationRequest {
  // What takes all that is left takes the slash at its end, too; one that stands alone is the second of two.
  const selector = takesOneSegment(operation) ? parameter : parameter.replace(/(?<=.)\/$/, '');
  const members = operation.method === 'GET' ? {} : readFlatBody(body);
  return { selector, query, body: members, operator, wantsBody: method !== 'HEAD', mediaType, url, headers };
}

async function runCached(cache: ResponseCache, operation: Operation, asked: OperationRequest): Promise<Result> {
  const { operator, mediaType, query, headers } = asked;
  // What nobody reads must be no way around the cache: health answers strangers.
  if (operation.queryParameters?.some((name) => query.has(name)) === true) return operation.run(asked);
  const form = [mediaType, ...(operation.readsHeaders ?? []).map((name) => headers[name])];
  const key = JSON.stringify([operator && [operator.name, ...operator.roles], ...form]);
  const known = cache.find(key);
  if (known) return known;
  const result = await operation.run(asked);
  if (!isStream(result.body)) cache.store(key, result);
  return result;
}

function toResponse({ status, body, headers }: Result, mediaType: string): ListenerResponse {
  const usual = status ?? (body === undefined ? 204 : 200);
  if (body === undefined) return { status: usual, ...(headers && { headers }) };
  return {
    status: usual,
    body: isJsonValue(body) ? jsonText(body) : body,
    headers: { ...(mediaType !== '' && { 'content-type': mediaType }), ...headers },
  };
}

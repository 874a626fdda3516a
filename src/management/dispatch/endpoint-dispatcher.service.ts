import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { Clock } from '../../kernel/clock/clock.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { ListenerResponse, PlainRequest } from '../../platform/http/listener.js';
import type { Operator } from '../../kernel/principal/operator.js';
import { type AccessRequirements, ManagementAuthenticator } from '../access/management-authenticator.service.js';
import { JSON_TYPES, negotiate } from './negotiation.js';
import type { ExposedEndpoint, Operation, OperationRequest, Result } from './operation.js';
import { ResponseCache } from './response-cache.js';
import { discoveryBody, discoveryType } from './discovery.js';
import { isJsonValue, isStream, jsonText, readFlatBody } from './bodies.js';

type Handler = (request: PlainRequest) => Promise<ListenerResponse>;

/** Maps requests to operations and their results to responses (management API, section 1). */
@Injectable()
export class EndpointDispatcher {
  constructor(
    private readonly authenticator: ManagementAuthenticator,
    private readonly clock: Clock,
  ) {}

  /** The order of the checks reveals nothing about the operation to unauthenticated callers. */
  handlerFor({ timeToLiveMillis, ...endpoint }: ExposedEndpoint, operation: Operation): Handler {
    const isCached = timeToLiveMillis > 0 && operation.method === 'GET' && operation.pathTemplate === '';
    const cache = isCached ? new ResponseCache(this.clock, timeToLiveMillis) : undefined;
    const { produces = JSON_TYPES, isAnonymous = false } = operation;
    const requirements = requirementsOf(endpoint, operation);
    const needsOperator = !(requirements.isPublic && isAnonymous);
    return async (request) => {
      rejectCrossSite(request, operation);
      const operator = needsOperator
        ? await this.authenticator.authenticate(request.headers.authorization, requirements)
        : undefined;
      if (operation.method === 'POST') requireContentType(request, operation);
      const mediaType = produces.length === 0 ? '' : negotiate(request.headers.accept, produces);
      if (mediaType === undefined) throw new ServiceError('NOT_ACCEPTABLE');
      const input = toOperationRequest(request, operation, operator, mediaType);
      return toResponse(await (cache ? runCached(cache, operation, input) : operation.run(input)), mediaType);
    };
  }

  /** The discovery page with links to the exposed endpoints. */
  discoveryHandler(endpoints: readonly ExposedEndpoint[]): Handler {
    return async ({ url, headers }) => {
      await this.authenticator.authenticate(headers.authorization, { isPublic: false, needsMfa: false });
      const mediaType = discoveryType(headers.accept);
      if (mediaType === undefined) throw new ServiceError('NOT_ACCEPTABLE');
      return toResponse({ body: discoveryBody(url, endpoints) }, mediaType);
    };
  }
}

/** Protects operations by default: only a read can be public, and only a read can do without a second factor. */
function requirementsOf(
  { isPublic, requiresMfaToRead }: Omit<ExposedEndpoint, 'timeToLiveMillis'>,
  { method }: Operation,
): AccessRequirements {
  const isRead = method === 'GET';
  return { isPublic: isPublic && isRead, needsMfa: requiresMfaToRead || !isRead };
}

function takesOneSegment({ pathTemplate }: Operation): boolean {
  return pathTemplate !== '' && !pathTemplate.startsWith('{*');
}

/** `Origin` is not checked, since consoles forward the one they received. */
function rejectCrossSite({ headers }: PlainRequest, { method }: Operation): void {
  if (method !== 'GET' && headers['sec-fetch-site'] === 'cross-site') throw new ServiceError('CROSS_SITE');
}

/**
 * A cross-site page can make a browser send a `POST` with stored credentials, but neither with the media type of JSON
 * nor with `X-Requested-With`, which consoles send with calls that have no body.
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
  // A template such as `{*path}` matches the trailing slash, too; a single slash is an empty segment.
  const selector = takesOneSegment(operation) ? parameter : parameter.replace(/(?<=.)\/$/, '');
  const members = operation.method === 'GET' ? {} : readFlatBody(body);
  return { selector, query, body: members, operator, wantsBody: method !== 'HEAD', mediaType, url, headers };
}

async function runCached(cache: ResponseCache, operation: Operation, request: OperationRequest): Promise<Result> {
  const { operator, mediaType, query, headers } = request;
  // Parameters that no operation reads must not bypass the cache: health is public.
  if (operation.queryParameters?.some((name) => query.has(name)) === true) return operation.run(request);
  const variant = [mediaType, ...(operation.readsHeaders ?? []).map((name) => headers[name])];
  const key = JSON.stringify([operator && [operator.name, ...operator.roles], ...variant]);
  const known = cache.find(key);
  if (known) return known;
  const result = await operation.run(request);
  if (!isStream(result.body)) cache.store(key, result);
  return result;
}

function toResponse({ status, body, headers }: Result, mediaType: string): ListenerResponse {
  const code = status ?? (body === undefined ? 204 : 200);
  if (body === undefined) return withoutUndefined({ status: code, headers });
  return {
    status: code,
    body: isJsonValue(body) ? jsonText(body) : body,
    headers: { ...(mediaType !== '' && { 'content-type': mediaType }), ...headers },
  };
}

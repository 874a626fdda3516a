import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import type { Answer, PlainRequest } from '../../http/listener.js';
import type { Caller } from '../access/operator.js';
import { Callers, type Demands } from '../access/management-authenticator.service.js';
import { JSON_TYPES } from './media-types.js';
import type { Operation, OperationRequest, Result } from './operation.js';
import { AnswerCache } from './response-cache.js';
import { discoveryOf, discoveryType } from './discovery.js';
import { flatBody } from './flat-body.js';
import { isJson, isStream, jsonText } from './bodies.js';
import { chosenType } from './negotiation.js';
import type { Offer } from './exposed-endpoint.js';

type Respond = (request: PlainRequest) => Promise<Answer>;

/** Turns requests into those of operations, and their results into answers (management API, section 1). */
@Injectable()
export class Responder {
  constructor(
    private readonly callers: Callers,
    private readonly clock: Clock,
  ) {}

  /** Checks what a caller sends in an order that tells strangers nothing of the operation. */
  of({ timeToLiveMillis, ...offer }: Offer, operation: Operation): Respond {
    const isCached = timeToLiveMillis > 0 && operation.method === 'GET' && operation.below === '';
    const cache = isCached ? new AnswerCache(this.clock, timeToLiveMillis) : undefined;
    const { produces = JSON_TYPES, asksNobody = false } = operation;
    const demands = demandsOf(offer, operation);
    const looksUp = !(demands.isOpen && asksNobody);
    return async (request) => {
      refuseForeign(request, operation);
      const caller = looksUp ? await this.callers.admit(request.headers.authorization, demands) : undefined;
      if (operation.method === 'POST') demandMediaType(request, operation);
      const mediaType = produces.length === 0 ? '' : chosenType(request.headers.accept, produces);
      if (mediaType === undefined) throw new ServiceError('NOT_ACCEPTABLE');
      const asked = askedOf(request, operation, caller, mediaType);
      return answerOf(await (cache ? cached(cache, operation, asked) : operation.run(asked)), mediaType);
    };
  }

  /** The discovery page of what is offered. */
  ofDiscovery(offers: readonly Offer[]): Respond {
    return async ({ url, headers }) => {
      await this.callers.admit(headers.authorization, { isOpen: false, needsOtp: false });
      const mediaType = discoveryType(headers.accept);
      if (mediaType === undefined) throw new ServiceError('NOT_ACCEPTABLE');
      return answerOf({ body: discoveryOf(url, offers) }, mediaType);
    };
  }
}

/** Closed by default: only reads can be open, and only reads can do without a second factor. */
function demandsOf({ isOpen, readsNeedOtp }: Omit<Offer, 'timeToLiveMillis'>, { method }: Operation): Demands {
  const isRead = method === 'GET';
  return { isOpen: isOpen && isRead, needsOtp: readsNeedOtp || !isRead };
}

function isOneName({ below }: Operation): boolean {
  return below !== '' && !below.startsWith('{*');
}

/** `Origin` is not looked at: consoles pass on the one they got. */
function refuseForeign({ headers }: PlainRequest, { method }: Operation): void {
  if (method !== 'GET' && headers['sec-fetch-site'] === 'cross-site') throw new ServiceError('CROSS_SITE');
}

/**
 * A page of another site can make a browser post with the credentials it knows, but neither with the media type of JSON,
 * also where there is no body, nor with `X-Requested-With`, which consoles send along with calls that have none.
 */
function demandMediaType({ headers }: PlainRequest, { takesNoBody = false }: Operation): void {
  if (headers['content-type'] !== undefined) return;
  if (takesNoBody && headers['x-requested-with'] !== undefined) return;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
}

function askedOf(
  { method, url, query, headers, parameter, body }: PlainRequest,
  operation: Operation,
  caller: Caller | undefined,
  mediaType: string,
): OperationRequest {
  // What takes all that is left takes the slash at its end, too; one that stands alone is the second of two.
  const selector = isOneName(operation) ? parameter : parameter.replace(/(?<=.)\/$/, '');
  const members = operation.method === 'GET' ? {} : flatBody(body);
  return { selector, query, body: members, caller, wantsBody: method !== 'HEAD', mediaType, url, headers };
}

async function cached(cache: AnswerCache, operation: Operation, asked: OperationRequest): Promise<Result> {
  const { caller, mediaType, query, headers } = asked;
  // What nobody reads must be no way around the cache: health answers strangers.
  if (operation.parameters?.some((name) => query.has(name)) === true) return operation.run(asked);
  const form = [mediaType, ...(operation.headers ?? []).map((name) => headers[name])];
  const key = JSON.stringify([caller && [caller.name, ...caller.roles], ...form]);
  const known = cache.find(key);
  if (known) return known;
  const result = await operation.run(asked);
  if (!isStream(result.body)) cache.keep(key, result);
  return result;
}

function answerOf({ status, body, headers }: Result, mediaType: string): Answer {
  const usual = status ?? (body === undefined ? 204 : 200);
  if (body === undefined) return { status: usual, ...(headers && { headers }) };
  return {
    status: usual,
    body: isJson(body) ? jsonText(body) : body,
    headers: { ...(mediaType !== '' && { 'content-type': mediaType }), ...headers },
  };
}

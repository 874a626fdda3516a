import type { IncomingHttpHeaders } from 'node:http';
import type { Operator } from '../../kernel/principal/operator.js';
import type { EndpointId } from '../access/endpoint-ids.js';

/** The value of a member of a flat body. */
export type Scalar = string | number | boolean | null;

/** The input of an operation, free of HTTP apart from the headers that a few operations read. */
export interface OperationRequest {
  /** The decoded variable part of the path; empty if the operation has none. */
  readonly selector: string;
  readonly query: URLSearchParams;
  /** The members of the body; empty without a body. */
  readonly body: Readonly<Record<string, Scalar>>;
  /** Undefined if the caller is not authenticated. */
  readonly operator: Operator | undefined;
  /** False for `HEAD`, so that an operation can skip expensive work. */
  readonly wantsBody: boolean;
  /** The negotiated media type of the response, one of those that the operation produces. */
  readonly mediaType: string;
  /** Scheme, host and path of the request, without query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The output of an operation. */
export interface Result {
  /** 200 if omitted, or 204 if there is no body either. */
  readonly status?: number;
  /** An object is written as JSON; text, bytes and streams are sent as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An unknown name gets 404 with an empty body (management API, "Methods and status codes"). */
export const NOT_FOUND: Result = { status: 404 };

/** One method on one path of an endpoint. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The variable part of the path in the notation of discovery: `{name}` for one segment, `{*path}` for any number. */
  readonly pathTemplate: '' | `{${string}}`;
  /**
   * Media types of the response, the preferred one first; the three JSON types if omitted. An empty list means that the
   * operation has no response body, whatever the caller accepts.
   */
  readonly produces?: readonly string[];
  /** Names of the query parameters that the operation reads; a request with one of them is not cached. */
  readonly queryParameters?: readonly string[];
  /** Names of the headers that the operation reads, in lower case; the cache keeps a response for each value. */
  readonly readsHeaders?: readonly string[];
  /** True if a public operation gives every caller the same response, so that no caller needs to be looked up. */
  readonly isAnonymous?: boolean;
  /** True for a `POST` without parameters: a caller without a body may send `X-Requested-With` in place of a media type. */
  readonly hasNoParameters?: boolean;
  run(request: OperationRequest): Result | Promise<Result>;
}

/** A management endpoint: what it does, without HTTP paths, access rules and the media types of JSON. */
export interface Endpoint {
  /** E.g. `httpexchanges`; the default of its path. */
  readonly id: EndpointId;
  /** True if reads need no credentials, as for probes. Writes always need them. */
  readonly isPublic?: boolean;
  /**
   * True if reads may reveal secrets: an access token then needs a second factor in its `amr`, whatever the MFA policy
   * says. Writes always need it.
   */
  readonly requiresMfaToRead?: boolean;
  readonly operations: readonly Operation[];
}

/** An endpoint that can be called, reduced to the operations that its access permits. */
export interface ExposedEndpoint {
  readonly id: string;
  /** Its part of the path; the id unless `path-mapping` sets another one. */
  readonly segment: string;
  readonly isPublic: boolean;
  readonly requiresMfaToRead: boolean;
  readonly operations: readonly Operation[];
  /** Milliseconds for which responses to reads without parameters are cached. */
  readonly timeToLiveMillis: number;
}

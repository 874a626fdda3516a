import type { IncomingHttpHeaders } from 'node:http';
import type { Operator } from '../access/operator.js';

/** A member of a flat body. */
export type Scalar = string | number | boolean | null;

/** What an operation is asked, free of HTTP but for the headers that a few of them read. */
export interface OperationRequest {
  /** What stands for the free part of the path, decoded; empty where the operation has none. */
  readonly selector: string;
  readonly query: URLSearchParams;
  /** The members of the body; none where there is no body. */
  readonly body: Readonly<Record<string, Scalar>>;
  /** Undefined where nobody has said who asks. */
  readonly operator: Operator | undefined;
  /** False where nobody reads the body of the answer (`HEAD`), so that what is dear need not be done for it. */
  readonly wantsBody: boolean;
  /** The media type the answer will have, one of those that the operation produces. */
  readonly mediaType: string;
  /** Scheme, host and path of the request, without query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** What an operation answers. */
export interface Result {
  /** 200 where it is left out, or 204 where there is no body either. */
  readonly status?: number;
  /** An object is written as JSON; a text, bytes or a stream as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** No such name: 404 with an empty body (management API, "Methods and status codes"). */
export const NOT_FOUND: Result = { status: 404 };

/** One method on one path of an endpoint. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The free part of the path as discovery writes it, `{name}` for one segment, `{*path}` for any; empty for none. */
  readonly pathTemplate: '' | `{${string}}`;
  /**
   * Media types of the answer, the preferred one first; the three JSON types where it is left out. An empty list is that
   * of an operation that answers nothing, whatever its callers accept.
   */
  readonly produces?: readonly string[];
  /** Names of the members of the query that it reads; others ask for nothing. */
  readonly queryParameters?: readonly string[];
  /** Names of the headers that it reads itself, in lower case. */
  readonly readsHeaders?: readonly string[];
  /** Of an open endpoint: says the same to everybody, so that nobody has to be looked up. */
  readonly isAnonymous?: boolean;
  /** A `POST` that has no parameters: callers without a body may then say `X-Requested-With` in place of a media type. */
  readonly hasNoParameters?: boolean;
  run(request: OperationRequest): Result | Promise<Result>;
}

/** A management endpoint: what it does, and nothing about HTTP paths, rights and media types of JSON. */
export interface Endpoint {
  /** E.g. `httpexchanges`; the default of its path. */
  readonly id: string;
  /** True if reads need no credentials, as for probes. Writes always need them. */
  readonly isPublic?: boolean;
  /**
   * True if reads show secrets or what may hold them: a caller by access token then needs `otp` in its `amr`, whatever
   * the MFA policy says. Writes always need it.
   */
  readonly requiresOtpToRead?: boolean;
  readonly operations: readonly Operation[];
}

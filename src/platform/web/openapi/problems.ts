import { type ErrorCode, STATUS } from '../../../kernel/errors/error-code.js';
import { TEXT } from '../../../kernel/errors/error-text.js';
import { PROBLEM_JSON } from '../../http/errors/problem.js';
import type { Content, JsonSchema, Reference, ResponseObject } from './document.js';
import { ANSWER_HEADERS, headers } from './headers.js';

/** Path of shared responses in the document. */
export const RESPONSES = '#/components/responses/';
const PROBLEM_REF = '#/components/schemas/Problem';
const CODES = Object.keys(STATUS) as readonly ErrorCode[];
/** Name of `VALIDATION_FAILED` with status 408, for a body that does not arrive in time. */
export const LATE_BODY = 'LATE_BODY' as const;
/** Name of an error response: its code, except for 408. */
export type DocumentedError = ErrorCode | typeof LATE_BODY;
const text: JsonSchema = { type: 'string' };
const PAGE: Content = { 'text/html': { schema: text } };

/** The body of every error (src/platform/http/errors/problem.ts). */
export const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'Describes why a request was rejected (RFC 9457). Programs branch on `code`.',
  required: ['type', 'title', 'status', 'code', 'timestamp', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: '`code` as a URN.' },
    title: { type: 'string', description: 'The same for every problem of this code.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    instance: { type: 'string', description: 'Path of the request, without its query.' },
    code: {
      type: 'string',
      enum: CODES,
      description: 'From a closed list: codes are added, never renamed or reused.',
    },
    timestamp: { type: 'string', format: 'date-time', description: 'In UTC.' },
    request_id: {
      type: 'string',
      description: '`X-Request-Id` of the response; the log contains the reason under this id.',
    },
    detail: { type: 'string', description: 'Advice for the developer, if the operator enables it.' },
    errors: {
      type: 'array',
      description: 'Invalid members, for `VALIDATION_FAILED`.',
      items: { type: 'object', required: ['field', 'code'], properties: { field: text, code: text } },
    },
    required: {
      type: 'string',
      enum: ['pwd', 'otp', 'passkey', 'mfa'],
      description:
        'What is missing or too old, for `STEP_UP_REQUIRED`: a sign-in (`pwd`), a one-time code (`otp`), a passkey ' +
        '(`passkey`) or any second factor (`mfa`).',
    },
    trace: { type: 'string', description: 'Places in the code, for developers.' },
  },
};

/** Error responses of a route by status, and a default; page routes also send pages. */
export function errorResponses(
  names: Iterable<DocumentedError>,
  isPage: boolean,
): Readonly<Record<string, ResponseObject | Reference>> {
  const byStatus = Map.groupBy(new Set(names), statusOf);
  const known = [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, all]): [string, ResponseObject | Reference] => {
      const [name, ...others] = all;
      const isShared = name !== undefined && others.length === 0 && !isPage;
      return [String(status), isShared ? shared(name) : errorResponse(all, isPage)];
    });
  return { ...Object.fromEntries(known), default: isPage ? anyProblem(isPage) : shared('Problem') };
}

function shared(name: DocumentedError | 'Problem'): Reference {
  return { $ref: `${RESPONSES}${name}` };
}

/** Shared responses: one for each code, and one for all codes. */
export const ERROR_RESPONSES: Readonly<Record<string, ResponseObject>> = {
  ...Object.fromEntries([...CODES, LATE_BODY].map((name) => [name, errorResponse([name])])),
  Problem: anyProblem(),
};

function anyProblem(isPage = false): ResponseObject {
  return {
    description: 'Any other problem.',
    headers: headers(...ANSWER_HEADERS),
    content: { [PROBLEM_JSON]: { schema: { $ref: PROBLEM_REF } }, ...(isPage && PAGE) },
  };
}

function errorResponse(names: readonly DocumentedError[], isPage = false): ResponseObject {
  const statuses = names.map(statusOf);
  const challenge = statuses.includes(401) ? (['WWW-Authenticate'] as const) : [];
  const wait = statuses.includes(429) || statuses.includes(503) ? (['Retry-After'] as const) : [];
  const codes = names.map(codeOf);
  return {
    description: names.map((name) => `\`${codeOf(name)}\`: ${titleOf(name)}.`).join(' '),
    headers: headers(...ANSWER_HEADERS, ...challenge, ...wait),
    content: {
      [PROBLEM_JSON]: { schema: { $ref: PROBLEM_REF, type: 'object', properties: { code: { enum: codes } } } },
      ...(isPage && PAGE),
    },
  };
}

function statusOf(name: DocumentedError): number {
  return name === LATE_BODY ? 408 : STATUS[name];
}

function codeOf(name: DocumentedError): ErrorCode {
  return name === LATE_BODY ? 'VALIDATION_FAILED' : name;
}

function titleOf(name: DocumentedError): string {
  return name === LATE_BODY ? 'The body does not arrive in time' : TEXT[name].title;
}

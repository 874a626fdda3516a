import { DEFAULT_HEADERS } from '../../http/default-headers.js';
import type { HeaderObject, Reference } from './document.js';

/** Version of the interface. */
export const API_VERSION = DEFAULT_HEADERS['api-version'] ?? '1';

/** Response headers that callers can use. */
export const HEADERS = {
  'X-Request-Id': {
    description:
      'Id of the request in the log. An id that was sent is kept if it has 8 to 64 letters, digits, `.`, `_`, `-`.',
    schema: { type: 'string', minLength: 8, maxLength: 64 },
  },
  'Api-Version': { description: 'Version of the interface.', schema: { type: 'string', const: API_VERSION } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
  Location: { description: 'Where the browser is redirected.', schema: { type: 'string', format: 'uri-reference' } },
  'WWW-Authenticate': {
    description: 'The required credentials or login (RFC 9110, RFC 6750, RFC 9470).',
    schema: { type: 'string' },
  },
} as const satisfies Readonly<Record<string, HeaderObject>>;

export const ANSWER_HEADERS = ['X-Request-Id', 'Api-Version'] as const;

export function headers(...names: readonly (keyof typeof HEADERS)[]): Readonly<Record<string, Reference>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

import { expect, it } from 'vitest';
import { rawErrorOf } from './raw-error.js';

it.each([
  ['HPE_HEADER_OVERFLOW', 431, 'PAYLOAD_TOO_LARGE'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413, 'PAYLOAD_TOO_LARGE'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'VALIDATION_FAILED'],
  ['HPE_INVALID_METHOD', 400, 'VALIDATION_FAILED'],
  [undefined, 400, 'VALIDATION_FAILED'],
])('the parser error %s leads to status %i', (error, status, code) => {
  expect(rawErrorOf(error)).toEqual({ status, code });
});

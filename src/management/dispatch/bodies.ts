import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Scalar } from './operation.js';

/** True if the body is written as JSON; text, bytes and streams are sent as they are. */
export function isJsonValue(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return body !== undefined && typeof body !== 'string';
  return !isStream(body) && !ArrayBuffer.isView(body);
}

/** A stream can be read only once, so it is not cached. */
export function isStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && ('pipe' in body || 'getReader' in body);
}

/** JSON without members that are null (management API, "Media types"). */
export function jsonText(body: unknown): string {
  return JSON.stringify(body, (_name, value: unknown) => (value === null ? undefined : value));
}

/**
 * The members of a request body, each of which is a parameter of the operation (management API, "Media types"); empty
 * without a body.
 * @throws ServiceError `VALIDATION_FAILED` for anything but a flat object
 */
export function readFlatBody(body: unknown): Readonly<Record<string, Scalar>> {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw validationError(['']);
  const nested = Object.entries(body).flatMap(([field, value]) => (isScalar(value) ? [] : [field]));
  if (nested.length > 0) throw validationError(nested);
  return body as Readonly<Record<string, Scalar>>;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value !== 'object' || value === null;
}

function validationError(fields: readonly string[]): ServiceError {
  return new ServiceError('VALIDATION_FAILED', { errors: fields.map((field) => ({ field, code: 'type' })) });
}

import { ServiceError } from '../../errors/service-error.js';
import type { Scalar } from './operation.js';

/**
 * The members of a body, each of which is one parameter of an operation (management API, "Media types"); none where
 * there is no body.
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

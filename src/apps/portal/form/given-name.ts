import * as v from 'valibot';
import { authenticatorName } from '../../../signin/auth/api/login.schema.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';

/** The name in a form, which has to have one. @throws ServiceError `VALIDATION_FAILED`, which the form itself shows */
export function nameIn(typed: string): string {
  const result = v.safeParse(authenticatorName, typed);
  if (result.success) return result.output;
  throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'name', code: 'format' }] });
}

/** As `givenName`; undefined for an empty text. */
export function optionalNameIn(typed: string): string | undefined {
  return typed.trim() === '' ? undefined : nameIn(typed);
}

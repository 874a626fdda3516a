import * as v from 'valibot';
import {
  assertionSchema,
  registrationSchema,
  toAssertion,
  toRegistration,
} from '../../../signin/auth/api/passkey.schema.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Messages } from '../../../signin/messages/messages.js';

const MAX_LENGTH = 65_536;

/** The field that `passkeyButton` adds to a form; empty if the script got no options. */
export const credentialField = v.optional(
  v.pipe(
    v.string(),
    v.maxLength(MAX_LENGTH, 'too_long'),
    v.description('`PublicKeyCredential.toJSON()` of the passkey, as JSON; empty without a response.'),
  ),
);

/** The assertion in the field `credential` of a form. @throws ServiceError `VALIDATION_FAILED` */
export function assertionIn(field: string): ReturnType<typeof toAssertion> {
  return toAssertion(parsed(assertionSchema.entries.credential, field));
}

/** The registration in the field `credential` of a form. @throws ServiceError `VALIDATION_FAILED` */
export function registrationIn(field: string): ReturnType<typeof toRegistration> {
  return toRegistration(parsed(registrationSchema.entries.credential, field));
}

/** The text about a registration that is not stored. */
export function registrationText({ code, facts: { errors = [] } }: ServiceError): (t: Messages) => string {
  if (code === 'MFA_STATE_CONFLICT') return ({ passkey }) => passkey.expired;
  if (errors[0]?.field === 'name') return ({ authenticators }) => authenticators.badName;
  const isForbidden = errors.some(({ code }) => code === 'not_allowed');
  return ({ passkey }) => (isForbidden ? passkey.notAllowed : passkey.notCreated);
}

function parsed<Schema extends v.GenericSchema>(schema: Schema, field: string): v.InferOutput<Schema> {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), field);
  if (result.success) return result.output;
  throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'credential', code: 'format' }] });
}

import type { SubmittedProof } from '../../auth/login/submitted-proof.js';
import { assertionIn } from '../form/passkey-field.js';
import type { Confirmation } from './account.schema.js';

/** The proof of the second factor in the fields of a form; undefined without one. @throws ServiceError `VALIDATION_FAILED` */
export function submittedProof({ code = '', credential = '' }: Confirmation): SubmittedProof | undefined {
  if (credential !== '') return { assertion: assertionIn(credential) };
  return code === '' ? undefined : { code };
}

import { SAML_REJECTIONS } from '../../../kernel/errors/reason.js';

/** Why a message of an identity provider is rejected, for the security event and the log; never shown to the caller. */
export type SamlRejection = (typeof SAML_REJECTIONS)[number];

/** Distinguishes the rejection of a check from the value that it reads. */
export function isRejection(value: unknown): value is SamlRejection {
  return (SAML_REJECTIONS as readonly unknown[]).includes(value);
}

/** Rolls back the transaction of a login that is rejected. */
export class LoginRejection extends Error {
  constructor(
    readonly rejection: SamlRejection,
    readonly subject?: string,
  ) {
    super(rejection);
    this.name = 'LoginRejection';
  }
}

/** Why a message of an identity provider is rejected, for the security event and the log; never shown to the caller. */
export const REJECTIONS = [
  'malformed',
  'not_well_formed',
  'doctype',
  'markup',
  'too_deep',
  'structure',
  'algorithm',
  'signature',
  'decryption',
  'status',
  'issuer',
  'destination',
  'audience',
  'recipient',
  'confirmation',
  'not_yet_valid',
  'expired',
  'too_old',
  'in_response_to',
  'unsolicited',
  'other_browser',
  'request_used',
  'replay',
  'name_id',
  'roles',
  'authn_statement',
  'authn_context',
  'mfa_missing',
  'user_unknown',
  'user_disabled',
  'other_user',
] as const;

export type Rejection = (typeof REJECTIONS)[number];

/** Distinguishes the rejection of a check from the value that it reads. */
export function isRejection(value: unknown): value is Rejection {
  return (REJECTIONS as readonly unknown[]).includes(value);
}

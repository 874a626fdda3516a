/** Why a message of an identity provider was refused, for the security event and the log; the caller is told none of it. */
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

/** True for what plain checks answer in place of what they read. */
export function isRejection(value: unknown): value is Rejection {
  return (REJECTIONS as readonly unknown[]).includes(value);
}

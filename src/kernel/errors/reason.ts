/** Why a message of an identity provider is rejected: `reason` of `SAML_REJECTED`, `outcome` of `saml.responses`. */
export const SAML_REJECTIONS = [
  'malformed',
  'not_well_formed',
  'doctype',
  'markup',
  'too_deep',
  'structure',
  'algorithm',
  'unsigned_cbc',
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
  'relay_state',
  'unsolicited',
  'other_browser',
  'request_used',
  'replay',
  'name_id',
  'account_attribute',
  'roles',
  'authn_statement',
  'authn_context',
  'mfa_missing',
  'user_unknown',
  'user_disabled',
  'other_user',
] as const;

/** Why a password is rejected: `reason` of `LOGIN_PASSWORD_FAILED`, `outcome` of `login.attempts`. */
type PasswordReason =
  | 'wrong_password'
  | 'unknown'
  | 'disabled'
  | 'no_password'
  | 'expired_password'
  | 'change_required'
  // Correct, but the account signs in by passkey only.
  | 'passkey_required'
  | 'temporary password'
  // The account changed between the check of its password and the commit.
  | 'account changed';

/** Which limit of the password throttle is exceeded. */
type ThrottleReason =
  'login_id' | 'device' | 'subject' | 'client' | 'operator' | 'address' | 'everywhere' | 'route' | 'session';

/** Why a code or a passkey is rejected: `reason` of `MFA_FAILED` and `MFA_REPLAY`, and of `login.mfa.attempts`. */
type SecondFactorReason =
  | 'wrong_code'
  | 'used_step'
  | 'wrong_backup_code'
  | 'wrong_access_code'
  | 'no access code'
  | 'no access code needed'
  // The assertion of a passkey: its challenge is unknown, used or expired; no such passkey; not valid; counter did not rise.
  | 'challenge'
  | 'unknown_passkey'
  | 'wrong_passkey'
  | 'passkey_counter'
  | 'no_account'
  | 'epoch'
  | 'jti'
  | 'jti used'
  // Too many attempts of the account are in progress.
  | 'busy'
  | 'no such secret'
  | 'no secret is active'
  | 'a secret is pending'
  | 'policy demands it'
  | 'policy demands a passkey'
  // The first factor was a passkey, and a passkey counts once.
  | 'passkey was the first factor'
  | 'passkeys do not sign in'
  // The account signs in at its identity provider only.
  | 'staff'
  | 'last authenticator'
  | 'too many authenticators'
  | 'passkeys are not available'
  | 'passkey known'
  | 'not to be enrolled'
  | 'second factor open';

/** Why the attestation of a new passkey is rejected. */
export type AttestationRejection =
  | 'attestation_malformed'
  | 'attestation_format'
  | 'attestation_missing'
  | 'attestation_untrusted'
  | 'authenticator_not_allowed'
  | 'authenticator_distrusted'
  | 'metadata_unusable';

/** Why an access token, an `mfa_token` or a session is rejected. */
type CredentialReason =
  | 'no credentials'
  | 'wrong credentials'
  | 'no bearer token'
  | 'not an access token of ours'
  | 'not an mfa_token of ours'
  | 'mfa_token'
  // An access token for another service.
  | 'other audience'
  | 'no such session'
  | 'session ended'
  | 'half-authenticated session used or ended'
  | 'account gone'
  | 'account not active'
  // HTTP Basic is not configured.
  | 'no account'
  | 'ROLE_MANAGEMENT';

/** Why a refresh token is rejected: `outcome` of `login.token.refresh`. */
type RefreshReason = 'no cookie' | 'expired' | 'superseded' | 'reused';

/** Why a mailed link is rejected, or cannot be requested. A used or replaced link is unknown. */
type LinkReason = 'link unknown' | 'link expired' | 'link outdated' | 'link requested' | 'no mail relay';

/** Why a request of a browser is rejected as forged by another site. */
type CrossSiteReason = 'form token' | 'no form cookie' | 'no form cookie over http' | 'no navigation';

/** Why a request of an application is rejected. */
type ApplicationReason = 'authorization request' | ForwardAuthReason;

/** Why a request that a proxy asks about, or a sign-in to its application, is rejected. */
type ForwardAuthReason =
  // The peer is no trusted proxy, or does not describe one request.
  | 'forward-auth peer'
  | 'forward-auth description'
  // There is no rule for the path, or the user does not meet it.
  | 'forward-auth rule'
  | 'forward-auth demand'
  | 'forward-auth request'
  | 'forward-auth code';

/** Why a change of an account is rejected. */
type AccountReason =
  | 'account'
  | 'oneself'
  | 'last administrator'
  // The help desk may not act on this account.
  | 'protected account'
  | 'help desk'
  | 'no password'
  | 'login id taken'
  | 'invited with other roles'
  | 'not invited'
  // It follows the identity provider.
  | 'address of staff'
  | 'not to be invited'
  | 'person known'
  | 'the file changed while it was read'
  | 'another import is in progress'
  | 'the import was interrupted';

/** Why the service cannot process a request: a resource is overloaded or unavailable, or a limit is exceeded. */
type CapacityReason =
  | 'overloaded'
  | 'memory of bodies'
  | 'upload request'
  | 'uploaded file'
  | 'exports of one user'
  | 'export too long'
  | 'uploads of one user'
  | 'upload not stored'
  | 'upload not readable'
  | 'password hashing full'
  | 'password hashing failed'
  | 'password hashing closed'
  | 'password estimate failed'
  | 'database lost'
  | 'database waited'
  | 'database unreachable'
  | 'no valid metadata'
  | 'a heap dump is on its way';

/**
 * The exact reason of an error: the closed list for logs, events and meters. Callers never learn it, so that errors with
 * one code look alike. Existing texts never change, since stored events and dashboards contain them.
 */
export type Reason =
  | (typeof SAML_REJECTIONS)[number]
  | PasswordReason
  | ThrottleReason
  | SecondFactorReason
  | AttestationRejection
  | CredentialReason
  | RefreshReason
  | LinkReason
  | CrossSiteReason
  | ApplicationReason
  | AccountReason
  | CapacityReason;

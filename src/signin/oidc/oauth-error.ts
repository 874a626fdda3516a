/** Errors of RFC 6749 sections 4.1.2.1 and 5.2, RFC 6750, RFC 8707, RFC 9126, OpenID Connect Core 3.1.2.6 and RFC 9470's acr. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'login_required'
  | 'interaction_required'
  | 'unmet_authentication_requirements'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'invalid_request_uri'
  | 'temporarily_unavailable';

/** An error of a protocol message, in the words of its standard. The description is for developers, and never a secret. */
export class OAuthError extends Error {
  constructor(
    readonly code: OAuthErrorCode,
    readonly description: string,
    /** Status of a response that is not a redirect. */
    readonly status = 400,
  ) {
    super(`${code}: ${description}`);
  }

  get body(): { readonly error: OAuthErrorCode; readonly error_description: string } {
    return { error: this.code, error_description: this.description };
  }
}

import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { REQUESTABLE_ACRS, type RequestableAcr } from '../../../kernel/principal/amr.js';
import { type Client, hasRedirectUri, OPENID } from '../../../identity/client/client.js';
import { OAuthError } from '../oauth-error.js';
import { listOf, type Parameters } from './parameters.js';
import { type RequestedClaims, requestedClaims } from './requested-claims.js';

const RESPONSE_MODES = ['query', 'form_post'] as const;
type ResponseMode = (typeof RESPONSE_MODES)[number];

/** Where the response goes: known before the rest of the request is valid. */
export interface ResponseTarget {
  readonly client: Client;
  readonly redirectUri: string;
  readonly responseMode: ResponseMode;
  readonly state?: string;
}

/** A valid authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1). */
export interface AuthorizationRequest extends ResponseTarget {
  readonly scopes: readonly string[];
  readonly audience: string;
  readonly nonce?: string;
  readonly codeChallenge?: string;
  readonly prompts: ReadonlySet<Prompt>;
  /** Seconds. */
  readonly maxAge?: number;
  /** The user of the ID token that the application has sent. */
  readonly hintedSubject?: string;
  /** The class that the request prefers; the user is asked for it, and goes on without it. */
  readonly preferredAcr?: RequestableAcr;
  readonly claims: RequestedClaims;
}

const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const;
type Prompt = (typeof PROMPTS)[number];

/** RFC 7636 section 4.2: the SHA-256 of the verifier. */
const CHALLENGE = /^[\w-]{43}$/;
const MAX_NONCE = 512;
const MAX_STATE = 2048;

/**
 * Client and redirect URI of a request.
 * @throws OAuthError that must not be sent to the redirect URI (RFC 6749 section 4.1.2.1)
 */
export function responseTarget(parameters: Parameters, client: Client | undefined): ResponseTarget {
  if (!client) throw new OAuthError('invalid_request', 'client_id names no registered application');
  const redirectUri = parameters.get('redirect_uri');
  if (redirectUri === undefined) throw new OAuthError('invalid_request', 'redirect_uri is missing');
  if (!hasRedirectUri(client, redirectUri)) {
    throw new OAuthError('invalid_request', 'redirect_uri is not one of those that are registered for the application');
  }
  const written = parameters.get('response_mode');
  const responseMode = RESPONSE_MODES.find((mode) => mode === written) ?? 'query';
  return { client, redirectUri, responseMode, ...withoutUndefined({ state: parameters.get('state') }) };
}

/** @throws OAuthError for the redirect URI */
export function authorizationRequest(
  parameters: Parameters,
  target: ResponseTarget,
  requiresPkce: boolean,
): AuthorizationRequest {
  const { client } = target;
  requireSupported(parameters);
  const codeChallenge = challengeOf(parameters, client.isPublic || requiresPkce);
  const scopes = scopesOf(parameters, client);
  const claims = requestedClaims(parameters.get('claims'));
  const nonce = parameters.get('nonce');
  if ((nonce?.length ?? 0) > MAX_NONCE) throw new OAuthError('invalid_request', 'nonce is too long');
  if ((target.state?.length ?? 0) > MAX_STATE) throw new OAuthError('invalid_request', 'state is too long');
  return {
    ...target,
    ...{ scopes, claims, audience: audienceOf(parameters, client), prompts: promptsOf(parameters) },
    ...withoutUndefined({
      ...{ nonce, codeChallenge, maxAge: maxAgeOf(parameters, client) },
      preferredAcr: claims.preferredAcr ?? firstKnown(listOf(parameters.get('acr_values'))),
    }),
  };
}

function requireSupported(parameters: Parameters): void {
  if (parameters.has('request')) throw new OAuthError('request_not_supported', 'request objects are not supported');
  if (parameters.has('request_uri')) throw new OAuthError('request_uri_not_supported', 'unknown request_uri');
  const responseType = parameters.get('response_type');
  if (responseType === undefined) throw new OAuthError('invalid_request', 'response_type is missing');
  if (responseType !== 'code') throw new OAuthError('unsupported_response_type', 'the only response_type is code');
  const mode = parameters.get('response_mode');
  if (mode !== undefined && !RESPONSE_MODES.some((known) => known === mode)) {
    throw new OAuthError('invalid_request', 'response_mode is neither query nor form_post');
  }
}

function challengeOf(parameters: Parameters, isRequired: boolean): string | undefined {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (challenge === undefined && method === undefined) {
    if (isRequired) throw new OAuthError('invalid_request', 'code_challenge is missing (RFC 7636)');
    return undefined;
  }
  // Without a method, RFC 7636 would mean plain, which protects nothing that is observed.
  if (method !== 'S256') throw new OAuthError('invalid_request', 'the only code_challenge_method is S256');
  if (challenge === undefined || !CHALLENGE.test(challenge)) {
    throw new OAuthError('invalid_request', 'code_challenge is not a SHA-256 in base64url');
  }
  return challenge;
}

/** Scopes that the client may not request are left out, as RFC 6749 section 3.3 permits: the response names those granted. */
function scopesOf(parameters: Parameters, { scopes: allowed }: Client): readonly string[] {
  const scopes = [...new Set(listOf(parameters.get('scope')))].filter((scope) => allowed.has(scope));
  if (!scopes.includes(OPENID)) throw new OAuthError('invalid_scope', 'scope does not contain openid');
  return scopes;
}

/** The audience of the access token (RFC 8707). @throws OAuthError `invalid_target` */
export function audienceOf(parameters: Parameters, { audiences }: Client): string {
  const resource = parameters.get('resource') ?? audiences[0];
  if (audiences.includes(resource)) return resource;
  throw invalidTarget();
}

/** @throws OAuthError `invalid_target` if a token request is not for the granted audience (RFC 8707 section 2.2) */
export function requireAudience(parameters: Parameters, { audiences }: Client, granted = ''): void {
  const resource = parameters.get('resource') ?? granted;
  if (resource !== granted || !audiences.includes(granted)) throw invalidTarget();
}

function invalidTarget(): OAuthError {
  return new OAuthError('invalid_target', 'resource is not an audience that the application may have');
}

function promptsOf(parameters: Parameters): ReadonlySet<Prompt> {
  const written = listOf(parameters.get('prompt'));
  const prompts = new Set(PROMPTS.filter((prompt) => written.includes(prompt)));
  if (written.some((prompt) => !PROMPTS.some((known) => known === prompt))) {
    throw new OAuthError('invalid_request', 'prompt has an unknown value');
  }
  if (prompts.has('none') && prompts.size > 1) {
    throw new OAuthError('invalid_request', 'prompt has none together with other values');
  }
  return prompts;
}

function maxAgeOf(parameters: Parameters, { maxAge: ofClient }: Client): number | undefined {
  const written = parameters.get('max_age');
  if (written === undefined) return ofClient;
  if (!/^\d{1,9}$/.test(written)) throw new OAuthError('invalid_request', 'max_age is not a number of seconds');
  return Math.min(Number(written), ofClient ?? Infinity);
}

function firstKnown(values: readonly string[]): RequestableAcr | undefined {
  return REQUESTABLE_ACRS.find(
    (known) => known === values.find((value) => REQUESTABLE_ACRS.some((acr) => acr === value)),
  );
}

import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';

/** What an access token of the login service says about its user and the sign-in. */
export interface AccessTokenClaims extends JWTPayload {
  readonly sub: string;
  readonly acr?: string;
  readonly amr?: readonly string[];
  /** When the user proved a second factor, in seconds since 1970. */
  readonly mfa_at?: number;
}

/** Verifies access tokens (RFC 9068) with the published keys of the issuer. */
export class AccessTokens {
  private readonly keys: ReturnType<typeof createRemoteJWKSet>;

  constructor(
    private readonly issuer: string,
    private readonly audience: string,
  ) {
    this.keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  }

  /** Throws unless the token is for this API. */
  async verify(token: string): Promise<AccessTokenClaims> {
    const { payload } = await jwtVerify<AccessTokenClaims>(token, this.keys, {
      issuer: this.issuer,
      audience: this.audience,
      typ: 'at+jwt',
      algorithms: ['ES256'],
      requiredClaims: ['sub', 'client_id', 'iat', 'exp', 'jti'],
      clockTolerance: 60,
    });
    return payload;
  }
}

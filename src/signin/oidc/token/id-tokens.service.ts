import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import type { Account } from '../../../identity/account/account.js';
import type { Client } from '../../../identity/client/client.js';
import type { Session } from '../../../identity/session/session.js';
import { ID_TOKEN_PURPOSE } from '../../../identity/token/keys/key-policy.service.js';
import { SigningKeys } from '../../../identity/token/keys/signing-keys.js';
import { Issuer, parseHeader, signToken, verifyToken } from '../../../identity/token/signed-token.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { strongestAcr } from '../../../kernel/principal/amr.js';
import type { CodeTerms } from '../code/authorization-code.store.js';
import { userClaims } from '../user/user-claims.js';

/** RFC 7519 section 5.1. */
const TYPE = 'JWT';
const PURPOSES = Object.values(ID_TOKEN_PURPOSE);

/** Issues ID tokens and other tokens for an application itself (OpenID Connect Core section 2), and verifies hints. */
@Injectable()
export class IdTokens {
  constructor(
    private readonly keys: SigningKeys,
    private readonly issuer: Issuer,
    private readonly clock: Clock,
  ) {}

  /** `terms` are those of the code; a refresh has none. `lifetime` in seconds. */
  issue(
    client: Client,
    { session, account, terms }: { readonly session: Session; readonly account: Account; readonly terms?: CodeTerms },
    accessToken: string,
    lifetime: number,
  ): Promise<string> {
    const { id: sid, subject: sub, amr, authTime } = session;
    const others = [...client.claims, ...(terms?.idTokenClaims ?? [])];
    const claims = {
      ...userClaims(account, '', others),
      ...{ sub, sid, amr: [...amr], acr: strongestAcr(amr), at_hash: halfHash(accessToken) },
      ...withoutUndefined({ auth_time: authTime, nonce: terms?.nonce }),
    };
    return this.sign(client, claims, lifetime);
  }

  /** Signs claims for the client, as `iss` and `aud` say, for a lifetime in seconds: without an end, a copy would be valid for good. */
  sign({ id, idTokenAlgorithm }: Client, claims: JWTPayload, lifetime: number, type = TYPE): Promise<string> {
    const key = this.keys.current(ID_TOKEN_PURPOSE[idTokenAlgorithm]);
    const iat = this.clock.seconds();
    return signToken(key, type, { iss: this.issuer.url, aud: id, iat, exp: iat + lifetime, ...claims });
  }

  /** The claims of an ID token of ours, also if it has expired; undefined for anything else. */
  async verifyHint(token: string): Promise<JWTPayload | undefined> {
    const header = parseHeader(token, [TYPE]);
    if (!header) return undefined;
    for (const purpose of PURPOSES) {
      const key = await this.keys.find(purpose, header.kid);
      const rules = { issuer: this.issuer.url, required: ['sid'], mayHaveExpired: true };
      if (key) return verifyToken(token, key, TYPE, rules, this.clock.seconds());
    }
    return undefined;
  }
}

/** OpenID Connect Core section 3.1.3.6, for algorithms with SHA-256. */
function halfHash(token: string): string {
  return createHash('sha256').update(token, 'ascii').digest().subarray(0, 16).toString('base64url');
}

import { Injectable } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import type { Client } from '../../../identity/client/client.js';
import { hashSecret } from '../../../identity/session/session.js';
import type { UsableKey } from '../../../identity/token/keys/key-material.js';
import { Issuer } from '../../../identity/token/signed-token.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { ClientKeys } from './client-keys.service.js';

expiringTable('used_client_assertion', 'id');

const INSERT = 'INSERT INTO used_client_assertion (id, expires_at) VALUES (?, ?)';
/** A longer life would only keep its row. */
const MAX_SECONDS = 600;
const SKEW_SECONDS = 5;
const MAX_LENGTH = 8192;

/** Verifies the tokens with which clients authenticate (RFC 7523 section 3, OpenID Connect Core section 9); each is used once. */
@Injectable()
export class ClientAssertions {
  constructor(
    private readonly keys: ClientKeys,
    private readonly issuer: Issuer,
    private readonly clock: Clock,
    private readonly work: UnitOfWork,
  ) {}

  /** True for the one request that uses a valid token of the client. */
  async use(client: Client, token: string): Promise<boolean> {
    if (token.length > MAX_LENGTH) return false;
    for (const key of this.keys.of(client)) {
      const claims = await this.verified(client, token, key);
      if (claims) return this.useUp(client, claims);
    }
    return false;
  }

  private async verified({ id }: Client, token: string, key: UsableKey): Promise<JWTPayload | undefined> {
    const [{ jwtVerify }, { JOSEError }] = await Promise.all([import('jose/jwt/verify'), import('jose/errors')]);
    try {
      const { payload } = await jwtVerify(token, key.verifies, {
        // The key decides the algorithm, never the token (RFC 8725 section 3.1).
        algorithms: [key.algorithm],
        issuer: id,
        subject: id,
        audience: this.audiences,
        requiredClaims: ['exp', 'jti'],
        currentDate: new Date(this.clock.millis()),
        clockTolerance: SKEW_SECONDS,
      });
      // A token with several audiences may have been meant for another server, which could then use it here.
      return typeof payload.aud === 'string' ? payload : undefined;
    } catch (error) {
      if (error instanceof JOSEError) return undefined;
      throw error;
    }
  }

  /**
   * The issuer, as draft-ietf-oauth-rfc7523bis demands, or the endpoint that OpenID Connect Core section 9 and RFC 9126 section 2
   * name, which most libraries still send.
   */
  private get audiences(): string[] {
    const { url } = this.issuer;
    return [url, `${url}/token`, `${url}/par`, `${url}/revoke`];
  }

  private async useUp({ id }: Client, { exp = 0, jti }: JWTPayload): Promise<boolean> {
    if (typeof jti !== 'string' || jti === '' || exp > this.clock.seconds() + MAX_SECONDS) return false;
    const row = [hashSecret(JSON.stringify([id, jti])), exp + SKEW_SECONDS];
    return this.work.single((tx) => tx.insert(INSERT, row));
  }
}

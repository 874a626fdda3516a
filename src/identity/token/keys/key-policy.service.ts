import type { IdTokenAlgorithm } from '../../client/client.js';
import type { SigningAlgorithm } from './key-material.js';
import type { KeyPurpose } from './signing-keys.js';
import type { TokenProperties } from '../token.properties.js';

/** The purpose of the keys that sign ID tokens by an algorithm (OpenID Connect Core section 3.1.3.6). */
export const ID_TOKEN_PURPOSE: Readonly<Record<IdTokenAlgorithm, KeyPurpose>> = { RS256: 'id', ES256: 'id-es256' };

/** Which signing keys the database must hold, of which algorithm, and for how long each signs. */
export class KeyPolicy {
  /** The purposes of which a key must exist. */
  readonly needed: readonly KeyPurpose[];

  constructor(
    private readonly properties: TokenProperties,
    idTokens: ReadonlySet<IdTokenAlgorithm>,
  ) {
    const ofIdTokens = Array.from(idTokens, (algorithm) => ID_TOKEN_PURPOSE[algorithm]);
    // A configured signing key replaces those for access tokens in the database.
    this.needed = [...(properties.signingKey === undefined ? ['access' as const] : []), 'mfa', ...ofIdTokens];
  }

  /** Seconds for which a key signs; 0 leaves it to operators. */
  get rotation(): number {
    return this.properties.rotation.seconds;
  }

  algorithmOf(purpose: KeyPurpose): SigningAlgorithm | 'HS256' {
    switch (purpose) {
      case 'access':
        return this.properties.algorithm;
      case 'mfa':
        return 'HS256';
      case 'id':
        return 'RS256';
      case 'id-es256':
        return 'ES256';
    }
  }
}

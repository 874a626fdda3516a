import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { Random } from '../../kernel/random/random.js';
import { RESOURCE_API } from '../../kernel/principal/audience.js';
import type { Client } from './client.js';
import { type ClientProperties, ClientsProperties } from './client.properties.js';

/** The clients of the configuration. */
@Injectable()
export class Clients {
  readonly all: readonly Client[];
  private readonly byId: ReadonlyMap<string, Client>;
  private readonly digests: ReadonlyMap<string, Buffer>;
  /** Compared with the secrets of unknown clients; no secret has this digest. */
  private readonly unknownDigest: Buffer;

  constructor({ clients }: ClientsProperties, random: Random) {
    this.all = Array.from(clients, ([id, properties]) => clientOf(id, properties));
    this.byId = new Map(this.all.map((client) => [canonicalId(client.id), client]));
    const secrets = Array.from(clients).flatMap(([id, { secret }]) =>
      secret === undefined ? [] : ([[canonicalId(id), digestOf(secret)]] as const),
    );
    this.digests = new Map(secrets);
    this.unknownDigest = random.bytes(32);
  }

  /** The client with this id, written in any way that the configuration understands. */
  find(name: string): Client | undefined {
    return this.byId.get(canonicalId(name));
  }

  /**
   * The canonical id for a name, whether or not there is such a client. Guesses are counted by this id, since a name can
   * be spelled differently for each guess.
   */
  idOf(name: string): string {
    return canonicalId(name);
  }

  /** True if one of the texts is the secret. Takes the same time for an unknown client and for wrong and right secrets. */
  hasSecret(id: string, ...secrets: readonly string[]): boolean {
    const expected = this.digests.get(canonicalId(id)) ?? this.unknownDigest;
    return secrets.map((secret) => timingSafeEqual(digest(secret), expected)).includes(true);
  }
}

function clientOf(id: string, properties: ClientProperties): Client {
  const { name = id, audience, scopes, claims, grantTypes, redirectUris, postLogoutRedirectUris, roles } = properties;
  const { logo, minAcr, maxAge, accessLifetime, idTokenAlgorithm, signedUserinfo, backchannelLogoutUri } = properties;
  const [first = redirectUris.length > 0 ? id : RESOURCE_API, ...others] = audience;
  return {
    ...{ id, name, claims, redirectUris, postLogoutRedirectUris, roles, idTokenAlgorithm },
    isPublic: properties.public,
    audiences: [first, ...others],
    scopes: new Set(scopes),
    grantTypes: new Set(grantTypes),
    hasSignedUserinfo: signedUserinfo,
    ...withoutUndefined({ logo, minAcr, backchannelLogoutUri }),
    ...withoutUndefined({ maxAge: maxAge?.seconds, accessLifetime: accessLifetime?.seconds }),
  };
}

/** Ignores capitals and punctuation, which environment variables cannot express. */
function canonicalId(written: string): string {
  return written.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}

/** The digest of a configured secret, which may be the digest itself. */
function digestOf(secret: string): Buffer {
  const [, hexadecimal] = /^\{sha256\}([\da-f]{64})$/.exec(secret) ?? [];
  return hexadecimal === undefined ? digest(secret) : Buffer.from(hexadecimal, 'hex');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

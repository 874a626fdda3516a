import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Random } from '../../kernel/random/random.js';
import { ClientsProperties } from './token.properties.js';

/** Registered clients, which may introspect tokens, and their secrets. */
@Injectable()
export class Clients {
  private readonly digests: ReadonlyMap<string, Buffer>;
  /** Compared with the secrets of unknown clients; no secret has this digest. */
  private readonly unknownDigest: Buffer;

  constructor({ clients }: ClientsProperties, random: Random) {
    const secrets = Array.from(clients).flatMap(([id, { secret }]) =>
      secret === undefined ? [] : ([[clientId(id), digest(secret)]] as const),
    );
    this.digests = new Map(secrets);
    this.unknownDigest = random.bytes(32);
  }

  /**
   * The canonical id for a name, whether or not there is such a client. Guesses are counted by this id, since a name can
   * be spelled differently for each guess.
   */
  idOf(name: string): string {
    return clientId(name);
  }

  /** True if one of the texts is the secret. Takes the same time for an unknown client and for wrong and right secrets. */
  hasSecret(id: string, ...secrets: readonly string[]): boolean {
    const expected = this.digests.get(clientId(id)) ?? this.unknownDigest;
    return secrets.map((secret) => timingSafeEqual(digest(secret), expected)).includes(true);
  }
}

/** Ignores capitals and punctuation, which environment variables cannot express. */
function clientId(written: string): string {
  return written.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Random } from '../random/random.js';
import { ClientsProperties } from './token.properties.js';

/** Services that may introspect tokens, and their secrets. */
@Injectable()
export class Clients {
  private readonly digests: ReadonlyMap<string, Buffer>;
  /** What unknown clients are compared with: no secret has this digest. */
  private readonly unknownDigest: Buffer;

  constructor({ clients }: ClientsProperties, random: Random) {
    const secrets = Array.from(clients).flatMap(([id, { secret }]) =>
      secret === undefined ? [] : ([[clientId(id), digest(secret)]] as const),
    );
    this.digests = new Map(secrets);
    this.unknownDigest = random.bytes(32);
  }

  /**
   * The id that a name finds, whether or not there is such a client. Guesses are counted by it: a name as written could
   * be spelled anew for each guess.
   */
  idOf(name: string): string {
    return clientId(name);
  }

  /** Takes the same time whatever is wrong. */
  hasSecret(id: string, secret: string): boolean {
    return timingSafeEqual(digest(secret), this.digests.get(clientId(id)) ?? this.unknownDigest);
  }
}

/** A variable of the environment can spell neither capitals nor dashes, so they make no difference. */
function clientId(written: string): string {
  return written.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

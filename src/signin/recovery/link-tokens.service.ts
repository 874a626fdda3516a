import { Injectable } from '@nestjs/common';
import { Random } from '../../kernel/random/random.js';
import { hashSecret } from '../../identity/session/session.js';
import { Issuer } from '../../identity/token/signed-token.js';
import { LINK_PAGES, LINK_TOKEN, type LinkKind } from './account-link.js';
import { RecoveryProperties } from './recovery.properties.js';

/** 256 bits. */
const TOKEN_BYTES = 32;
/** Lifetime of a link for a forgotten password or a lock (authentication.md 2.5). */
const SHORT_LIFETIME_SECONDS = 15 * 60;

/** A new token of a link. The URL contains it; only the hash is stored. */
export interface IssuedToken {
  readonly url: string;
  readonly tokenHash: string;
  readonly lifetimeSeconds: number;
}

/** Issues the tokens of links, in URLs that begin with the configured public URL and never with the `Host` of a request. */
@Injectable()
export class LinkTokens {
  constructor(
    private readonly random: Random,
    private readonly issuer: Issuer,
    private readonly properties: RecoveryProperties,
  ) {}

  issue(kind: LinkKind): IssuedToken {
    const token = this.random.text(TOKEN_BYTES);
    const url = `${this.issuer.url}${LINK_PAGES[kind]}?${LINK_TOKEN}=${token}`;
    return { url, tokenHash: hashSecret(token), lifetimeSeconds: this.lifetimeOf(kind) };
  }

  private lifetimeOf(kind: LinkKind): number {
    if (kind === 'invitation') return Math.ceil(this.properties.invitationLifetime.seconds);
    return kind === 'not-me' ? Math.ceil(this.properties.notMeLifetime.seconds) : SHORT_LIFETIME_SECONDS;
  }
}

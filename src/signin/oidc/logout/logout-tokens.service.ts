import { Injectable } from '@nestjs/common';
import { Clients } from '../../../identity/client/clients.service.js';
import { JTI_BYTES } from '../../../identity/token/signed-token.js';
import { Random } from '../../../kernel/random/random.js';
import { IdTokens } from '../token/id-tokens.service.js';

/** OpenID Connect Back-Channel Logout section 2.4. */
const TYPE = 'logout+jwt';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Section 2.4 recommends two minutes at most. */
const LIFETIME_SECONDS = 120;

/** A session of an application that has ended. */
export interface EndedSession {
  readonly client: string;
  readonly sid: string;
  readonly sub: string;
}

/** A request that tells an application of the end of its session (section 2.5). */
export interface LogoutRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Creates the requests that tell applications of the end of their sessions. */
@Injectable()
export class LogoutTokens {
  constructor(
    private readonly clients: Clients,
    private readonly idTokens: IdTokens,
    private readonly random: Random,
  ) {}

  /** True if an application has an address for such requests. */
  get areNeeded(): boolean {
    return this.clients.all.some(({ backchannelLogoutUri }) => backchannelLogoutUri !== undefined);
  }

  isNeeded(client: string): boolean {
    return this.clients.find(client)?.backchannelLogoutUri !== undefined;
  }

  /** A request with a token of its own, also for a repeated attempt; undefined if the application has no such address any longer. */
  async request({ client: id, sid, sub }: EndedSession): Promise<LogoutRequest | undefined> {
    const client = this.clients.find(id);
    if (client?.backchannelLogoutUri === undefined) return undefined;
    const claims = { sub, sid, jti: this.random.text(JTI_BYTES), events: { [EVENT]: {} } };
    const token = await this.idTokens.sign(client, claims, LIFETIME_SECONDS, TYPE);
    return {
      url: client.backchannelLogoutUri,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    };
  }
}

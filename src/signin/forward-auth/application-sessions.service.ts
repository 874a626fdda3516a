import { Injectable } from '@nestjs/common';
import { Accounts } from '../../identity/account/accounts.service.js';
import { SecurityEvents } from '../../identity/events/security-events.service.js';
import { Sessions } from '../../identity/session/sessions.service.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { toPrincipal } from '../auth/strategies/session-principal.js';
import type { Visitor } from '../oidc/authorize/sign-in-decision.js';
import { type SentCode, SignInRequestStore } from './sign-in-request.store.js';

/** A session that a code has opened. */
interface OpenedApplication {
  readonly secret: string;
  /** Path and query to return to. */
  readonly uri: string;
}

/** Length of the column. */
const MAX_CLIENT_ID = 64;

/** Sessions of applications behind a proxy: each belongs to one origin, and to the session of a browser. */
@Injectable()
export class ApplicationSessions {
  constructor(
    private readonly requests: SignInRequestStore,
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
    private readonly events: SecurityEvents,
    private readonly work: UnitOfWork,
  ) {}

  /** The user of the cookie, as the session of the browser is now; undefined if the cookie is not of this origin. */
  async visitor(secret: string | undefined, origin: string): Promise<Visitor | undefined> {
    const found = secret === undefined ? undefined : await this.sessions.findOfApplication(secret);
    // A session is valid at one origin: a cookie that was copied from another application proves nothing here.
    if (found?.session.application?.scope !== origin) return undefined;
    const { session, parent } = found;
    const account = await this.accounts.find(parent.subject);
    if (account?.status !== 'active') return undefined;
    // The use of an application is a use of the browser's session.
    await this.sessions.touch(parent);
    await this.sessions.touch(session);
    return { principal: toPrincipal(parent, 'session', account.roles), account };
  }

  /** Exchanges a code, and ends the session that the browser had at the origin; undefined unless the code is valid there. */
  async open(sent: SentCode, former: string | undefined): Promise<OpenedApplication | undefined> {
    const replaced = former === undefined ? undefined : await this.sessions.findOfApplication(former);
    return this.work.run(async (tx) => {
      const opened = await this.exchange(tx, sent);
      // A cookie of another origin, such as another port of the host, belongs to a session that goes on.
      const isOfOrigin = replaced?.session.application?.scope === sent.origin;
      if (opened && isOfOrigin) await this.sessions.end(tx, replaced.session.id);
      return opened;
    });
  }

  private async exchange(tx: Tx, sent: SentCode): Promise<OpenedApplication | undefined> {
    const granted = await this.requests.use(tx, sent);
    const account = granted && (await this.accounts.hold(tx, granted.subject));
    const parent = account && (await this.sessions.hold(tx, granted.parentId, granted.subject));
    if (!parent) return undefined;
    const clientId = clientIdOf(sent.origin);
    const facts = { id: this.sessions.newId(), kind: 'app', clientId, scope: sent.origin, hasCookie: true } as const;
    const { secret } = await this.sessions.openApplication(tx, parent, facts);
    await this.events.record(tx, {
      ...{ kind: 'APPLICATION_SIGNED_IN', subject: account.id, amr: parent.amr, detail: { client: clientId } },
    });
    return secret === undefined ? undefined : { secret, uri: granted.uri };
  }
}

/** The client id of a protected application in lists of sessions; ids of configured clients contain no colon. */
function clientIdOf(origin: string): string {
  return `forward-auth:${new URL(origin).host}`.slice(0, MAX_CLIENT_ID);
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { Random } from '../../random/random.js';
import { hashSecret, isSecretForm, SECRET_BYTES } from '../../session/session.js';
import { type PendingLogin, SamlRequestStore } from './authn-request.store.js';

export type { PendingLogin } from './authn-request.store.js';

/** How long a person may take at the identity provider. */
const REQUEST_SECONDS = 300;
/** Tabs of one browser that may be at an identity provider at once. */
const MOST_TABS = 4;
const SEPARATOR = '.';
const ID_BYTES = 20;
const RELAY_STATE_BYTES = 16;

/** What is asked, but for what is made up here. */
type AskedLogin = Omit<PendingLogin, 'id' | 'browserHash' | 'relayState' | 'expiresAt'>;

/** A value of the cookie `saml_request` and how long it counts, in seconds. */
export interface BrowserMark {
  readonly value: string;
  readonly maxAge: number;
}

/**
 * Logins that browsers went to identity providers for. The cookie `saml_request` holds a secret for each, the newest
 * first, so that the tabs of a browser do not push each other out; only their hashes are stored.
 */
@Injectable()
export class SamlRequests {
  constructor(
    private readonly store: SamlRequestStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Notes a login; `mark` is for the browser, whose cookie was `cookie`. */
  async begin(asked: AskedLogin, cookie: string | undefined): Promise<{ pending: PendingLogin; mark: BrowserMark }> {
    const secret = this.random.text(SECRET_BYTES);
    const pending: PendingLogin = {
      ...asked,
      id: `_${this.random.bytes(ID_BYTES).toString('hex')}`,
      browserHash: hashSecret(secret),
      relayState: this.random.text(RELAY_STATE_BYTES),
      expiresAt: this.clock.seconds() + REQUEST_SECONDS,
    };
    await this.work.single((tx) => this.store.insert(tx, pending));
    const value = [secret, ...secretsIn(cookie)].slice(0, MOST_TABS).join(SEPARATOR);
    return { pending, mark: { value, maxAge: REQUEST_SECONDS } };
  }

  /** The live one of that id; one read. */
  find(id: string, idp: string): Promise<PendingLogin | undefined> {
    return this.work.single((tx) => this.store.find(tx, id, idp, this.clock.seconds()));
  }

  /** Whether the browser with this cookie asked for it. */
  isOf(pending: PendingLogin, cookie: string | undefined): boolean {
    return secretsIn(cookie).some((secret) => hashSecret(secret) === pending.browserHash);
  }

  /** True for the one transaction that uses it. */
  use(tx: Tx, pending: PendingLogin): Promise<boolean> {
    return this.store.use(tx, pending, this.clock.seconds());
  }

  /** The cookie without the secret of a login that is over; undefined where nothing is left. */
  without(pending: PendingLogin | undefined, cookie: string | undefined): BrowserMark | undefined {
    const left = secretsIn(cookie).filter((secret) => hashSecret(secret) !== pending?.browserHash);
    return left.length === 0 ? undefined : { value: left.join(SEPARATOR), maxAge: REQUEST_SECONDS };
  }
}

function secretsIn(cookie = ''): readonly string[] {
  return cookie.split(SEPARATOR, MOST_TABS).filter(isSecretForm);
}

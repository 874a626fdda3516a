import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { Random } from '../../random/random.js';
import { hashSecret, isSecretForm, SECRET_BYTES } from '../../session/session.js';
import { type PendingRequest, AuthnRequestStore } from './authn-request.store.js';

/** How long a user may take at the identity provider. */
const REQUEST_SECONDS = 300;
/** Tabs of one browser that may have a pending login. */
const MAX_TABS = 4;
const SEPARATOR = '.';
const ID_BYTES = 20;
const RELAY_STATE_BYTES = 16;

/** A request without its generated members. */
type NewRequest = Omit<PendingRequest, 'id' | 'browserHash' | 'relayState' | 'expiresAt'>;

/** A value of the cookie `saml_request`, and its lifetime in seconds. */
export interface RequestCookie {
  readonly value: string;
  readonly maxAge: number;
}

/**
 * Pending logins. The cookie `saml_request` holds a secret for each, the newest first, so that the tabs of a browser do not
 * replace each other; only the hashes are stored.
 */
@Injectable()
export class AuthnRequests {
  constructor(
    private readonly store: AuthnRequestStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Stores a login request. `cookie` is the new value for a browser whose cookie was `previous`. */
  async create(
    requested: NewRequest,
    previous: string | undefined,
  ): Promise<{ request: PendingRequest; cookie: RequestCookie }> {
    const secret = this.random.text(SECRET_BYTES);
    const request: PendingRequest = {
      ...requested,
      id: `_${this.random.bytes(ID_BYTES).toString('hex')}`,
      browserHash: hashSecret(secret),
      relayState: this.random.text(RELAY_STATE_BYTES),
      expiresAt: this.clock.seconds() + REQUEST_SECONDS,
    };
    await this.work.single((tx) => this.store.insert(tx, request));
    const value = [secret, ...parseSecrets(previous)].slice(0, MAX_TABS).join(SEPARATOR);
    return { request, cookie: { value, maxAge: REQUEST_SECONDS } };
  }

  /** The request with this id, unless it has expired; one read. */
  find(id: string, idp: string): Promise<PendingRequest | undefined> {
    return this.work.single((tx) => this.store.find(tx, id, idp, this.clock.seconds()));
  }

  /** Whether the browser with this cookie sent the request. */
  belongsTo(request: PendingRequest, cookie: string | undefined): boolean {
    return parseSecrets(cookie).some((secret) => hashSecret(secret) === request.browserHash);
  }

  /** True only for the one transaction that uses the request. */
  use(tx: Tx, request: PendingRequest): Promise<boolean> {
    return this.store.use(tx, request, this.clock.seconds());
  }

  /** The cookie without the secret of a completed login; undefined if nothing remains. */
  cookieWithout(request: PendingRequest | undefined, cookie: string | undefined): RequestCookie | undefined {
    const left = parseSecrets(cookie).filter((secret) => hashSecret(secret) !== request?.browserHash);
    return left.length === 0 ? undefined : { value: left.join(SEPARATOR), maxAge: REQUEST_SECONDS };
  }
}

function parseSecrets(cookie = ''): readonly string[] {
  return cookie.split(SEPARATOR, MAX_TABS).filter(isSecretForm);
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { Random } from '../../../kernel/random/random.js';
import { hashSecret, isSecretForm, SECRET_BYTES } from '../../../identity/session/session.js';
import type { IdpProperties } from '../saml.properties.js';
import type { AssertionFacts } from './response/assertion.js';
import { type PendingRequest, AuthnRequestStore } from './authn-request.store.js';
import type { SamlRejection } from './rejection.js';
import { UsedAssertionStore } from './used-assertion.store.js';

/** How long a user may take at the identity provider. */
const REQUEST_SECONDS = 300;
/** Tabs of one browser that may have a pending login. */
const MAX_TABS = 4;
const SEPARATOR = '.';
const ID_BYTES = 20;
const RELAY_STATE_BYTES = 16;

/** A request without its generated members. */
type NewRequest = Omit<PendingRequest, 'id' | 'browserHash' | 'relayState' | 'expiresAt'>;

/** The parts of a posted response that name its request. */
interface Answer {
  readonly inResponseTo: string | undefined;
  readonly relayState: string | undefined;
}

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
    private readonly usedAssertions: UsedAssertionStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Stores a login request. `cookie` is the new value for a browser that sent these values of it. */
  async create(
    requested: NewRequest,
    sent: readonly string[],
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
    const value = [secret, ...secretsIn(sent)].slice(0, MAX_TABS).join(SEPARATOR);
    return { request, cookie: { value, maxAge: REQUEST_SECONDS } };
  }

  /**
   * The request that a response answers, if the browser with these values of the cookie sent it, or why the response is
   * rejected.
   */
  async findAnswered(
    { inResponseTo, relayState }: Answer,
    idp: string,
    sent: readonly string[],
  ): Promise<PendingRequest | SamlRejection> {
    if (inResponseTo === undefined) return 'unsolicited';
    // Without a cookie no request can belong to this browser, so none is looked up.
    if (sent.length === 0) return 'other_browser';
    const request = await this.work.single((tx) => this.store.find(tx, inResponseTo, idp, this.clock.seconds()));
    if (!request) return 'in_response_to';
    if (!secretsIn(sent).some((secret) => hashSecret(secret) === request.browserHash)) return 'other_browser';
    return request.relayState === relayState ? request : 'relay_state';
  }

  /**
   * Marks an assertion and the request that it answers as used, in a transaction of its own, before anything else happens. Of
   * several responses at once only one continues, and it stays used even if the login fails later. `request` is undefined for
   * a login that began at the identity provider.
   */
  use(
    request: PendingRequest | undefined,
    assertion: AssertionFacts,
    properties: Pick<IdpProperties, 'clockSkew' | 'maxAssertionAge'>,
  ): Promise<SamlRejection | undefined> {
    return this.work.run(async (tx) => {
      if (request && !(await this.store.use(tx, request, this.clock.seconds()))) return 'request_used';
      return (await this.usedAssertions.use(tx, assertion, properties)) ? undefined : 'replay';
    });
  }

  /** The value that held the secret of a completed login, without it; undefined if nothing remains. */
  cookieWithout(request: PendingRequest | undefined, sent: readonly string[]): RequestCookie | undefined {
    const isUsed = (secret: string): boolean => hashSecret(secret) === request?.browserHash;
    const own = sent.find((value) => parseSecrets(value).some(isUsed)) ?? sent[0];
    const left = parseSecrets(own).filter((secret) => !isUsed(secret));
    return left.length === 0 ? undefined : { value: left.join(SEPARATOR), maxAge: REQUEST_SECONDS };
  }
}

/** The secrets of all values, the first of each before the second ones: no value of another service pushes out all of ours. */
function secretsIn(sent: readonly string[]): readonly string[] {
  const values = sent.map((value) => parseSecrets(value));
  const secrets = Array.from({ length: MAX_TABS }, (_, at) => values.flatMap((value) => value.slice(at, at + 1)));
  return [...new Set(secrets.flat())];
}

function parseSecrets(cookie = ''): readonly string[] {
  return cookie.split(SEPARATOR, MAX_TABS).filter(isSecretForm);
}

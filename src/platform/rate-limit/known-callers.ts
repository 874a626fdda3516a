import type { IncomingHttpHeaders } from 'node:http';

/** The part of a request that limits read. */
export interface LimitedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body?: unknown;
}

/** Identifies the accounts and known browsers of requests; `auth` provides it. */
export abstract class KnownCallers {
  /** The login id that the request names, in the form in which it is stored. */
  abstract loginIdOf(request: LimitedRequest): string | undefined;

  /**
   * The account of a browser that completed a sign-in before, if its cookie is valid and the request names no other
   * account. Its requests are counted apart, so that an attacker at the same address or with the same login id cannot use
   * up the limit of the owner.
   */
  abstract deviceOwnerOf(request: LimitedRequest, loginId: string | undefined): Promise<string | undefined>;
}

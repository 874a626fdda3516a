import { createHash, randomBytes } from 'node:crypto';
import { type Answer, HttpClient } from '../http/http-client.js';

/** What an application is registered with. */
export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string;
  readonly redirectUri: string;
}

/** What an application keeps between its request and the response. */
export interface Attempt {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** An application that signs users in with plain HTTP requests, so that a test can bend each of them. */
export class RelyingParty {
  constructor(
    readonly client: RegisteredClient,
    private readonly serviceUrl: string,
  ) {}

  attempt(): Attempt {
    const text = (): string => randomBytes(32).toString('base64url');
    return { verifier: text(), state: text(), nonce: text() };
  }

  /** The path of an authorization request; undefined removes a parameter. */
  authorizePath(
    { verifier, state, nonce }: Attempt,
    changes: Readonly<Record<string, string | undefined>> = {},
  ): string {
    const parameters = {
      response_type: 'code',
      client_id: this.client.id,
      redirect_uri: this.client.redirectUri,
      scope: 'openid',
      ...{ state, nonce },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    };
    const sent = new URLSearchParams();
    for (const [name, value] of Object.entries<string | undefined>(parameters)) {
      if (value !== undefined) sent.set(name, value);
    }
    return `/authorize?${sent.toString()}`;
  }

  /** The authorization response to a browser, or undefined if the browser is sent elsewhere. */
  response(answer: Answer): URLSearchParams | undefined {
    const location = answer.headers.get('location') ?? '';
    return location.startsWith(this.client.redirectUri) ? new URL(location).searchParams : undefined;
  }

  /** Signs in with the session of a browser; returns the parameters of the response. */
  async authorize(
    browser: HttpClient,
    attempt: Attempt,
    changes: Readonly<Record<string, string | undefined>> = {},
  ): Promise<URLSearchParams> {
    const answer = await browser.get(this.authorizePath(attempt, changes), HTML);
    const response = this.response(answer);
    if (!response) throw new Error(`/authorize → ${answer.status} ${answer.headers.get('location') ?? answer.text}`);
    return response;
  }

  /** A request to the token endpoint, with the authentication of the client. */
  token(form: Readonly<Record<string, string>>, client = new HttpClient(this.serviceUrl)): Promise<Answer> {
    const { id, secret } = this.client;
    const authorization = `Basic ${Buffer.from(`${id}:${secret ?? ''}`).toString('base64')}`;
    return client.send('POST', '/token', {
      form: secret === undefined ? { client_id: id, ...form } : form,
      ...(secret !== undefined && { headers: { authorization } }),
    });
  }

  redeem(code: string, { verifier }: Attempt, changes: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { redirectUri } = this.client;
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...changes,
    });
  }

  /** The whole sign-in with the session of a browser; returns the token response. */
  async signIn(browser: HttpClient, changes: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> {
    const attempt = this.attempt();
    const response = await this.authorize(browser, attempt, changes);
    return this.redeem(response.get('code') ?? '', attempt);
  }

  refresh(refreshToken: string): Promise<Answer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }
}

/** A browser asks for pages. */
export const HTML = { headers: { accept: 'text/html' } };

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, HttpClient } from '../http/http-client.js';
import { IdentityProvider, makeKeyPair } from './identity-provider.js';
import { type EventRow, type LoginStory, refresh, storyOn, type StoryOptions } from '../login/login-story.js';
import { type AuthnRequest, encoded, readAuthnRequest } from './saml-messages.js';
import type { ResponseOptions } from './saml-response.js';
import type { Engine } from '../database/story-database.js';
import { temporaryFolder } from '../programs/temporary-folder.js';

export { MFA_CLASS, PASSWORD_CLASS } from './saml-xml.js';

/** Keys of one identity provider below `app.security.saml.idp.<name>`; an empty value removes a default. */
export type IdpKeys = Readonly<Record<string, string>>;

/** The form of a SAML response that a browser posts. */
export type Posted = Readonly<Record<string, string>>;

/** Attribute with the groups of a user. */
export const ROLES = 'urn:test:groups';

const SSO_URL = 'https://idp.test/sso';
const SLO_URL = 'https://idp.test/slo';

/** Staff sign-in through identity providers that the test itself plays. */
export class StaffStory {
  constructor(
    readonly story: LoginStory,
    private readonly idps: ReadonlyMap<string, IdentityProvider>,
  ) {}

  /** The identity provider of that name. */
  idp(name = 'corp'): IdentityProvider {
    const idp = this.idps.get(name);
    if (!idp) throw new Error(`the story has no identity provider ${name}`);
    return idp;
  }

  client(service = 0): HttpClient {
    return this.story.client(service);
  }

  /** Starts a SAML sign-in; returns the AuthnRequest of the redirect. */
  async depart(client: HttpClient, query = '', idp = 'corp'): Promise<AuthnRequest> {
    const answer = await client.get(`/saml/${idp}/login${query}`);
    if (answer.status !== 303) throw new Error(`${answer.request} → ${answer.status} ${answer.text}`);
    return readAuthnRequest(answer.headers.get('location') ?? '');
  }

  /** XML of a response to a request, altered by `bent`. */
  response(request: AuthnRequest, bent: Partial<ResponseOptions> = {}, idp = 'corp'): string {
    return this.idp(idp).response(this.honest(request, bent));
  }

  /** Options of a genuine response to a request. */
  honest(request: AuthnRequest, bent: Partial<ResponseOptions> = {}): ResponseOptions {
    return {
      acsUrl: request.acsUrl ?? '',
      audience: request.issuer ?? null,
      inResponseTo: request.id ?? null,
      now: this.story.clock.millis,
      ...bent,
    };
  }

  /** The form that carries a response. */
  posted(xml: string, { relayState }: Pick<AuthnRequest, 'relayState'>): Posted {
    return { SAMLResponse: encoded(xml), ...(relayState !== undefined && { RelayState: relayState }) };
  }

  /** Posts a response cross-site, as a browser does on the page of the identity provider. */
  arrive(client: HttpClient, form: Posted, idp = 'corp', accept?: string): Promise<Answer> {
    const headers = {
      origin: 'https://idp.test',
      'sec-fetch-site': 'cross-site',
      ...(accept !== undefined && { accept }),
    };
    return client.send('POST', `/saml/${idp}/acs`, { form, headers });
  }

  /** A complete SAML sign-in in one browser. */
  async signIn(
    bent: Partial<ResponseOptions> = {},
    { client = this.client(), query = '', idp = 'corp' }: { client?: HttpClient; query?: string; idp?: string } = {},
  ): Promise<{ readonly client: HttpClient; readonly answer: Answer; readonly request: AuthnRequest }> {
    const request = await this.depart(client, query, idp);
    const answer = await this.arrive(client, this.posted(this.response(request, bent, idp), request), idp);
    return { client, answer, request };
  }

  /** The access token that a page gets with the refresh cookie. */
  async accessToken(client: HttpClient): Promise<string> {
    const answer = await refresh(client);
    const { access_token: token } = answer.body;
    if (typeof token !== 'string') throw new Error(`${answer.request} → ${answer.status} ${answer.text}`);
    return token;
  }

  /** Security events of staff logins, oldest first. */
  samlEvents(): Promise<readonly (EventRow & { readonly idp: string; readonly authn_context: string | null })[]> {
    return this.story.database.query("SELECT * FROM security_event WHERE kind LIKE 'SAML%' ORDER BY id");
  }

  /** The reason of the latest rejection. */
  async lastRejection(): Promise<string | null | undefined> {
    return (await this.samlEvents()).findLast(({ kind }) => kind === 'SAML_REJECTED')?.reason;
  }
}

/** A story with identity providers of these names and keys. */
export function staffStoryOn(
  engine: Engine,
  keys: Readonly<Record<string, IdpKeys>> = { corp: {} },
  options: StoryOptions = {},
): StaffStory {
  const folder = temporaryFolder('idp');
  const idps = new Map(
    Object.keys(keys).map((name) => [
      name,
      IdentityProvider.make({ entityId: `https://${name}.idp.test/metadata`, keyPair: makeKeyPair(name) }),
    ]),
  );
  const args = Object.entries(keys).flatMap(([name, own]) => {
    const idp = idps.get(name);
    const file = join(folder, `${name}.crt`);
    writeFileSync(file, idp?.certificate ?? '');
    const all = {
      'entity-id': idp?.entityId ?? '',
      'sso-url': SSO_URL,
      'slo-url': SLO_URL,
      certificates: `file:${file}`,
      ...own,
    };
    const set = Object.entries(all).filter(([, value]) => value !== '');
    return set.map(([key, value]) => `--app.security.saml.idp.${name}.${key}=${value}`);
  });
  return new StaffStory(storyOn(engine, { ...options, args: [...args, ...(options.args ?? [])] }), idps);
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, HttpClient } from './http-client.js';
import { IdentityProvider, makeKeyPair } from './identity-provider.js';
import { type EventRow, type LoginStory, refresh, storyOn, type StoryOptions } from './login-story.js';
import { type AuthnRequest, encoded, readAuthnRequest } from './saml-messages.js';
import type { ResponseOptions } from './saml-response.js';
import type { Engine } from './story-database.js';
import { temporaryFolder } from './temporary-folder.js';

export { MFA_CLASS, PASSWORD_CLASS } from './saml-xml.js';

/** Keys of one identity provider below `app.security.saml.idp.<name>`; some are set already, unless they are empty here. */
export type IdpKeys = Readonly<Record<string, string>>;

/** What an identity provider makes a browser post. */
export type Posted = Readonly<Record<string, string>>;

/** Attribute that tests give groups by. */
export const ROLES = 'urn:test:groups';

const SSO_URL = 'https://idp.test/sso';
const SLO_URL = 'https://idp.test/slo';

/** Stories of staff who sign in through identity providers that a test plays itself. */
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

  /** Lets the service send a browser to the identity provider. */
  async depart(client: HttpClient, query = '', idp = 'corp'): Promise<AuthnRequest> {
    const answer = await client.get(`/saml/${idp}/login${query}`);
    if (answer.status !== 303) throw new Error(`${answer.request} → ${answer.status} ${answer.text}`);
    return readAuthnRequest(answer.headers.get('location') ?? '');
  }

  /** XML of an honest answer to a request, bent as wanted. */
  response(request: AuthnRequest, bent: Partial<ResponseOptions> = {}, idp = 'corp'): string {
    return this.idp(idp).response(this.honest(request, bent));
  }

  /** What an honest answer to a request says. */
  honest(request: AuthnRequest, bent: Partial<ResponseOptions> = {}): ResponseOptions {
    return {
      acsUrl: request.acsUrl ?? '',
      audience: request.issuer ?? null,
      inResponseTo: request.id ?? null,
      now: this.story.clock.millis,
      ...bent,
    };
  }

  /** The form in which a response travels back. */
  posted(xml: string, { relayState }: Pick<AuthnRequest, 'relayState'>): Posted {
    return { SAMLResponse: encoded(xml), ...(relayState !== undefined && { RelayState: relayState }) };
  }

  /** Posts as the identity provider's page makes a browser do: from another site. */
  arrive(client: HttpClient, form: Posted, idp = 'corp', accept?: string): Promise<Answer> {
    const headers = {
      origin: 'https://idp.test',
      'sec-fetch-site': 'cross-site',
      ...(accept !== undefined && { accept }),
    };
    return client.send('POST', `/saml/${idp}/acs`, { form, headers });
  }

  /** There and back in one browser. */
  async signIn(
    bent: Partial<ResponseOptions> = {},
    { client = this.client(), query = '', idp = 'corp' }: { client?: HttpClient; query?: string; idp?: string } = {},
  ): Promise<{ readonly client: HttpClient; readonly answer: Answer; readonly request: AuthnRequest }> {
    const request = await this.depart(client, query, idp);
    const answer = await this.arrive(client, this.posted(this.response(request, bent, idp), request), idp);
    return { client, answer, request };
  }

  /** The access token that a page gets for the cookie of a finished login. */
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

  /** The reason of the newest refusal. */
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

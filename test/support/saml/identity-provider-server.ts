import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { IdentityProvider, type IdentityProviderOptions } from './identity-provider.js';
import {
  type AuthnRequest,
  type Carried,
  encoded,
  type LogoutRequest,
  type LogoutResponse,
  readAuthnRequest,
  readLogoutRequest,
  readLogoutResponse,
} from './saml-messages.js';
import type { MetadataOptions } from './saml-metadata.js';
import type { ResponseOptions } from './saml-response.js';
import { type Binding, escaped } from './saml-xml.js';

/** Settings of the server; a test may change them at any time. */
export interface IdpServerSettings {
  /** User, authentication context class and other parts of the response, in place of the defaults. */
  person?: Partial<ResponseOptions> | ((request: AuthnRequest) => Partial<ResponseOptions>);
  /** True submits the response by script, without a click on `Sign in`. */
  isAutomatic?: boolean;
  /** Clock of the identity provider, in milliseconds since 1970. */
  now?: () => number;
  /** PEM of the certificate that signs the requests of the service. */
  serviceCertificate?: string;
  /** URL for LogoutResponses to the service; without it, the server shows a page and sends no response. */
  serviceSloUrl?: string;
  /** Binding of the LogoutResponse: HTTP-Redirect by default; with HTTP-POST it is posted like a login response. */
  serviceSloBinding?: Binding;
  /** Parts of the metadata besides the endpoints; a text or bytes replace all of the metadata. */
  metadata?: Partial<MetadataOptions> | string | Buffer;
  /** Changes the response of `/metadata`, which is an immediate 200 by default. */
  metadataAnswer?: MetadataAnswer;
}

interface MetadataAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** True omits the Date header. */
  readonly isUndated?: boolean;
  /** The response waits for this promise. */
  readonly heldUntil?: Promise<unknown>;
}

/** An identity provider for browsers, with `/sso`, `/slo` and `/metadata` on the loopback address. */
export class IdpServer {
  /** Method and path of each call, in order. */
  readonly calls: string[] = [];
  readonly authnRequests: AuthnRequest[] = [];
  readonly logoutRequests: LogoutRequest[] = [];
  readonly logoutResponses: LogoutResponse[] = [];

  private constructor(
    readonly idp: IdentityProvider,
    readonly url: string,
    /** The object of the test: changes take effect with the next call. */
    readonly settings: IdpServerSettings,
    private readonly server: Server,
  ) {
    server.on('request', (request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        response.writeHead(400).end(String(error));
      });
    });
  }

  /** Listens on a free port; the entity id is the URL of its metadata, unless one is given. */
  static async start(settings: IdpServerSettings = {}, options: IdentityProviderOptions = {}): Promise<IdpServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const idp = IdentityProvider.make({ entityId: `${url}/metadata`, ...options });
    return new IdpServer(idp, url, settings, server);
  }

  get ssoUrl(): string {
    return `${this.url}/sso`;
  }

  get sloUrl(): string {
    return `${this.url}/slo`;
  }

  get metadataUrl(): string {
    return `${this.url}/metadata`;
  }

  /** Its metadata. */
  get metadata(): string | Buffer {
    const { metadata = {} } = this.settings;
    if (typeof metadata === 'string' || Buffer.isBuffer(metadata)) return metadata;
    return this.idp.metadata({ ssoUrl: this.ssoUrl, sloUrl: this.sloUrl, ...metadata });
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  /** Response to an AuthnRequest, as the form that a browser posts; tests without a browser post it themselves. */
  answerTo(request: AuthnRequest, bent: Partial<ResponseOptions> = {}): { acsUrl: string; fields: Fields } {
    const { person = {}, now = Date.now } = this.settings;
    const options: ResponseOptions = {
      acsUrl: request.acsUrl ?? '',
      audience: request.issuer ?? null,
      inResponseTo: request.id ?? null,
      now: now(),
      ...(typeof person === 'function' ? person(request) : person),
      ...bent,
    };
    const SAMLResponse = encoded(this.idp.response(options));
    const { relayState } = request;
    const fields = relayState === undefined ? { SAMLResponse } : { SAMLResponse, RelayState: relayState };
    return { acsUrl: options.acsUrl, fields };
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const [path = '/'] = url.split('?');
    this.calls.push(`${method} ${path}`);
    const body = await text(request);
    const carried = method === 'POST' ? Object.fromEntries(new URLSearchParams(body)) : url;
    if (path === '/metadata') await this.showMetadata(response);
    else if (path === '/sso') this.signIn(carried, response);
    else if (path === '/slo') this.logOut(carried, response);
    else response.writeHead(404).end();
  }

  private async showMetadata(response: ServerResponse): Promise<void> {
    const { status = 200, headers = {}, isUndated = false, heldUntil } = this.settings.metadataAnswer ?? {};
    await heldUntil;
    response.sendDate = !isUndated;
    response.writeHead(status, { 'content-type': 'application/samlmetadata+xml', ...headers }).end(this.metadata);
  }

  private signIn(carried: Carried, response: ServerResponse): void {
    const request = readAuthnRequest(carried, this.settings.serviceCertificate);
    this.authnRequests.push(request);
    const { acsUrl, fields } = this.answerTo(request);
    show(response, formPage(acsUrl, fields, this.settings.isAutomatic ?? false));
  }

  private logOut(carried: Carried, response: ServerResponse): void {
    const {
      serviceCertificate,
      serviceSloUrl: url,
      serviceSloBinding: binding = 'redirect',
      now = Date.now,
    } = this.settings;
    if (typeof carried === 'string' ? carried.includes('SAMLResponse=') : 'SAMLResponse' in carried) {
      this.logoutResponses.push(readLogoutResponse(carried, serviceCertificate));
      show(response, SIGNED_OUT);
      return;
    }
    const request = readLogoutRequest(carried, serviceCertificate);
    this.logoutRequests.push(request);
    if (url === undefined) {
      show(response, SIGNED_OUT);
      return;
    }
    const { id: inResponseTo = null, relayState } = request;
    const relayed = relayState === undefined ? {} : { relayState };
    const answer = this.idp.logoutResponse({ url, binding, inResponseTo, now: now(), ...relayed });
    if (answer.fields === undefined) response.writeHead(302, { location: answer.url }).end();
    else show(response, formPage(answer.url, answer.fields, this.settings.isAutomatic ?? false));
  }
}

type Fields = Readonly<Record<string, string>>;

const SIGNED_OUT = '<!doctype html><title>Identity provider</title><p>Signed out</p>';

/** A page that posts the fields with the button `Sign in` or by script. */
function formPage(action: string, fields: Fields, isAutomatic: boolean): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
  );
  return (
    `<!doctype html><title>Identity provider</title><form method="post" action="${escaped(action)}">${inputs.join('')}` +
    `<button>Sign in</button></form>${isAutomatic ? '<script>document.forms[0].submit()</script>' : ''}`
  );
}

function show(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(body);
}

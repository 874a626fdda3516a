import type { Answer, HttpClient } from '../http/http-client.js';
import { BROWSER, withoutContext } from '../pages/pages.js';

type Fields = Readonly<Record<string, string>>;

/** How a proxy describes a request: with the headers of Traefik and Caddy, or those of the recipe for nginx. */
export type Description = 'forwarded' | 'original';

/** A browser at an application behind a proxy: it has cookies at the host of the application, and others at that of the service. */
export class ProxiedBrowser {
  constructor(
    /** Cookies at the host of the application. */
    readonly atApplication: HttpClient,
    /** Cookies at the host of the service. */
    readonly atService: HttpClient,
    readonly origin: string,
    private readonly description: Description = 'forwarded',
  ) {}

  /** The decision about a request of a page; `headers` are of the browser. */
  visit(uri: string, headers: Fields = {}): Promise<Answer> {
    return this.ask(uri, 'GET', { ...BROWSER, ...headers });
  }

  /** The decision about any request. */
  ask(uri: string, method = 'GET', headers: Fields = {}): Promise<Answer> {
    return this.atApplication.get('/forward-auth', {
      headers: { ...headers, ...this.forwarded, ...this.describe(uri, method) },
    });
  }

  /** Follows the address that a decision names, up to the host of the service; returns the path there. */
  async begin(decision: Answer): Promise<string> {
    const begun = await this.atApplication.get(this.pathAt(this.origin, locationOf(decision)), this.asBrowser);
    return withoutContext(this.atService, pathOf(locationOf(begun)));
  }

  /** Follows a redirect from the host of the service back to that of the application. */
  end(authorized: Answer): Promise<Answer> {
    return this.atApplication.get(this.pathAt(this.origin, locationOf(authorized)), this.asBrowser);
  }

  /** The whole sign-in of a browser whose session at the service is enough; returns where it ends. */
  async signIn(uri: string): Promise<string> {
    const authorized = await this.atService.get(await this.begin(await this.visit(uri)), { headers: BROWSER });
    const ended = await this.end(authorized);
    return locationOf(ended);
  }

  private get forwarded(): Fields {
    const { protocol, host } = new URL(this.origin);
    return { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host };
  }

  private get asBrowser(): { readonly headers: Fields } {
    return { headers: { ...BROWSER, ...this.forwarded } };
  }

  private describe(uri: string, method: string): Fields {
    return this.description === 'forwarded'
      ? { 'x-forwarded-uri': uri, 'x-forwarded-method': method }
      : { 'x-original-url': this.origin + uri, 'x-original-method': method };
  }

  private pathAt(origin: string, location: string): string {
    if (!location.startsWith(`${origin}/`)) throw new Error(`${location} is not at ${origin}`);
    return withoutContext(this.atApplication, location.slice(origin.length));
  }
}

export function locationOf({ request, status, headers, text }: Answer): string {
  const location = headers.get('location');
  if (location === null) throw new Error(`${request} → ${status} leads nowhere: ${text}`);
  return location;
}

function pathOf(location: string): string {
  const { pathname, search } = new URL(location);
  return pathname + search;
}

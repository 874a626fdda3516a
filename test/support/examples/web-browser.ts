import { type Answer, HttpClient } from '../http/http-client.js';
import { BROWSER, formOf, visit } from '../pages/pages.js';

/** What a browser shows in the end, after all redirects. */
export interface Shown {
  readonly url: string;
  readonly answer: Answer;
}

const MAX_REDIRECTS = 12;

/** A browser without scripts that moves between sites: it follows redirects, and keeps the cookies of each site apart. */
export class WebBrowser {
  /** The addresses to which redirects have led. */
  readonly led: string[] = [];
  private readonly sites = new Map<string, HttpClient>();

  async open(url: string): Promise<Shown> {
    const { origin, pathname, search } = new URL(url);
    return this.follow(url, await visit(this.at(origin), pathname + search));
  }

  /** Fills in the form with this button, or the only one, and sends it. */
  async submit({ url, answer }: Shown, typed: Readonly<Record<string, string>> = {}, button?: string): Promise<Shown> {
    const page = this.at(new URL(url).origin);
    const { path, fields } = formOf(page, answer, button);
    const { origin, pathname, search, href } = new URL(path, url);
    const form = { ...fields, ...typed };
    return this.follow(href, await this.at(origin).send('POST', pathname + search, { form, headers: BROWSER }));
  }

  /** Its part at one site, with the cookies there. */
  at(origin: string): HttpClient {
    const known = this.sites.get(origin) ?? new HttpClient(origin);
    this.sites.set(origin, known);
    return known;
  }

  private async follow(from: string, first: Answer): Promise<Shown> {
    let [url, answer] = [from, first];
    for (let redirects = 0; redirects < MAX_REDIRECTS; redirects += 1) {
      const location = answer.headers.get('location');
      if (answer.status < 300 || answer.status > 399 || location === null) return { url, answer };
      url = new URL(location, url).href;
      this.led.push(url);
      const { origin, pathname, search } = new URL(url);
      answer = await visit(this.at(origin), pathname + search);
    }
    throw new Error(`${from} leads on for ever, at last to ${url}`);
  }
}

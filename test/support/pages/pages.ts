import { PASSKEY_SIGN_IN_PATH, SIGN_OUT_PATH } from '../../../src/signin/auth/page-paths.js';
import type { Answer, HttpClient } from '../http/http-client.js';

/** The Accept header of browsers for links and forms. */
export const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** Content-Security-Policy of pages whose forms lead to the service only. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; " +
  "frame-ancestors 'none'";

type Fields = Readonly<Record<string, string>>;

/** The form of a page, as a browser reads it. */
export interface Form {
  /** Without the context path of `client`. */
  readonly path: string;
  readonly fields: Fields;
}

/** Requests a page as a browser does. */
export function visit(client: HttpClient, path: string, headers: Fields = {}): Promise<Answer> {
  return client.get(path, { headers: { ...BROWSER, ...headers } });
}

/** The only form of a page besides those to sign out and to sign in by a passkey, which is hidden, or the one with this button, with its preset values. */
export function formOf(client: HttpClient, { text, request }: Answer, button = ''): Form {
  const all = text.match(/<form [^]*?<\/form>/g) ?? [];
  const main = all.filter((each) => ![SIGN_OUT_PATH, PASSKEY_SIGN_IN_PATH].some((path) => each.includes(path)));
  const forms = button === '' && main.length > 0 ? main : all;
  const [form, ...others] = forms.filter((each) => each.includes(`${button}</button>`));
  if (form === undefined || others.length > 0) throw new Error(`${request} has no page with one form:\n${text}`);
  const action = attribute(form, 'action');
  const inputs = (form.match(/<input [^>]*>/g) ?? []).filter((input) => !/ type="checkbox"(?!.* checked)/.test(input));
  // Browsers send no input without a name.
  const named = inputs.filter((input) => attribute(input, 'name') !== '');
  const fields = Object.fromEntries(named.map((input) => [attribute(input, 'name'), attribute(input, 'value')]));
  return { path: withoutContext(client, action), fields };
}

/** Fills in the form of a page and sends it as a browser does. */
export function submit(
  client: HttpClient,
  page: Answer,
  typed: Fields,
  headers: Fields = {},
  button?: string,
): Promise<Answer> {
  const { path, fields } = formOf(client, page, button);
  return client.send('POST', path, { form: { ...fields, ...typed }, headers: { ...BROWSER, ...headers } });
}

/** Follows a 303 as a browser does. */
export function follow(client: HttpClient, { status, headers, request, text }: Answer): Promise<Answer> {
  const location = headers.get('location');
  if (status !== 303 || location === null) throw new Error(`${request} → ${status} sends nobody on: ${text}`);
  return visit(client, withoutContext(client, location));
}

/** Decodes the text between tags. */
export function unescaped(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

function attribute(tag: string, name: string): string {
  return unescaped(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

export function withoutContext({ baseUrl }: HttpClient, path: string): string {
  const { pathname } = new URL(baseUrl);
  return pathname === '/' ? path : path.replace(pathname, '');
}

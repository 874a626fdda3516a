import { Agent, request as httpRequest } from 'node:http';
import { text as wholeText } from 'node:stream/consumers';

/** A cookie of a response; attribute names are in lower case, attributes without a value are `true`. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  readonly attributes: Readonly<Record<string, string | true>>;
}

/** The members of a JSON object without a declared type. */
export type Members = Readonly<Record<string, unknown>>;

export interface Answer {
  /** Method and path, for failure messages. */
  readonly request: string;
  readonly status: number;
  readonly headers: Headers;
  readonly cookies: readonly SetCookie[];
  readonly text: string;
  /** The JSON object of the body; empty if the body is not an object. */
  readonly body: Members;
}

export interface RequestOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged, with the media type in `headers`. */
  readonly raw?: string | Uint8Array;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `Authorization: Bearer`. */
  readonly bearer?: string;
  /** Aborts the request, for example if it hangs. */
  readonly signal?: AbortSignal;
}

interface KeptCookie {
  readonly value: string;
  readonly path: string;
}

/** One browser or app: keeps cookies as RFC 6265 says, by name and path; never follows a redirect. */
export class HttpClient {
  private readonly jar = new Map<string, KeptCookie>();
  /** Headers of every request. */
  readonly headers: Record<string, string> = {};
  /** Local address of its connections; all of 127.0.0.0/8 is this machine. */
  address: string | undefined;

  constructor(readonly baseUrl: string) {}

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('GET', path, options);
  }

  post(path: string, json: unknown = {}, options?: RequestOptions): Promise<Answer> {
    return this.send('POST', path, { json, ...options });
  }

  delete(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('DELETE', path, options);
  }

  async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { type, body } = bodyOf(options);
    const cookies = this.cookiesFor(path);
    const { status, headers, text } = await exchange(`${this.baseUrl}${path}`, body, {
      method,
      address: this.address,
      signal: options.signal,
      headers: {
        ...(type !== undefined && { 'content-type': type }),
        ...(cookies !== '' && { cookie: cookies }),
        ...(options.bearer !== undefined && { authorization: `Bearer ${options.bearer}` }),
        ...this.headers,
        ...options.headers,
      },
    });
    const set = headers.getSetCookie().map(parseSetCookie);
    for (const cookie of set) this.keep(cookie);
    return { request: `${method} ${path}`, status, headers, cookies: set, text, body: membersOf(text) };
  }

  /** The value of a cookie in the jar. */
  cookie(name: string): string | undefined {
    return this.jar.get(name)?.value;
  }

  /** Adds a cookie to the jar, as an attacker might plant one. */
  plant(name: string, value: string, path = '/'): void {
    this.jar.set(name, { value, path });
  }

  forget(name: string): void {
    this.jar.delete(name);
  }

  /** Another browser with the same cookies, or the same one at another service. */
  copy(baseUrl = this.baseUrl): HttpClient {
    const copy = new HttpClient(baseUrl);
    for (const [name, cookie] of this.jar) copy.jar.set(name, cookie);
    Object.assign(copy.headers, this.headers);
    copy.address = this.address;
    return copy;
  }

  private cookiesFor(path: string): string {
    const full = new URL(`${this.baseUrl}${path}`).pathname;
    return [...this.jar]
      .filter(([, cookie]) => matches(full, cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  private keep({ name, value, attributes }: SetCookie): void {
    const isOver = attributes['max-age'] === '0' || isPast(attributes['expires']);
    if (isOver) this.jar.delete(name);
    else this.jar.set(name, { value, path: String(attributes['path'] ?? '/') });
  }
}

/** The cookie of that name in a response. */
export function setCookie(answer: Answer, name: string): SetCookie | undefined {
  return answer.cookies.find((cookie) => cookie.name === name);
}

/** A text member of the body; the empty text if it is missing, since the service never sends one. */
export function textOf(answer: Answer, member: string): string {
  const value = answer.body[member];
  return typeof value === 'string' ? value : '';
}

/** A member of the body that is a list of texts. */
export function textsOf(answer: Answer, member: string): readonly string[] {
  const value = answer.body[member];
  return Array.isArray(value) ? value.map(String) : [];
}

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly address: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sockets stay open, as in browsers, for less time than the service keeps them: a process that is busy when a socket is
 * closed would use it once more. Their number is not limited.
 */
const SOCKETS = new Agent({ keepAlive: true, timeout: 5000 });

function exchange(
  url: string,
  body: string | Uint8Array | undefined,
  { method, headers, address, signal }: Sent,
): Promise<Pick<Answer, 'status' | 'headers' | 'text'>> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const local = address === undefined ? {} : { localAddress: address };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method,
      agent: SOCKETS,
      headers: { ...length, ...headers },
      ...local,
      ...(signal && { signal }),
    });
    request.once('error', reject);
    request.once('response', (response) => {
      const { statusCode: status = 0, headersDistinct } = response;
      const received = new Headers();
      for (const [name, values = []] of Object.entries(headersDistinct)) {
        for (const value of values) received.append(name, value);
      }
      wholeText(response).then((text) => {
        resolve({ status, headers: received, text });
      }, reject);
    });
    request.end(body);
  });
}

function bodyOf({ json, raw, form }: RequestOptions): { type?: string; body?: string | Uint8Array } {
  if (raw !== undefined) return { body: raw };
  if (form) return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(form).toString() };
  return json === undefined ? {} : { type: 'application/json', body: JSON.stringify(json) };
}

function membersOf(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
  } catch {
    return {};
  }
}

/** Headers for HTTP Basic authentication. */
export function basic(name: string, password: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

function parseSetCookie(line: string): SetCookie {
  const [pair = '', ...rest] = line.split(';').map((part) => part.trim());
  const at = pair.indexOf('=');
  const attributes = rest.map((attribute): [string, string | true] => {
    const [name = '', ...value] = attribute.split('=');
    return [name.toLowerCase(), value.length === 0 ? true : value.join('=')];
  });
  return { name: pair.slice(0, at), value: pair.slice(at + 1), attributes: Object.fromEntries(attributes) };
}

/** RFC 6265 section 5.1.4. */
function matches(requestPath: string, cookiePath: string): boolean {
  if (!requestPath.startsWith(cookiePath)) return false;
  return cookiePath.endsWith('/') || requestPath.length === cookiePath.length || requestPath[cookiePath.length] === '/';
}

function isPast(expires: string | true | undefined): boolean {
  return typeof expires === 'string' && Date.parse(expires) <= 0;
}

import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { OutboundFailure } from '../../platform/outbound/outbound-failure.js';
import type { OutboundHttp, OutboundRequest } from '../../platform/outbound/outbound-http.service.js';
import type { OutboundResponse } from '../../platform/outbound/outbound-response.js';
import type { ConsoleInstance } from './instance.js';

export interface ConsoleCredentials {
  readonly username: string;
  readonly password: string;
}

/** Thrown for a call that the console did not accept; the message contains no credentials. */
class ConsoleFailure extends Error {
  constructor(url: string, reason: string, cause?: unknown) {
    super(`${url} ${reason}`, { cause });
    this.name = 'ConsoleFailure';
  }
}

const JSON_TYPE = 'application/json';
/** Timeout of a whole call, including its response. */
const TIMEOUT_MILLIS = 10_000;
/** A response contains little more than an id. */
const MAX_BODY_BYTES = 1024 * 1024;

type Call = Pick<OutboundRequest, 'method' | 'headers' | 'body'>;

/** Calls one console (management API, "Clients and what they need"). */
export class ConsoleClient {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    private readonly http: OutboundHttp,
    /** The URL of the console without a trailing slash. */
    readonly url: string,
    credentials?: ConsoleCredentials,
    private readonly totalMillis = TIMEOUT_MILLIS,
  ) {
    const pair = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    this.headers = withoutUndefined({ accept: JSON_TYPE, authorization: pair && `Basic ${pair}` });
  }

  /**
   * Registers the instance, or reports that it is still alive; the same health URL keeps the same id.
   * @returns the id that the console assigned
   * @throws ConsoleFailure if the console does not accept it
   */
  async register(instance: ConsoleInstance, signal: AbortSignal): Promise<string> {
    const response = await this.call(signal, '/instances', {
      method: 'POST',
      headers: { ...this.headers, 'content-type': JSON_TYPE },
      body: JSON.stringify(instance),
    });
    const id = await idIn(response);
    if (id === undefined) throw new ConsoleFailure(this.url, 'responded without an id');
    return id;
  }

  /** @throws ConsoleFailure if the console does not accept it */
  async deregister(id: string, signal: AbortSignal): Promise<void> {
    const path = `/instances/${encodeURIComponent(id)}`;
    await (await this.call(signal, path, { method: 'DELETE', headers: this.headers })).discard();
  }

  private async call(signal: AbortSignal, path: string, call: Call): Promise<OutboundResponse> {
    const response = await this.request({ url: `${this.url}${path}`, ...call, signal });
    if (response.isSuccess) return response;
    await response.discard();
    throw new ConsoleFailure(this.url, `responded with ${response.status}`);
  }

  private async request(request: Omit<OutboundRequest, 'client' | 'reach' | 'totalMillis'>): Promise<OutboundResponse> {
    try {
      // The console belongs to the operations network, which is internal. The target of a redirect must not receive our
      // credentials, so none is followed.
      return await this.http.request({ ...request, client: 'console', reach: 'any', totalMillis: this.totalMillis });
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      throw new ConsoleFailure(this.url, `cannot be reached: ${error.message}`, error);
    }
  }
}

async function idIn(response: OutboundResponse): Promise<string | undefined> {
  try {
    const { id } = JSON.parse(String(await response.read(MAX_BODY_BYTES))) as { readonly id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

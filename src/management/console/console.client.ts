import { withoutUndefined } from '../../collections/without-undefined.js';
import { tracedCall } from '../../tracing/traced-call.js';
import type { ConsoleInstance } from './instance.js';

export interface ConsoleCredentials {
  readonly username: string;
  readonly password: string;
}

/** Thrown for a call that the console did not accept; the message contains no credentials. */
export class ConsoleFailure extends Error {
  constructor(url: string, reason: string, cause?: unknown) {
    super(`${url} ${reason}`, { cause });
    this.name = 'ConsoleFailure';
  }
}

interface ConsoleRequest extends RequestInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

const JSON_TYPE = 'application/json';
/** Timeout of a whole call, including its response. */
const TIMEOUT_MILLIS = 10_000;

/** Calls one console (management API, "Clients and what they need"). */
export class ConsoleClient {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    /** The URL of the console without a trailing slash. */
    readonly url: string,
    credentials?: ConsoleCredentials,
    private readonly limitMillis = TIMEOUT_MILLIS,
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
    const { id } = (await response.json().catch(() => ({}))) as { readonly id?: unknown };
    if (typeof id !== 'string') throw new ConsoleFailure(this.url, 'responded without an id');
    return id;
  }

  /** @throws ConsoleFailure if the console does not accept it */
  async deregister(id: string, signal: AbortSignal): Promise<void> {
    const path = `/instances/${encodeURIComponent(id)}`;
    const { body } = await this.call(signal, path, { method: 'DELETE', headers: this.headers });
    await body?.cancel();
  }

  private async call(signal: AbortSignal, path: string, init: ConsoleRequest): Promise<Response> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.limitMillis)]);
    const response = await this.request(`${this.url}${path}`, { ...init, signal: limit });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new ConsoleFailure(this.url, `responded with ${response.status}`);
  }

  private async request(url: string, init: ConsoleRequest): Promise<Response> {
    try {
      // The target of a redirect must not receive our credentials.
      return await tracedCall({ method: init.method, url }, (trace) =>
        fetch(url, { ...init, headers: { ...trace, ...init.headers }, redirect: 'manual' }),
      );
    } catch (error) {
      throw new ConsoleFailure(this.url, `cannot be reached: ${this.reasonOf(error)}`, error);
    }
  }

  private reasonOf(error: unknown): string {
    if (!(error instanceof Error)) return 'unknown';
    if (error.name === 'TimeoutError') return `no response within ${this.limitMillis / 1000} s`;
    const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
    return code ?? message;
  }
}

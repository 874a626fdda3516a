import { tracedCall } from '../../tracing/traced-call.js';
import { MAX_METADATA_LENGTH } from '../xml/metadata-allowlist.js';
import { decodeUtf8, MetadataFailure } from './metadata-source.js';

/** A fetched document, and the time in the header `Date` of its response. */
interface Fetched {
  readonly document: string;
  /** Milliseconds since 1970. */
  readonly date?: number;
}

/** Fetches metadata over HTTP. */
export class MetadataClient {
  /** `limitMillis` limits a whole call, including the response body. */
  constructor(private readonly limitMillis: number) {}

  /** @throws MetadataFailure */
  async fetch(url: string, signal?: AbortSignal): Promise<Fetched> {
    const limit = AbortSignal.timeout(this.limitMillis);
    try {
      // Redirects are not followed: the operator must configure the host from which trust comes.
      const headers = { accept: 'application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1' };
      const response = await tracedCall({ method: 'GET', url }, (trace) =>
        fetch(url, {
          headers: { ...trace, ...headers },
          redirect: 'manual',
          signal: signal ? AbortSignal.any([signal, limit]) : limit,
        }),
      );
      if (response.status !== 200) {
        await response.body?.cancel();
        const hint = response.status >= 300 && response.status < 400 ? ', and redirects are not followed' : '';
        throw new MetadataFailure(`the URL responded with ${response.status}${hint}`);
      }
      const document = decodeUtf8(await readBody(response));
      const date = Date.parse(response.headers.get('date') ?? '');
      return { document, ...(!Number.isNaN(date) && { date }) };
    } catch (error) {
      if (error instanceof MetadataFailure) throw error;
      throw new MetadataFailure(`the URL cannot be reached: ${this.reasonOf(error)}`, error);
    }
  }

  private reasonOf(error: unknown): string {
    if (!(error instanceof Error)) return 'unknown';
    if (error.name === 'TimeoutError') return `no complete response within ${this.limitMillis / 1000} s`;
    const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
    return code ?? message;
  }
}

/** Reads no more than the limit, whatever Content-Length states. */
async function readBody({ body }: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > MAX_METADATA_LENGTH) throw new MetadataFailure('larger than 5 MB');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

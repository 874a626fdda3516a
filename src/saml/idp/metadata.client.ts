import { MetadataFailure, decodeUtf8 } from './metadata-failure.js';
import { MAX_METADATA_LENGTH } from './metadata-source.js';

/** A document, and what its sender's clock said when it was sent. */
interface Fetched {
  readonly document: string;
  /** Milliseconds since 1970. */
  readonly date?: number;
}

/** Fetches metadata over HTTP. */
export class MetadataClient {
  /** `limitMillis` is for a whole call, its answer too. */
  constructor(private readonly limitMillis: number) {}

  /** @throws MetadataFailure */
  async fetch(url: string, signal?: AbortSignal): Promise<Fetched> {
    const limit = AbortSignal.timeout(this.limitMillis);
    try {
      // Where it leads elsewhere, the operator should say so: what is trusted comes from there.
      const headers = { accept: 'application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1' };
      const answer = await fetch(url, {
        headers,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      if (answer.status !== 200) {
        await answer.body?.cancel();
        const hint = answer.status >= 300 && answer.status < 400 ? ', and redirections are not followed' : '';
        throw new MetadataFailure(`their URL answered ${answer.status}${hint}`);
      }
      const document = decodeUtf8(await bytesOf(answer));
      const date = Date.parse(answer.headers.get('date') ?? '');
      return { document, ...(!Number.isNaN(date) && { date }) };
    } catch (error) {
      if (error instanceof MetadataFailure) throw error;
      throw new MetadataFailure(`their URL cannot be reached: ${this.reasonOf(error)}`, error);
    }
  }

  private reasonOf(error: unknown): string {
    if (!(error instanceof Error)) return 'unknown';
    if (error.name === 'TimeoutError') return `no whole answer within ${this.limitMillis / 1000} s`;
    const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
    return code ?? message;
  }
}

/** No more than may be read, whatever the answer says of its length. */
async function bytesOf({ body }: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > MAX_METADATA_LENGTH) throw new MetadataFailure('they are larger than 5 MB');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

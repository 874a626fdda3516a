import { OutboundFailure } from '../../../platform/outbound/outbound-failure.js';
import type { OutboundHttp } from '../../../platform/outbound/outbound-http.service.js';
import { MAX_METADATA_LENGTH } from '../xml/metadata-allowlist.js';
import { decodeUtf8, MetadataFailure } from './metadata-source.js';

/** A fetched document, and the time in the header `Date` of its response. */
interface Fetched {
  readonly document: string;
  /** Milliseconds since 1970. */
  readonly date?: number;
}

/** Limits a whole call; the keys of `app.http.client` limit its connection and each wait for a part of the response. */
const TOTAL_MILLIS = 60_000;

/** Fetches metadata over HTTP. */
export class MetadataClient {
  constructor(
    private readonly http: OutboundHttp,
    private readonly totalMillis = TOTAL_MILLIS,
  ) {}

  /** @throws MetadataFailure */
  async fetch(url: string, signal?: AbortSignal): Promise<Fetched> {
    const headers = { accept: 'application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1' };
    const { totalMillis } = this;
    try {
      // Redirects are not followed: the operator must configure the host from which trust comes.
      const response = await this.http.request({
        client: 'saml-metadata',
        url,
        headers,
        reach: 'public',
        totalMillis,
        ...(signal && { signal }),
      });
      const { status } = response;
      if (status !== 200) {
        await response.discard();
        const hint = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
        throw new MetadataFailure(`the URL responded with ${status}${hint}`);
      }
      const document = decodeUtf8(await response.read(MAX_METADATA_LENGTH));
      const date = Date.parse(response.header('date') ?? '');
      return { document, ...(!Number.isNaN(date) && { date }) };
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      if (error.code === 'TOO_LARGE') throw new MetadataFailure('larger than 5 MB', error);
      throw new MetadataFailure(`the URL cannot be reached: ${error.message}`, error);
    }
  }
}

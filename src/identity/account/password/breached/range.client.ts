import { OutboundFailure } from '../../../../platform/outbound/outbound-failure.js';
import type { OutboundHttp } from '../../../../platform/outbound/outbound-http.service.js';
import { type BreachSource, BreachSourceFailure } from './breach-source.js';

/** Digits of the hash that are sent: about a thousand breached passwords share them, so they do not identify one. */
const PREFIX_LENGTH = 5;
/** Ten times a padded response of the public service. */
const MAX_BODY_BYTES = 512 * 1024;
const OK = 200;
const LINE = /^([\dA-F]{35}):(\d{1,15})$/i;

/**
 * Asks a service for the range of a hash, in the protocol of Pwned Passwords (decision 0074): the service learns the first
 * five digits, and the response has a line `SUFFIX:COUNT` for each breached password that begins with them.
 */
export class RangeClient implements BreachSource {
  readonly isLocal = false;

  /** `url` ends before the digits, without a slash; `totalMillis` limits a whole call. */
  constructor(
    private readonly http: OutboundHttp,
    private readonly url: string,
    private readonly totalMillis: number,
  ) {}

  async occurrences(sha1: string): Promise<number> {
    return countOf(sha1.slice(PREFIX_LENGTH), await this.range(sha1.slice(0, PREFIX_LENGTH)));
  }

  private async range(prefix: string): Promise<string> {
    try {
      const response = await this.http.request({
        client: 'breached-passwords',
        url: `${this.url}/${prefix}`,
        // With lines of random passwords that occur 0 times, the size of a response does not disclose its range.
        headers: { accept: 'text/plain', 'add-padding': 'true', 'user-agent': 'login-service' },
        reach: 'public',
        totalMillis: this.totalMillis,
      });
      if (response.status === OK) return String(await response.read(MAX_BODY_BYTES));
      await response.discard();
      throw new BreachSourceFailure(String(response.status));
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      throw new BreachSourceFailure(error.code, { cause: error });
    }
  }
}

/** One line of another form makes the whole response unusable: a captive portal and a broken proxy send pages. */
function countOf(suffix: string, text: string): number {
  let count = 0;
  for (const line of text.split(/\r?\n/)) {
    if (line === '') continue;
    const [, ending, occurrences] = LINE.exec(line) ?? [];
    if (ending === undefined) throw new BreachSourceFailure('MALFORMED');
    if (ending.toUpperCase() === suffix) count = Number(occurrences);
  }
  return count;
}

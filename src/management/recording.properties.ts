import { full } from '../config/bind/effect.js';
import { flag, list, oneOf } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { EXCHANGE_PARTS, type ExchangePart } from '../http/records/http-exchanges.js';

@Properties('management.httpexchanges.recording')
export class RecordingProperties {
  @Key(flag(), {
    does:
      'Whether the last 100 requests and answers, but those of management endpoints, are kept in memory for the ' +
      'httpexchanges endpoint; never with bodies, credentials or cookies.',
    effect: full,
  })
  readonly enabled: boolean = false;

  @Key(list(oneOf(...EXCHANGE_PARTS)), {
    does:
      'What is kept of each beside time, method, URL and status; remote-address, principal and session-id are data ' +
      'about people.',
    effect: full,
  })
  readonly include: readonly ExchangePart[] = ['request-headers', 'response-headers', 'time-taken'];
}

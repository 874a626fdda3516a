import type { Meters } from '../../observability/metrics/meters.js';
import type { OutboundFailure } from './outbound-failure.js';

/** Purpose of an outgoing call. */
export type OutboundClient = 'breached-passwords' | 'console' | 'otlp' | 'saml-metadata' | 'webhook';

/** Tag values of Spring for a call without a response, and for unknown values. */
const IO_ERROR = 'IO_ERROR';
const UNKNOWN = 'UNKNOWN';
const NONE = 'none';
const OUTCOMES = [UNKNOWN, 'INFORMATIONAL', 'SUCCESS', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR'];

/** A call that has ended: with a response, a failure, or a response whose body failed. */
interface EndedCall {
  readonly client: OutboundClient;
  readonly method: string;
  readonly status?: number;
  readonly failure?: OutboundFailure;
}

/**
 * Times outgoing calls to the ends of their responses, under the name and tags of Spring. No tag contains a URL: paths
 * may contain secrets of the receiver, and `client.name` tells the purpose in place of the host.
 */
export class OutboundMeters {
  constructor(private readonly meters: Meters) {}

  /** `since` is a reading of `performance.now`. */
  record(call: EndedCall, since: number): void {
    const description = 'Time of an outgoing call to the end of its response';
    this.meters
      .timer('http.client.requests', { description })
      .of(tagsOf(call))
      .record((performance.now() - since) / 1000);
  }
}

function tagsOf({ client, method, status, failure }: EndedCall): Readonly<Record<string, string>> {
  const exception = failure ? codeOf(failure) : NONE;
  return {
    'client.name': client,
    method,
    // Clients have no URI templates.
    uri: NONE,
    status: status === undefined ? IO_ERROR : String(status),
    outcome: OUTCOMES[Math.floor((status ?? 0) / 100)] ?? UNKNOWN,
    exception,
    // Dashboards use either name.
    error: exception,
  };
}

/**
 * The code of a failure if it is one of this service, Node or undici; any other text could come from the other side.
 */
function codeOf({ code }: OutboundFailure): string {
  return /^\w{1,64}$/.test(code) ? code : UNKNOWN;
}

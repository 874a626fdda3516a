import type { Clock } from '../../kernel/clock/clock.js';
import type { Loggers } from '../../observability/logging/loggers.js';
import type { Meters } from '../../observability/metrics/meters.js';
import type { Random } from '../../kernel/random/random.js';
import type { AccessLog } from './records/access-log.js';
import type { EmbeddedProperties, ThreadsProperties } from './admission/embedded.properties.js';
import type { PasswordWork } from './admission/password-queue.js';
import type { HttpExchanges } from './records/http-exchanges.js';
import type { EncodingProperties, JsonProperties, JsonSerializationProperties } from './json/json.properties.js';
import type { PageOptions } from './page/page-renderer.js';
import type { ServerErrorProperties, ServerProperties } from './server.properties.js';
import type { ListenerTls } from './tls/secure-server.js';
import type { UploadOptions } from './upload/uploads.js';

/** Options of one listener; each has a default. */
export interface HostOptions {
  /** Prefix of every path; empty by default. */
  readonly contextPath?: string;
  /** Origins whose scripts may send requests (CORS); none by default. */
  readonly allowedOrigins?: readonly string[];
  /** Origins of applications, whose scripts may use the routes for applications; none by default. */
  readonly applicationOrigins?: readonly string[];
  readonly errors?: ServerErrorProperties;
  readonly server?: ServerProperties;
  readonly embedded?: EmbeddedProperties;
  /** Limit in bytes for all incomplete bodies, unless the limit of one body is larger. */
  readonly bodyMemory?: number;
  /** Limit of requests in progress; unlimited by default. */
  readonly threads?: ThreadsProperties;
  /** Sign-ins with a password have a queue of their own; without it, they have only the limit of all requests. */
  readonly passwords?: PasswordWork;
  /** Limits of uploads; unset for a listener without upload routes. */
  readonly uploads?: UploadOptions;
  readonly encoding?: EncodingProperties;
  /** Without them, the listener has no pages: every error is JSON. */
  readonly pages?: PageOptions;
  /** Format of the responses of controllers. */
  readonly json?: JsonProperties;
  readonly jsonSerialization?: JsonSerializationProperties;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Loggers for failures and, at DEBUG, requests. */
  readonly loggers?: Loggers;
  /** Meters that count and time requests. */
  readonly meters?: Meters;
  /** Logs every request; off by default. */
  readonly accessLog?: AccessLog;
  /** Records every request and response, except those of operators; off by default. */
  readonly exchanges?: HttpExchanges;
  /** TLS of the listener; plain HTTP by default. */
  readonly tls?: ListenerTls;
}

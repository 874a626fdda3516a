import type { Clock } from '../clock/clock.js';
import type { Loggers } from '../logging/loggers.js';
import type { Meters } from '../metrics/meters.js';
import type { Random } from '../random/random.js';
import type { AccessLog } from './records/access-log.js';
import type { EmbeddedProperties, ThreadsProperties } from './admission/embedded.properties.js';
import type { HttpExchanges } from './records/http-exchanges.js';
import type { EncodingProperties, JsonProperties, JsonSerializationProperties } from './json/json.properties.js';
import type { ServerErrorProperties, ServerProperties } from './server.properties.js';
import type { ListenerTls } from './tls/secure-server.js';
import type { UploadOptions } from './upload/uploads.js';

/** What one listener is made of; what is left out has its default, or is off where its line says so. */
export interface HostOptions {
  /** In front of every path; empty for none. */
  readonly contextPath?: string;
  /** Origins of other sites whose scripts may call. */
  readonly allowedOrigins?: readonly string[];
  readonly errors?: ServerErrorProperties;
  readonly server?: ServerProperties;
  readonly embedded?: EmbeddedProperties;
  /** Bytes for bodies that are not whole yet, unless one alone may be larger. */
  readonly bodyMemory?: number;
  /** How many requests are worked on at once; without it, all that come. */
  readonly threads?: ThreadsProperties;
  /** Unset where no route takes one. */
  readonly uploads?: UploadOptions;
  readonly encoding?: EncodingProperties;
  /** What becomes of the answers of controllers. */
  readonly json?: JsonProperties;
  readonly jsonSerialization?: JsonSerializationProperties;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Get what goes wrong, and the requests where somebody wants to see them. */
  readonly loggers?: Loggers;
  /** Counts and times the requests. */
  readonly meters?: Meters;
  /** Gets a line for each request. */
  readonly accessLog?: AccessLog;
  /** Gets each request with its answer, but those of operators. */
  readonly exchanges?: HttpExchanges;
  /** Without it the listener speaks plain HTTP. */
  readonly tls?: ListenerTls;
}

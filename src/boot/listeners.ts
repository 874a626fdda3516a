import { CorsProperties } from '../auth/auth.properties.js';
import { SystemClock } from '../clock/clock.js';
import type { Configuration } from '../config/configuration.js';
import type { DataSize } from '../config/bind/data-size.js';
import type { Loggers } from '../logging/loggers.js';
import { ManagementServerProperties } from '../management/dispatch/management-server.properties.js';
import { managementPortOf } from '../management/dispatch/paths.js';
import type { Meters } from '../metrics/meters.js';
import { SystemRandom } from '../random/random.js';
import { AccessLog } from '../http/records/access-log.js';
import { AccesslogProperties, EmbeddedProperties, ThreadsProperties } from '../http/admission/embedded.properties.js';
import { outward, reachable } from '../http/address.js';
import type { HttpExchanges } from '../http/records/http-exchanges.js';
import type { HostOptions } from '../http/host-options.js';
import { EncodingProperties, JsonProperties, JsonSerializationProperties } from '../http/json/json.properties.js';
import { type Binding, Listener } from '../http/listener.js';
import {
  ServerErrorProperties,
  ServerProperties,
  ServletProperties,
  SslProperties,
} from '../http/server.properties.js';
import type { OpenedTls } from '../http/tls/listener-tls.js';
import { MultipartProperties } from '../http/upload/multipart.properties.js';
import { UploadFolder } from '../http/upload/upload-folder.js';
import type { UploadOptions } from '../http/upload/uploads.js';
import { analyzeFailure } from './failure-analysis.js';

/** Logger for problems with listeners. */
const LOGGER = 'server';
/** Longest interval of a timer. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

/** Instruments that observe requests. */
export interface ListenerInstruments {
  readonly loggers: Loggers;
  readonly meters: Meters;
  readonly exchanges?: HttpExchanges;
}

/** The listeners of the service, created from the configuration, and their access log. */
export class Listeners {
  readonly main: Listener;
  /** The main listener, if the management endpoints have no listener of their own. */
  readonly management: Listener;
  private readonly separate: Binding | 'off' | undefined;
  private readonly accessLog: AccessLog | undefined;
  private mainPort: number | undefined;
  private managementPort: number | undefined;

  private constructor(
    private readonly configuration: Configuration,
    { loggers, meters, exchanges }: ListenerInstruments,
    private readonly tls: OpenedTls | undefined,
  ) {
    this.separate = separateManagement(configuration);
    this.accessLog = accessLogOf(configuration, loggers);
    this.main = new Listener({
      ...mainOptions(configuration),
      meters,
      loggers,
      ...(this.accessLog && { accessLog: this.accessLog }),
      ...(exchanges?.isRecording && { exchanges }),
      ...(tls && { tls }),
    });
    this.management = this.separate
      ? new Listener({ ...managementOptions(configuration), loggers, meters })
      : this.main;
  }

  /** @throws ConfigurationFailure if a configured file cannot be used */
  static async create(configuration: Configuration, watching: ListenerInstruments): Promise<Listeners> {
    const tls = await tlsOf(configuration, watching.loggers);
    try {
      return new Listeners(configuration, watching, tls);
    } catch (error) {
      throw analyzeFailure(error, configuration);
    }
  }

  /** Warnings for the operator at startup. */
  get warnings(): readonly string[] {
    return this.tls?.warnings ?? [];
  }

  /** False if the management endpoints are switched off. */
  get hasManagement(): boolean {
    return this.separate !== 'off';
  }

  /** Opens the listeners and returns a line for each; `basePath` is that of the management endpoints. */
  async open(basePath: string): Promise<readonly string[]> {
    const lines = [await this.openMain()];
    if (this.separate && this.separate !== 'off') {
      const port = await this.management.open(this.separate);
      this.managementPort = port;
      lines.push(`Management endpoints: ${urlOf('http', this.separate.address, port)}${basePath}`);
    }
    // Operators and consoles read these values in `env` of the running process.
    this.configuration.environment.publish({
      PID: process.pid,
      ...(this.mainPort !== undefined && { 'local.server.port': this.mainPort }),
      ...(this.managementPort !== undefined && { 'local.management.port': this.managementPort }),
    });
    void this.accessLog?.open();
    return lines;
  }

  /** URL of the service for other machines, once it is open; undefined without a listener. */
  get serviceUrl(): string | undefined {
    if (this.mainPort === undefined) return undefined;
    const { address } = this.configuration.get(ServerProperties);
    const { contextPath } = this.configuration.get(ServletProperties);
    return `${this.scheme}://${outward(address)}:${this.mainPort}${contextPath}`;
  }

  /** URL of the management endpoints for other machines; undefined if they are switched off. */
  managementUrl(basePath: string): string | undefined {
    if (this.separate === undefined) return this.serviceUrl && `${this.serviceUrl}${basePath}`;
    if (this.separate === 'off' || this.managementPort === undefined) return undefined;
    return `http://${outward(this.separate.address)}:${this.managementPort}${basePath}`;
  }

  private get scheme(): 'http' | 'https' {
    return this.tls ? 'https' : 'http';
  }

  /** Writes the waiting log lines after the listeners are closed. */
  async end(): Promise<void> {
    await this.accessLog?.close();
  }

  private async openMain(): Promise<string> {
    const { port, address } = this.configuration.get(ServerProperties);
    if (port < 0) {
      // Without a listener, only this timer keeps the process alive.
      setInterval(() => undefined, MAX_TIMER_MILLIS);
      return 'Login service is ready without a listener, as server.port is -1';
    }
    const bound = await this.main.open({ port, address, key: 'server.port', addressKey: 'server.address' });
    this.mainPort = bound;
    const url = urlOf(this.scheme, address, bound);
    return `Login service is ready: ${url}${this.configuration.get(ServletProperties).contextPath}/`;
  }
}

function mainOptions(configuration: Configuration): HostOptions {
  return {
    ...managementOptions(configuration),
    contextPath: configuration.get(ServletProperties).contextPath,
    allowedOrigins: configuration.get(CorsProperties).allowedOrigins,
    threads: configuration.get(ThreadsProperties),
    uploads: uploadsOf(configuration),
    encoding: configuration.get(EncodingProperties),
    json: configuration.get(JsonProperties),
    jsonSerialization: configuration.get(JsonSerializationProperties),
  };
}

function uploadsOf(configuration: Configuration): UploadOptions {
  const { location, maxFileSize, maxRequestSize } = configuration.get(MultipartProperties);
  const unlessNegative = ({ bytes }: DataSize): number => (bytes < 0 ? Infinity : bytes);
  return {
    folder: UploadFolder.open(location, new SystemRandom(), new SystemClock()),
    maxFileBytes: unlessNegative(maxFileSize),
    maxRequestBytes: unlessNegative(maxRequestSize),
  };
}

/** Options of the management listener; keys for payloads of the application do not apply to it. */
function managementOptions(configuration: Configuration): HostOptions {
  return {
    errors: configuration.get(ServerErrorProperties),
    server: configuration.get(ServerProperties),
    embedded: configuration.get(EmbeddedProperties),
  };
}

/** TLS of the main listener, if a bundle is configured; otherwise the TLS code is not loaded. */
async function tlsOf(configuration: Configuration, loggers: Loggers): Promise<OpenedTls | undefined> {
  const { bundle } = configuration.get(SslProperties);
  if (bundle === undefined) return undefined;
  const { openTls } = await import('../http/tls/listener-tls.js');
  return openTls(configuration, bundle, new SystemClock(), loggers.get(LOGGER));
}

/** The access log; it contains no requests of a separate management listener. */
function accessLogOf(configuration: Configuration, loggers: Loggers): AccessLog | undefined {
  const { enabled, ...keys } = configuration.get(AccesslogProperties);
  return enabled ? new AccessLog({ ...keys, clock: new SystemClock(), log: loggers.get(LOGGER) }) : undefined;
}

/**
 * The binding of a separate management listener; undefined if the endpoints use the main one, `off` without endpoints.
 */
function separateManagement(configuration: Configuration): Binding | 'off' | undefined {
  const server = configuration.get(ServerProperties);
  const { port, address } = configuration.get(ManagementServerProperties);
  const place = managementPortOf(port, server.port);
  if (place === 'off') return 'off';
  if (place === 'main' || port === undefined) return undefined;
  return address === undefined
    ? { port, address: server.address, key: 'management.server.port', addressKey: 'server.address' }
    : { port, address, key: 'management.server.port', addressKey: 'management.server.address' };
}

function urlOf(scheme: 'http' | 'https', address: string | undefined, port: number): string {
  return `${scheme}://${reachable(address)}:${port}`;
}

import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { Configuration } from '../../config/configuration.js';
import type { Loggers } from '../../observability/logging/loggers.js';
import type { Meters } from '../../observability/metrics/meters.js';
import type { PasswordWork } from '../../platform/http/admission/password-queue.js';
import type { AccessLog } from '../../platform/http/records/access-log.js';
import { outward, reachable } from '../../platform/http/address.js';
import type { HttpExchanges } from '../../platform/http/records/http-exchanges.js';
import { type BoundAddress, Listener } from '../../platform/http/listener.js';
import { ServerProperties, ServletProperties } from '../../platform/http/server.properties.js';
import type { OpenedTls } from '../../platform/http/tls/listener-tls.js';
import { analyzeFailure } from './failure-analysis.js';
import { accessLogOf, mainOptions, managementOptions, separateManagement, tlsOf } from './listener-options.js';

/** Longest interval of a timer. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

/** Instruments that observe requests, and the work of sign-ins with a password. */
export interface ListenerInstruments {
  readonly loggers: Loggers;
  readonly meters: Meters;
  readonly exchanges?: HttpExchanges;
  readonly passwords?: PasswordWork;
}

/** The listeners of the service, created from the configuration, and their access log. */
export class Listeners {
  readonly main: Listener;
  /** Listener of the management endpoints; the main listener if they have none of their own. */
  readonly management: Listener;
  private readonly separate: BoundAddress | 'off' | undefined;
  private readonly accessLog: AccessLog | undefined;
  private readonly loggers: Loggers;
  private mainPort: number | undefined;
  private managementPort: number | undefined;

  private constructor(
    private readonly configuration: Configuration,
    { loggers, meters, exchanges, passwords }: ListenerInstruments,
    private readonly tls: OpenedTls | undefined,
  ) {
    this.loggers = loggers;
    this.separate = separateManagement(configuration);
    this.accessLog = accessLogOf(configuration, loggers);
    this.main = new Listener({
      ...mainOptions(configuration),
      meters,
      loggers,
      ...withoutUndefined({
        accessLog: this.accessLog,
        exchanges: exchanges?.isRecording ? exchanges : undefined,
        passwords,
        tls,
      }),
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

  /** True unless the management endpoints are switched off. */
  get hasManagement(): boolean {
    return this.separate !== 'off';
  }

  /** Further listeners for the same ports, which a startup opens and closes before its own; they serve no users. */
  forProbes(): readonly { readonly listener: Listener; readonly binding: BoundAddress }[] {
    const { contextPath } = this.configuration.get(ServletProperties);
    const options = { ...managementOptions(this.configuration), loggers: this.loggers };
    const { port } = this.mainBinding;
    const main = { ...options, contextPath, ...withoutUndefined({ tls: this.tls }) };
    return [
      ...(port < 0 ? [] : [{ listener: new Listener(main), binding: this.mainBinding }]),
      ...(this.separate && this.separate !== 'off'
        ? [{ listener: new Listener(options), binding: this.separate }]
        : []),
    ];
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
    const ports = { 'local.server.port': this.mainPort, 'local.management.port': this.managementPort };
    this.configuration.environment.publish({ PID: process.pid, ...withoutUndefined(ports) });
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

  private get mainBinding(): BoundAddress {
    const { port, address } = this.configuration.get(ServerProperties);
    return { port, address, key: 'server.port', addressKey: 'server.address' };
  }

  private async openMain(): Promise<string> {
    const { port, address } = this.mainBinding;
    if (port < 0) {
      // Without a listener, only this timer keeps the process alive.
      setInterval(() => undefined, MAX_TIMER_MILLIS);
      return 'Login service is ready without a listener, as server.port is -1';
    }
    const bound = await this.main.open(this.mainBinding);
    this.mainPort = bound;
    const url = urlOf(this.scheme, address, bound);
    return `Login service is ready: ${url}${this.configuration.get(ServletProperties).contextPath}/`;
  }
}

function urlOf(scheme: 'http' | 'https', address: string | undefined, port: number): string {
  return `${scheme}://${reachable(address)}:${port}`;
}

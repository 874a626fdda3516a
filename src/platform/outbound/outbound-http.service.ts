import { lookup as dnsLookup } from 'node:dns';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import { SystemClock } from '../../kernel/clock/clock.js';
import type { Configuration } from '../../config/configuration.js';
import type { Loggers } from '../../observability/logging/loggers.js';
import type { Meters } from '../../observability/metrics/meters.js';
import type { ClientTls } from '../tls/client-tls.js';
import type { TraceHeaders } from '../../observability/tracing/span.js';
import { tracedCall } from '../../observability/tracing/traced-call.js';
import { AddressGuard } from './address-guard.js';
import { createConnector, type Lookup, rejectAddress } from './connector.js';
import { ForwardProxies } from './forward-proxy.js';
import { OutboundFailure, secondsText } from './outbound-failure.js';
import { type OutboundClient, OutboundMeters } from './outbound-meters.js';
import {
  HTTP_CLIENT_BUNDLE,
  HttpClientProperties,
  HttpProxyProperties,
  HttpsProxyProperties,
  NoProxyProperties,
  proxySettings,
} from './outbound.properties.js';
import { OutboundResponse } from './outbound-response.js';
import { limitReads } from './read-limit.js';

type OpenTls = (onChange: () => void) => Promise<ClientTls>;

/** Addresses that a call may reach: `public` excludes internal ones unless the operator allows them. */
export type Reach = 'public' | 'any';

export interface OutboundRequest {
  readonly client: OutboundClient;
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly reach: Reach;
  /** Time limit of the whole call with its response, in milliseconds. */
  readonly totalMillis: number;
  readonly signal?: AbortSignal;
  /** False for the delivery of traces, which must not be traced itself. */
  readonly isTraced?: boolean;
}

/**
 * Calls other HTTP services (decision 0073). Redirects are never followed, so that credentials, events and trust do not
 * leave the configured host, and bodies are never decompressed.
 */
@Injectable()
export class OutboundHttp implements OnApplicationShutdown {
  private readonly proxies: ForwardProxies;
  private readonly guard: AddressGuard;
  private readonly meters: OutboundMeters;
  private readonly dispatchers = new Map<Reach, Promise<Dispatcher>>();
  /** Dispatchers from before a reload of the certificate bundle; they finish their requests and then close. */
  private readonly retired: Promise<Dispatcher>[] = [];
  private tls: Promise<ClientTls> | undefined;

  constructor(
    private readonly client: HttpClientProperties,
    proxies: ForwardProxies,
    meters: Meters,
    private readonly lookup: Lookup = dnsLookup,
    private readonly openTls?: OpenTls,
  ) {
    this.proxies = proxies;
    this.meters = new OutboundMeters(meters);
    this.guard = new AddressGuard(client.allowedAddresses);
  }

  static of(configuration: Configuration, meters: Meters, loggers: Loggers): OutboundHttp {
    const settings = proxySettings(
      configuration.get(HttpProxyProperties),
      configuration.get(HttpsProxyProperties),
      configuration.get(NoProxyProperties),
    );
    const client = configuration.get(HttpClientProperties);
    const openTls = tlsOf(client, configuration, loggers);
    return new OutboundHttp(client, new ForwardProxies(settings), meters, dnsLookup, openTls);
  }

  /**
   * Sends a request; the caller must read or discard the body of the response.
   * @throws OutboundFailure
   */
  async request({
    client,
    url,
    method = 'GET',
    headers,
    body,
    reach,
    totalMillis,
    signal,
    isTraced = true,
  }: OutboundRequest): Promise<OutboundResponse> {
    const since = performance.now();
    const total = AbortSignal.timeout(totalMillis);
    const failureOf = (error: unknown): OutboundFailure => {
      if (total.aborted) {
        return new OutboundFailure('TOTAL_TIMEOUT', `no complete response within ${secondsText(totalMillis)}`, {
          cause: error,
        });
      }
      return outboundFailure(error, signal);
    };
    try {
      const target = new URL(url);
      if (reach === 'public') rejectAddress(this.guard, target);
      const dispatcher = await this.dispatcher(reach);
      const send = async (trace: TraceHeaders): Promise<OutboundResponse> => {
        const response = await dispatcher.request({
          origin: target.origin,
          ...this.addressed(target, { ...trace, ...headers }),
          method,
          body: body ?? null,
          signal: signal ? AbortSignal.any([signal, total]) : total,
        });
        const { statusCode: status } = response;
        return new OutboundResponse(response, failureOf, (failure) => {
          this.meters.record({ client, method, status, ...(failure && { failure }) }, since);
        });
      };
      return await (isTraced ? tracedCall({ method, url }, send) : send({}));
    } catch (error) {
      const failure = failureOf(error);
      this.meters.record({ client, method, failure }, since);
      throw failure;
    }
  }

  async close(): Promise<void> {
    this.retire();
    const tls = this.tls;
    this.tls = undefined;
    (await tls?.catch(() => undefined))?.close();
    await Promise.all(
      this.retired.splice(0).map(async (dispatcher) => (await dispatcher.catch(() => undefined))?.destroy()),
    );
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** A proxy for http gets the whole URL (RFC 9112 section 3.2.2); in a tunnel, the target gets the path. */
  private addressed(target: URL, headers: OutboundRequest['headers']) {
    const proxy = target.protocol === 'http:' ? this.proxies.of(target) : undefined;
    const path = `${target.pathname}${target.search}`;
    const common = { 'accept-encoding': 'identity', ...headers };
    if (!proxy) return { path, headers: common };
    const { authorization } = proxy;
    return {
      path: `${target.origin}${path}`,
      headers: { ...common, ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
    };
  }

  private dispatcher(reach: Reach): Promise<Dispatcher> {
    const known = this.dispatchers.get(reach);
    if (known) return known;
    const created = this.create(reach);
    this.dispatchers.set(reach, created);
    // The next call reads the certificate bundle again.
    created.catch(() => this.dispatchers.delete(reach));
    return created;
  }

  private async create(reach: Reach): Promise<Dispatcher> {
    // The first call loads undici: most installations make none.
    const { Agent, buildConnector } = await import('undici');
    const { connectTimeout, readTimeout } = this.client;
    const tls = await this.tlsOptions();
    const connect = createConnector({
      build: buildConnector,
      connectMillis: connectTimeout.milliseconds,
      proxyOf: (url) => this.proxies.of(url),
      lookup: this.lookup,
      ...(reach === 'public' && { guard: this.guard }),
      ...(tls && { tls }),
    });
    // The timers of undici are coarse, so the limits of this folder replace them.
    const agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
    return agent.compose(limitReads(readTimeout.milliseconds));
  }

  private async tlsOptions(): Promise<ClientTls['options'] | undefined> {
    if (!this.openTls) return undefined;
    this.tls ??= this.openTls(() => {
      this.retire();
    });
    try {
      // Copies the options: the TLS sessions that a dispatcher keeps belong to one context.
      return { ...(await this.tls).options };
    } catch (error) {
      this.tls = undefined;
      throw error;
    }
  }

  /** New dispatchers open new connections; those of the old ones, and their TLS sessions, are not used again. */
  private retire(): void {
    this.retired.push(...this.dispatchers.values());
    this.dispatchers.clear();
  }
}

function tlsOf(client: HttpClientProperties, configuration: Configuration, loggers: Loggers): OpenTls | undefined {
  const { sslBundle: name } = client;
  if (name === undefined) return undefined;
  return async (onChange) => {
    const { SslBundles } = await import('../tls/ssl-bundles.service.js');
    const bundles = new SslBundles(configuration, new SystemClock());
    return bundles.openClient({ key: HTTP_CLIENT_BUNDLE, name }, loggers.get('outbound'), onChange);
  };
}

function outboundFailure(error: unknown, signal: AbortSignal | undefined): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  if (signal?.aborted === true) return new OutboundFailure('ABORTED', 'the call was ended', { cause: error });
  if (!(error instanceof Error)) return new OutboundFailure('UNKNOWN', 'unknown');
  if (error.cause instanceof OutboundFailure) return error.cause;
  const { code, message, name } = error as NodeJS.ErrnoException;
  return new OutboundFailure(code ?? name, code ?? message, { cause: error });
}

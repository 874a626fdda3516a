import type { lookup as dnsLookup } from 'node:dns';
import { request } from 'node:http';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.js';
import type { ForwardProxy } from './forward-proxy.js';
import { OutboundFailure, secondsText } from './outbound-failure.js';

export type Lookup = typeof dnsLookup;

export interface ConnectorParts {
  readonly build: typeof buildConnector;
  readonly connectMillis: number;
  readonly proxyOf: (url: URL) => ForwardProxy | undefined;
  readonly lookup: Lookup;
  /** Guard of the addresses that a call may reach; undefined for any address. */
  readonly guard?: AddressGuard;
  /** TLS context; undefined for the authorities of the runtime without a client certificate. */
  readonly tls?: Pick<ConnectionOptions, 'secureContext'>;
}

/** The connector of undici, which returns its socket contrary to its type. */
type BuildConnector = (
  options: buildConnector.BuildOptions,
) => (...parameters: Parameters<buildConnector.connector>) => Socket;

/**
 * Opens connections directly or through a forward proxy. One time limit covers the look-up of the name, the proxy and
 * TLS, because the timers of undici have a resolution of half a second.
 */
export function createConnector(parts: ConnectorParts): buildConnector.connector {
  const build = parts.build as BuildConnector;
  const { connectMillis, proxyOf, guard, tls } = parts;
  const plain = { allowH2: false, timeout: 0, ...tls };
  const direct = build({
    ...plain,
    lookup: guard ? guardedLookup(guard, parts.lookup) : parts.lookup,
  });
  const unguarded = build(plain);

  return (options, callback) => {
    let opened: { destroy(error?: Error): unknown } | undefined;
    let isOver = false;
    const end: buildConnector.Callback = (...result) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      callback(...result);
    };
    const timer = setTimeout(() => {
      end(new OutboundFailure('CONNECT_TIMEOUT', `no connection within ${secondsText(connectMillis)}`), null);
      opened?.destroy();
    }, connectMillis);

    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    const proxy = proxyOf(url);
    if (!proxy) {
      opened = direct(options, guard ? checked(guard, url.hostname, end) : end);
    } else if (url.protocol === 'http:') {
      opened = unguarded({ ...options, hostname: proxy.host, port: String(proxy.port) }, end);
    } else {
      opened = openTunnel(proxy, url, (...[error, socket]) => {
        if (error) end(error, null);
        else if (isOver) socket.destroy();
        else opened = unguarded({ ...options, httpSocket: socket }, end);
      });
    }
  };
}

/** Resolves a name once, and rejects it if one of its addresses is not allowed; the connection uses these addresses. */
function guardedLookup(guard: AddressGuard, lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const forbidden =
        error || guard.allowsHost(hostname)
          ? undefined
          : addresses.find(({ address }) => !guard.allowsAddress(address));
      if (error) callback(error, '');
      else if (forbidden) callback(notAllowed(hostname, forbidden.address), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };
}

/** Verifies the address that the socket has reached, however it was resolved. */
function checked(guard: AddressGuard, hostname: string, end: buildConnector.Callback): buildConnector.Callback {
  return (...result) => {
    const [, socket] = result;
    const address = socket?.remoteAddress;
    if (!socket || guard.allowsHost(hostname) || (address !== undefined && guard.allowsAddress(address))) {
      end(...result);
      return;
    }
    socket.destroy();
    end(notAllowed(hostname, address ?? 'unknown'), null);
  };
}

/** Rejects a URL with an address instead of a name, which no look-up sees and which a proxy would reach, too. */
export function rejectAddress(guard: AddressGuard, { hostname }: URL): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && !guard.allowsHost(hostname) && !guard.allowsAddress(address)) {
    throw notAllowed(hostname, address);
  }
}

function notAllowed(host: string, address: string): OutboundFailure {
  const what = host === address ? address : `${host} has the address ${address}, which`;
  return new OutboundFailure(
    'ADDRESS_NOT_ALLOWED',
    `${what} is not public, and not in app.http.client.allowed-addresses`,
  );
}

type TunnelCallback = (...result: [error: Error] | [error: undefined, socket: Socket]) => void;

/** Asks the proxy for a connection to the target (RFC 9110 section 9.3.6). */
function openTunnel({ host, port, authorization }: ForwardProxy, url: URL, callback: TunnelCallback) {
  const target = `${url.hostname}:${url.port === '' ? '443' : url.port}`;
  const headers = { host: target, ...(authorization !== undefined && { 'proxy-authorization': authorization }) };
  return request({ host, port, method: 'CONNECT', path: target, headers, agent: false })
    .once('connect', ({ statusCode }, socket: Socket) => {
      if (statusCode === 200) {
        callback(undefined, socket);
        return;
      }
      socket.destroy();
      callback(rejectedByProxy(statusCode));
    })
    .once('response', (response) => {
      response.destroy();
      callback(rejectedByProxy(response.statusCode));
    })
    .once('error', (error) => {
      callback(error);
    })
    .end();
}

function rejectedByProxy(status: number | undefined): OutboundFailure {
  return new OutboundFailure('PROXY_REFUSED', `the proxy responded to CONNECT with ${status ?? 'no status'}`);
}

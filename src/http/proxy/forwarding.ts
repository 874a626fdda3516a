import { withoutUndefined } from '../../collections/without-undefined.js';
import type { IncomingHttpHeaders } from 'node:http';
import { type ForwardedElement, parseForwarded } from './forwarded.js';
import { type HostAndPort, hostAndPort, hostText, portOf } from './host-and-port.js';
import { addressOf, isPrivate } from './addresses.js';

/** Whose word about a caller counts (`server.forward-headers-strategy`). */
export type ForwardStrategy = 'none' | 'native' | 'framework';

/** What is read of a request, over HTTP/1 or 2. */
export interface ForwardedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean };
}

/** What proxies say about a request. */
interface Said {
  /** From the first to the last; undefined for what is no address. */
  readonly addresses: readonly (string | undefined)[];
  readonly scheme: 'http' | 'https' | undefined;
  readonly host: HostAndPort | undefined;
  readonly port: number | undefined;
}

const NOTHING: Said = { addresses: [], scheme: undefined, host: undefined, port: undefined };
const NAMES = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-port'] as const;

/**
 * What a listener believes of what proxies say. Fastify's `trustProxy` walks `X-Forwarded-For` from the right and stops
 * at the first address that is no proxy; it takes any text for an address, a scheme or a host, so `tidy` has to run
 * before it.
 */
export class Forwarding {
  constructor(private readonly strategy: Exclude<ForwardStrategy, 'none'>) {}

  /** For `trustProxy` of Fastify. */
  readonly isProxy = (address: string | undefined): boolean =>
    address !== undefined && (this.strategy === 'framework' || isPrivate(address));

  /**
   * Leaves of the headers what the peer of the connection may say and is well-formed: addresses behind the last entry
   * that is none, `http` or `https`, a host that has its port where it is not the usual one.
   */
  tidy({ headers, socket }: ForwardedRequest): void {
    // Nobody reads the headers then.
    if (!this.isProxy(socket.remoteAddress)) return;
    const hasForwarded = this.strategy === 'framework' && headers.forwarded !== undefined;
    if (!hasForwarded && NAMES.every((name) => headers[name] === undefined)) return;
    const said = hasForwarded ? fromForwarded(headers) : this.fromParts(headers);
    const { addresses, scheme } = said;
    put(headers, 'x-forwarded-for', addresses.slice(addresses.lastIndexOf(undefined) + 1).join(', '));
    put(headers, 'x-forwarded-proto', scheme);
    put(headers, 'x-forwarded-host', hostOf(said, headers, scheme ?? (socket.encrypted === true ? 'https' : 'http')));
  }

  private fromParts(headers: IncomingHttpHeaders): Said {
    const [addresses, schemes, hosts, ports] = NAMES.map((name) => listOf(headers[name]));
    return {
      addresses: (addresses ?? []).map(addressOf),
      scheme: schemeOf(this.pick(schemes)),
      host: hostAndPort(this.pick(hosts)),
      port: portOf(this.pick(ports)),
    };
  }

  /** Where every peer is believed, the first proxy knows best; else the last one, which is the only one we know. */
  private pick(entries: readonly string[] = []): string {
    return entries.at(this.strategy === 'framework' ? 0 : -1) ?? '';
  }
}

/** `Forwarded` stands for all of it: what is missing or malformed there is not looked up in `X-Forwarded-*`. */
function fromForwarded({ forwarded = '' }: IncomingHttpHeaders): Said {
  const elements = parseForwarded(forwarded);
  if (!elements) return NOTHING;
  return {
    addresses: elements.map((element) => addressOf(element.get('for') ?? '')),
    scheme: schemeOf(first(elements, 'proto')),
    host: hostAndPort(first(elements, 'host')),
    port: undefined,
  };
}

function first(elements: readonly ForwardedElement[], name: string): string {
  return elements.find((element) => element.has(name))?.get(name) ?? '';
}

function listOf(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  return String(header)
    .split(',')
    .map((entry) => entry.trim());
}

function schemeOf(text: string): 'http' | 'https' | undefined {
  const scheme = text.toLowerCase();
  return scheme === 'http' || scheme === 'https' ? scheme : undefined;
}

/** A port beside the host counts only for a host without one: what a browser wrote is nearer to it. */
function hostOf({ host, port }: Said, headers: IncomingHttpHeaders, scheme: 'http' | 'https'): string | undefined {
  const named = host ?? hostAndPort(headers.host ?? '');
  return named && hostText({ ...withoutUndefined({ port }), ...named }, scheme);
}

function put(headers: IncomingHttpHeaders, name: string, value: string | undefined): void {
  // Empty means the same as missing to Fastify.
  headers[name] = value ?? '';
}

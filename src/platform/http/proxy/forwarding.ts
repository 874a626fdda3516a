import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { IncomingHttpHeaders } from 'node:http';
import { type ForwardedElement, parseForwarded } from './forwarded.js';
import { type HostAndPort, hostAndPort, hostText, portOf } from './host-and-port.js';
import { addressOf, isPrivate } from './addresses.js';

/** Peers whose forwarding headers are trusted (`server.forward-headers-strategy`). */
export type ForwardStrategy = 'none' | 'native' | 'framework';

/** The part of a request that is read and changed. */
export interface ForwardedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean };
}

/** Content of the forwarding headers. */
interface Said {
  /** Addresses from the first proxy to the last; undefined for an entry that is not an address. */
  readonly addresses: readonly (string | undefined)[];
  readonly scheme: 'http' | 'https' | undefined;
  readonly host: HostAndPort | undefined;
  readonly port: number | undefined;
}

const NOTHING: Said = { addresses: [], scheme: undefined, host: undefined, port: undefined };
const NAMES = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-port'] as const;

/**
 * Applies forwarding headers. `trustProxy` of Fastify walks `X-Forwarded-For` from the right and stops at the first
 * address that is not a proxy. It accepts any text as address, scheme or host, so `tidy` must run before it.
 */
export class Forwarding {
  constructor(private readonly strategy: Exclude<ForwardStrategy, 'none'>) {}

  /** True if the address is a trusted proxy; for `trustProxy` of Fastify. */
  readonly isProxy = (address: string | undefined): boolean =>
    address !== undefined && (this.strategy === 'framework' || isPrivate(address));

  /**
   * Keeps only trusted and well-formed values in the headers: the addresses behind the last invalid entry, `http` or
   * `https`, and a host whose port is omitted if it is the default.
   */
  tidy({ headers, socket }: ForwardedRequest): void {
    const hasForwarded = this.strategy === 'framework' && headers.forwarded !== undefined;
    if (!hasForwarded && NAMES.every((name) => headers[name] === undefined)) return;
    // The headers of an untrusted peer are not read.
    if (!this.isProxy(socket.remoteAddress)) return;
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

  /** If every peer is trusted, the first proxy decides; otherwise the last one, which is the only known one. */
  private pick(entries: readonly string[] = []): string {
    return entries.at(this.strategy === 'framework' ? 0 : -1) ?? '';
  }
}

/** `Forwarded` replaces `X-Forwarded-*` completely, even if parts of it are missing or malformed. */
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

/** Host and port; a separate port applies only if the host has none, because the host is what the browser sent. */
function hostOf({ host, port }: Said, headers: IncomingHttpHeaders, scheme: 'http' | 'https'): string | undefined {
  const named = host ?? hostAndPort(headers.host ?? '');
  return named && hostText({ ...withoutUndefined({ port }), ...named }, scheme);
}

function put(headers: IncomingHttpHeaders, name: string, value: string | undefined): void {
  // Fastify treats an empty header like a missing one.
  headers[name] = value ?? '';
}

import { isIPv6 } from 'node:net';

export interface HostAndPort {
  /** A name or an address in lower case, IPv6 in brackets. */
  readonly host: string;
  readonly port?: number;
}

const HOST = /^(?:([a-z\d](?:[\w.-]{0,253}[a-z\d.])?)|\[([\da-f:.]+)\])(?::(\d{1,5}))?$/i;

/** Parses the host of a request, e.g. `login.example:8443`; undefined for any other text. */
export function hostAndPort(text: string): HostAndPort | undefined {
  const [, name, v6, digits] = HOST.exec(text) ?? [];
  if (name === undefined && (v6 === undefined || !isIPv6(v6))) return undefined;
  const host = (name ?? `[${v6 ?? ''}]`).toLowerCase();
  if (digits === undefined) return { host };
  const port = portOf(digits);
  return port === undefined ? undefined : { host, port };
}

export function portOf(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port <= 65_535 ? port : undefined;
}

/** Host as in the `Origin` header of browsers: the port is omitted if it is the default of the scheme. */
export function hostText({ host, port }: HostAndPort, scheme: 'http' | 'https'): string {
  const isUsual = port === undefined || port === (scheme === 'https' ? 443 : 80);
  return isUsual ? host : `${host}:${port}`;
}

/** Host names and addresses, with `*` for any start or end, as in `http.nonProxyHosts`. Case does not matter. */
export class HostPatterns {
  private readonly patterns: readonly RegExp[];

  constructor(patterns: readonly string[]) {
    this.patterns = patterns.map((pattern) => {
      const parts = bare(pattern)
        .split('*')
        .map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, '\\$&'));
      return new RegExp(`^${parts.join('.*')}$`);
    });
  }

  match(host: string): boolean {
    const name = bare(host);
    return this.patterns.some((pattern) => pattern.test(name));
  }
}

/** Without the brackets of an IPv6 address and the dot of the root. */
function bare(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

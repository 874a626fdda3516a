/**
 * Matches host names and addresses against patterns with `*` at the start or end, as in `http.nonProxyHosts`; case does
 * not matter.
 */
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

/** The host without the brackets of an IPv6 address and without the dot of the root. */
function bare(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/**
 * Options of Node that open the process or its memory to others, print secrets, weaken TLS or the HTTP parser, or read further
 * options from a file.
 */
const UNSAFE_NAMES = new Set([
  '--abort-on-uncaught-exception',
  '--experimental-config-file',
  '--experimental-default-config-file',
  '--heapsnapshot-near-heap-limit',
  '--heapsnapshot-signal',
  '--insecure-http-parser',
  '--inspect',
  '--inspect-brk',
  '--inspect-brk-node',
  '--inspect-wait',
  '--report-on-fatalerror',
  '--report-on-signal',
  '--report-uncaught-exception',
  '--security-revert',
  '--tls-keylog',
  '--tls-min-v1.0',
  '--tls-min-v1.1',
  '--trace-event-categories',
  '--trace-events-enabled',
  '--trace-tls',
]);

/** The unsafe options among the arguments, by their names with hyphens: Node reads `_` as well. */
export function unsafeOptions(options: readonly string[]): readonly string[] {
  const names = options.map((option) => option.replace(/=.*$/s, '').replaceAll('_', '-'));
  return [...new Set(names)].filter((name) => UNSAFE_NAMES.has(name));
}

/**
 * The options in `NODE_OPTIONS`, as Node separates them: by spaces outside of double quotes, within which `\` precedes a
 * character.
 */
export function splitOptions(text: string): readonly string[] {
  const options = text.match(/(?:"(?:\\[^]|[^"\\])*(?:"|\\?$)|[^ "])+/g) ?? [];
  return options.map((option) =>
    option.replaceAll(/"((?:\\[^]|[^"\\])*)(?:"|\\?$)/g, (_, quoted: string) => quoted.replaceAll(/\\([^])/g, '$1')),
  );
}

/** A page of the configuration reference: the keys below its prefixes. */
export interface ReferencePage {
  /** File name without extension. */
  readonly name: string;
  readonly title: string;
  readonly prefixes: readonly string[];
}

/** The pages in the order of the index. The longest prefix decides where a key is. */
export const REFERENCE_PAGES: readonly ReferencePage[] = [
  { name: 'files-and-profiles', title: 'Files and profiles', prefixes: ['app.config', 'app.profiles', 'user'] },
  { name: 'server', title: 'HTTP server', prefixes: ['server', 'app.lifecycle', 'app.servlet'] },
  { name: 'ssl', title: 'Certificate bundles', prefixes: ['app.ssl'] },
  {
    name: 'pages',
    title: 'Pages and responses',
    prefixes: ['app.branding', 'app.json', 'app.messages', 'app.openapi'],
  },
  { name: 'database', title: 'Database', prefixes: ['app.datasource', 'app.persistence'] },
  { name: 'orm-and-mapper', title: 'ORM and SQL mapper', prefixes: ['app.jpa', 'mapper'] },
  { name: 'kvstore-and-caches', title: 'Key-value store and caches', prefixes: ['app.data', 'app.cache'] },
  { name: 'tasks', title: 'Background jobs and tasks', prefixes: ['app.task'] },
  { name: 'mail', title: 'Mail', prefixes: ['app.mail'] },
  { name: 'outbound', title: 'Calls to other services', prefixes: ['app.http', 'http', 'https', 'no'] },
  { name: 'security', title: 'Access and browsers', prefixes: ['app.security'] },
  { name: 'passwords', title: 'Passwords', prefixes: ['app.security.password', 'app.security.recovery'] },
  { name: 'second-factor', title: 'Second factor', prefixes: ['app.security.mfa'] },
  {
    name: 'tokens-and-sessions',
    title: 'Tokens and sessions',
    prefixes: ['app.security.token', 'app.security.session', 'app.security.refresh', 'app.security.seal'],
  },
  { name: 'rate-limit', title: 'Throttle and limits', prefixes: ['app.security.rate-limit'] },
  { name: 'saml', title: 'Staff login', prefixes: ['app.security.saml'] },
  { name: 'events', title: 'Security events', prefixes: ['app.security.events', 'app.security.webhook'] },
  { name: 'logging', title: 'Logging', prefixes: ['logging'] },
  { name: 'management', title: 'Management', prefixes: ['management', 'info'] },
  { name: 'endpoints', title: 'Management endpoints', prefixes: ['management.endpoint', 'management.endpoints'] },
  { name: 'health', title: 'Health', prefixes: ['management.endpoint.health', 'management.health'] },
  { name: 'console', title: 'Console', prefixes: ['app.boot'] },
];

export function pageOf(prefix: string): ReferencePage {
  const depths = REFERENCE_PAGES.map((page) => [page, Math.max(...page.prefixes.map(depthIn(prefix)))] as const);
  const [page, depth] = depths.reduce((deepest, next) => (next[1] > deepest[1] ? next : deepest));
  if (depth === 0) throw new TypeError(`No page of the reference has the prefix ${prefix}`);
  return page;
}

/** Returns a function that tells the length of a listed prefix, or 0 if the given prefix is not below it. */
function depthIn(prefix: string): (listed: string) => number {
  return (listed) => (`${prefix}.`.startsWith(`${listed}.`) ? listed.length : 0);
}

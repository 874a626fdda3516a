/** A request of an attacker, with or without the session of an ordinary user. */
export interface HostileRequest {
  readonly title: string;
  readonly method?: string;
  readonly target?: string;
  /** Header lines in addition to those of the browser. */
  readonly lines?: readonly string[];
  /** In place of `Host: wiki.example.com`. */
  readonly hosts?: readonly string[];
  readonly body?: string;
  /** True if it reaches the application with a session, so that what arrives is examined. */
  readonly isAdmitted?: true;
}

const CLAIMS = ['Remote-User: mallory', 'Remote-Groups: mallory', 'Remote-Email: mallory@evil.example'];
const PUBLIC = 'https://wiki.example.com/public';

/** Requests that claim an identity, another address, or a path of another rule. */
export const HOSTILE: readonly HostileRequest[] = [
  { title: 'an identity of its own', isAdmitted: true, lines: CLAIMS },
  {
    title: 'an identity in other spellings',
    isAdmitted: true,
    lines: ['remote-user: mallory', 'REMOTE-USER: mallory'],
  },
  { title: 'an identity with underscores', isAdmitted: true, lines: ['Remote_User: mallory', 'remote_email: mallory'] },
  // PHP and others read these like a dash, too.
  ...['.', '!', '~'].map((separator) => ({
    title: `an identity with "${separator}"`,
    lines: [`Remote${separator}User: mallory`, `Remote${separator}Groups: mallory`],
  })),
  { title: 'an identity with a dot for a public path', target: '/public/a', lines: ['Remote.User: mallory'] },
  {
    title: 'an identity that it declares for this hop',
    lines: [...CLAIMS, 'Connection: Remote-User, Remote-Groups, close'],
  },
  {
    title: 'an identity in a request with a body',
    isAdmitted: true,
    method: 'POST',
    lines: CLAIMS,
    body: 'Remote-User: mallory',
  },
  { title: 'an identity for a public path', target: '/public/a', lines: CLAIMS },
  { title: 'an identity with underscores for a public path', target: '/public/a', lines: ['Remote_User: mallory'] },
  {
    title: 'the header in which a recipe carries cookies',
    isAdmitted: true,
    lines: ['Forward-Auth-Cookie: mallory=1'],
  },
  { title: 'X-Original-URL of a public path', target: '/admin', lines: [`X-Original-URL: ${PUBLIC}`] },
  { title: 'X-Original-Method', target: '/admin', lines: ['X-Original-Method: OPTIONS'] },
  { title: 'X-Forwarded-Uri of a public path', target: '/admin', lines: ['X-Forwarded-Uri: /public'] },
  { title: 'X-Forwarded-Method', method: 'POST', target: '/admin', lines: ['X-Forwarded-Method: GET'] },
  { title: 'X-Forwarded-Host of another application', lines: ['X-Forwarded-Host: open.example.com'] },
  { title: 'X-Forwarded-Proto', lines: ['X-Forwarded-Proto: ftp'] },
  { title: 'X-Forwarded-Port', isAdmitted: true, lines: ['X-Forwarded-Port: 8443'] },
  { title: 'Forwarded', isAdmitted: true, lines: ['Forwarded: host=open.example.com;proto=https'] },
  { title: 'X-Rewrite-URL', target: '/admin', lines: ['X-Rewrite-URL: /public', 'X-Forwarded-Prefix: /public'] },
  {
    title: 'the headers of the proxy declared for this hop',
    target: '/admin',
    lines: ['Connection: X-Original-URL, X-Forwarded-Uri, X-Forwarded-Method, Cookie, close'],
  },
  { title: 'a method override', target: '/admin', lines: ['X-HTTP-Method-Override: OPTIONS'] },
  { title: 'a path that is a host', target: '//evil.example/' },
  { title: 'a path that is a host with a backslash', target: '/\\evil.example/' },
  { title: 'an absolute target', target: 'http://evil.example/admin' },
  { title: 'an absolute target of the same host', target: 'http://wiki.example.com/admin' },
  { title: 'an absolute target of the same page', isAdmitted: true, target: 'http://wiki.example.com/a' },
  { title: 'dots', target: '/public/../admin' },
  { title: 'encoded dots', target: '/public/%2e%2e/admin' },
  { title: 'encoded dots at the start', target: '/%2e%2e/admin' },
  { title: 'dots with parameters', target: '/public/..;/admin' },
  { title: 'an encoded slash', target: '/public%2f..%2fadmin' },
  { title: 'an encoded slash after the closed part', target: '/admin%2f..%2fpublic' },
  { title: 'backslashes', target: '/public\\..\\admin' },
  { title: 'two slashes', target: '/public//../admin' },
  { title: 'two encodings', target: '/public/%252e%252e/admin' },
  { title: 'an encoded letter', target: '/%61dmin' },
  { title: 'capitals', target: '/ADMIN' },
  ...['/adm%C4%B1n', '/%EF%BD%81dmin', '/ad%C2%ADmin', '/admin%E2%80%8B', '/%20admin'].map((target) => ({
    ...{ title: `the spelling ${target}`, target },
  })),
  { title: 'a parameter of the closed part', target: '/admin;x=1/users' },
  { title: 'a NUL', target: '/public%00/../admin' },
  { title: 'a line end', target: '/public%0d%0aRemote-User:%20mallory' },
  { title: 'a fragment', target: '/admin#/public' },
  { title: 'a query that looks like a path', target: '/admin?/public' },
  { title: 'two hosts', hosts: ['wiki.example.com', 'open.example.com'] },
  { title: 'another host', hosts: ['open.example.com'] },
  { title: 'another port of the host', hosts: ['wiki.example.com:8443'] },
  { title: 'a host with a user', hosts: ['wiki.example.com@evil.example'] },
  { title: 'no host', hosts: [] },
  ...['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'get'].map((method) => ({
    ...{ title: `the method ${method}`, method, target: '/admin' },
  })),
  {
    title: 'two lengths',
    method: 'POST',
    lines: ['Transfer-Encoding: chunked', 'Content-Length: 4'],
    body: '0\r\n\r\nGET /admin HTTP/1.1\r\nHost: wiki.example.com\r\nRemote-User: mallory\r\n\r\n',
  },
  { title: 'an expectation', method: 'POST', lines: ['Expect: 100-continue', ...CLAIMS], body: 'a=b' },
  { title: 'an upgrade', lines: ['Connection: Upgrade, close', 'Upgrade: websocket', ...CLAIMS] },
  { title: 'a token', isAdmitted: true, lines: ['Authorization: Bearer mallory'] },
  { title: 'the question of the proxy', target: '/forward-auth', lines: CLAIMS },
  { title: 'a way out of the sign-in', target: '/forward-auth/../admin' },
  { title: 'an encoded way out of the sign-in', target: '/forward-auth/%2e%2e/admin' },
  { title: 'a return to another host', target: '/forward-auth/sign-in?return_to=//evil.example/' },
  { title: 'a return to another site', target: '/forward-auth/sign-in?return_to=https://evil.example/' },
  { title: 'a return to a host with a backslash', target: '/forward-auth/sign-in?return_to=/%5cevil.example' },
  { title: 'a code of its own', target: `/forward-auth/callback?code=${'A'.repeat(43)}` },
  { title: 'a sign-in of its own', target: `/forward-auth/authorize?request=${'A'.repeat(43)}` },
];

/** The bytes of the request; `cookie` is of the browser, and sent twice. */
export function bytesOf(request: HostileRequest, cookie: string): string {
  const { method = 'GET', target = '/a', lines = [], hosts = ['wiki.example.com'], body = '' } = request;
  const has = (name: string): boolean => lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  const head = [
    ...[`${method} ${target} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), 'Accept: text/html'],
    ...(cookie === '' ? [] : [`Cookie: theme=dark; ${cookie}; forward-auth=x`]),
    ...lines,
    ...(body === '' || has('content-length') ? [] : [`Content-Length: ${body.length}`]),
    ...(has('connection') ? [] : ['Connection: close']),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

type Headers = Readonly<Record<string, string>>;
type Case<T> = readonly [title: string, input: T];

const MEGABYTE = 1024 * 1024;
const ZEROS = Buffer.alloc(8 * MEGABYTE);

/** Media types that no route accepts, each with a matching body. */
export const MEDIA_TYPES: readonly Case<{ readonly headers: Headers; readonly raw: string }>[] = [
  ['text', 'text/plain', '{}'],
  ['XML', 'application/xml', '<a/>'],
  ['HTML', 'text/html', '<p>'],
  ['another JSON format', 'application/merge-patch+json', '{}'],
  ['bytes', 'application/octet-stream', '{}'],
  ['nonsense', 'nonsense', '{}'],
  ['an empty media type', '', '{}'],
  ['two media types', 'application/json, text/plain', '{}'],
  ['the prototype', '__proto__/constructor', '{}'],
].map(([title = '', type = '', raw = '']) => [title, { headers: { 'content-type': type }, raw }]);

/** Compressed bodies: bombs, and bodies that only claim to be compressed. */
export const COMPRESSED: readonly Case<{ readonly headers: Headers; readonly raw: Uint8Array }>[] = [
  ['gzip', gzipSync(ZEROS)],
  ['deflate', deflateSync(ZEROS)],
  ['br', brotliCompressSync(ZEROS)],
  ['zstd', zstdCompressSync(ZEROS)],
  ['x-gzip', gzipSync('{}')],
  ['identity, gzip', gzipSync('{}')],
  ['GZIP', gzipSync('{}')],
  ['nonsense', Buffer.from('{}')],
].map(([coding, raw]) => {
  const headers = { 'content-type': 'application/json', 'content-encoding': String(coding) };
  return [`Content-Encoding: ${String(coding)}`, { headers, raw: raw as Uint8Array }];
});

/** Malformed or dangerous JSON, which is rejected before authentication. */
export const UNREADABLE: readonly Case<string | Uint8Array>[] = [
  ['half an object', '{"id":'],
  ['two objects', '{}{}'],
  ['single quotes', "{'id':'a'}"],
  ['a comment', '{/**/}'],
  ['a trailing comma', '{"id":1,}'],
  ['NaN', 'NaN'],
  ['XML', '<login/>'],
  ['a form', 'id=a&pw=b'],
  ['bytes', Buffer.from([0, 255, 254, 1])],
  ['two byte order marks', Buffer.from('\ufeff\ufeff{}')],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
  ['invalid UTF-8', Buffer.from('{"a":"\xff"}', 'latin1')],
  ['overlong UTF-8', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
  ['a surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ['raw NUL', '{"a":"\0"}'],
  ['NUL in a text', String.raw`{"a":"x\u0000"}`],
  ['NUL in a name', String.raw`{"\u0000":1}`],
  ['a lone surrogate', String.raw`{"a":"\ud83d"}`],
  ['a lone surrogate in a name', String.raw`{"\ude00":1}`],
  ['a duplicate member', '{"a":1,"a":2}'],
  ['a duplicate member, once escaped', String.raw`{"a":1,"\u0061":2}`],
  ['__proto__', '{"__proto__":{"roles":["ROLE_ADMIN"]}}'],
  ['__proto__, escaped', String.raw`{"\u005f_proto__":{"roles":["ROLE_ADMIN"]}}`],
  ['__proto__ deep inside', '{"a":[{"__proto__":{}}]}'],
  ['constructor', '{"constructor":{"prototype":{"roles":["ROLE_ADMIN"]}}}'],
  ['60,000 levels of lists', '['.repeat(60_000)],
  ['30,000 levels, closed', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ['10,000 levels of objects', '{"a":'.repeat(10_000)],
];

/** Well-formed JSON that matches no schema. */
export const UNFIT: readonly Case<string>[] = [
  ['a list', '[]'],
  ['a list of objects', '[{}]'],
  ['null', 'null'],
  ['a number', '1'],
  ['a text', '"text"'],
  ['a boolean', 'true'],
  ['an unknown member', '{"unknown":1}'],
  ['an empty name', '{"":""}'],
  ['names of every object', '{"toString":"x","valueOf":1,"hasOwnProperty":[]}'],
  ['members of responses', '{"mfa_required":false,"sub":"x","amr":["pwd","otp"]}'],
  ['an infinite number', '{"unknown":1e999}'],
  ['20 levels', `${'{"a":'.repeat(20)}1${'}'.repeat(20)}`],
  ['5,000 members', JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`a${index}`, 1])))],
  ['50 KB of text', JSON.stringify({ unknown: 'a'.repeat(50_000) })],
];

/** JSON values that no member accepts. */
export const UNFIT_VALUES: readonly string[] = [
  ...['null', '1', '-1', '1e999', 'true', '[]', '["a"]', '{}', '{"$gt":""}', '{"toString":"a"}', '""'],
  ...[String.raw`"a\u0000b"`, String.raw`"\ud83d"`, String.raw`"\ude00x"`],
  ...[' ', '0', '-', 'a.', '\\t\\n', '\u00e4', '\u{1f600}', '(('].map((unit) => `"${unit.repeat(12_500)}"`),
];

/** Too large for every route without uploads. */
export const HUGE: readonly Case<string>[] = [
  ['64 KB and one byte', `{"a":"${'x'.repeat(64 * 1024)}"}`],
  ['40,000 levels of objects', '{"id":'.repeat(40_000)],
  ['8 MB', 'x'.repeat(8 * MEGABYTE)],
];

/** Raw path parameters. */
export const PARAMETERS: readonly string[] = [
  ...[
    '%00',
    'a%00b',
    '%ff',
    '%c0%af',
    '%ed%a0%80',
    '%',
    '%zz',
    '%e2%80',
    '%EF%BB%BF',
    '%0d%0aX:1',
    '%20',
    '%2e',
    '%2e%2e',
  ],
  ...[
    '%2e%2e%2fme',
    '..%2f..',
    '%5c..',
    '..',
    '.',
    ';',
    'a;b=c',
    '*',
    '__proto__',
    'constructor',
    'toString',
    '-1',
    '0',
  ],
  ...["'%20OR%20'1'='1", '%27;DROP%20TABLE%20account;--', '%25s%25n', '${7*7}', '{{7*7}}', '%7b%22$gt%22:%22%22%7d'],
  ...[
    'a'.repeat(99),
    'a'.repeat(101),
    'a'.repeat(8_000),
    '%61'.repeat(2_000),
    '%f0%9f%98%80'.repeat(100),
    '[object%20Object]',
  ],
];

/** Queries that every route must reject because they cannot be decoded. */
export const UNREADABLE_QUERIES: readonly string[] = [
  'a=%00',
  '%00',
  'a=%ff',
  'a=%c0%af',
  'a=%ed%a0%80',
  'a=%',
  'a=%zz',
];

/** Other queries. */
export const QUERIES: readonly string[] = [
  ...[
    '',
    '&',
    '=',
    '&&&===',
    'a',
    'a=b=c',
    '__proto__=1',
    '__proto__[admin]=1',
    'constructor[prototype][x]=1',
    'a[b]=c',
  ],
  ...[
    'limit=0',
    'limit=-1',
    'limit=1e3',
    'limit=201',
    'limit=99999999999999999999',
    'limit=NaN',
    'limit=',
    'limit=1&limit=2',
  ],
  ...[
    'limit[]=1',
    'after=x&after=y',
    'after=',
    'after=%27%20OR%201=1--',
    `after=${'a'.repeat(129)}`,
    'after=%f0%9f%98%80',
  ],
  ...[
    'access_token=x',
    `a=${'a'.repeat(8_000)}`,
    'a=b&'.repeat(2_000),
    'hasOwnProperty=1',
    '%5f%5fproto%5f%5f=1',
    '../me',
    '?',
  ],
];

/** Headers with malformed or forged credentials. */
export const CREDENTIALS: readonly Headers[] = [
  ...[
    '',
    'Bearer',
    'Bearer ',
    'Bearer x',
    'Bearer e30.e30.e30',
    'Bearer e30.e30.',
    'Bearer ..',
    'Bearer a b',
    'bearer x',
  ],
  ...[
    'Bearer null',
    'Bearer [object Object]',
    `Bearer ${'a'.repeat(8_000)}`,
    `Bearer ${'a.'.repeat(4_000)}`,
    'Bearer \u00ff',
  ],
  ...['Basic', 'Basic x', 'Basic Og==', 'Basic YWRtaW46YWRtaW4=', 'Negotiate x', 'Bearer x, Bearer y', '__proto__ x'],
]
  .map((authorization): Headers => ({ authorization }))
  .concat(
    [
      'SESSION=',
      'SESSION=x',
      'SESSION=%00',
      `SESSION=${'A'.repeat(43)}`,
      `SESSION=${'A'.repeat(8_000)}`,
      '__proto__=x',
    ].map((cookie) => ({ cookie })),
    [
      {
        cookie: 'SESSION=%',
        'x-user': 'admin',
        'x-forwarded-user': 'admin',
        'x-original-url': '/',
        'x-rewrite-url': '/',
      },
    ],
    [
      {
        'x-http-method-override': 'GET',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-host': 'localhost',
        via: '1.1 x',
      },
    ],
  );

/**
 * Requests with ambiguous framing (RFC 9112 sections 5 and 6). Each must get one error response, and the bytes behind
 * it must not be processed as a request. `{}` is the body of the unambiguous form.
 */
export function misframed(method: string, path: string, more: string): readonly Case<string>[] {
  const line = `${method} ${path} HTTP/1.1\r\n`;
  const host = `Host: x\r\n${more}`;
  const json = 'Content-Type: application/json\r\n';
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  const chunk = '2\r\n{}\r\n0\r\n\r\n';
  const head = (fields: string, body = '{}'): string => `${line}${host}${json}${fields}\r\n\r\n${body}${smuggled}`;
  const length = (value: string): string => head(`Content-Length:${value}`);
  const coded = (coding: string): string => head(`Transfer-Encoding:${coding}`, chunk);
  const chunked = (body: string): string => head('Transfer-Encoding: chunked', body);
  return [
    ['Content-Length and Transfer-Encoding', head('Content-Length: 2\r\nTransfer-Encoding: chunked', chunk)],
    ['Transfer-Encoding and Content-Length', head('Transfer-Encoding: chunked\r\nContent-Length: 12', chunk)],
    ['two lengths', head('Content-Length: 2\r\nContent-Length: 40')],
    ['two equal lengths', head('Content-Length: 2\r\nContent-Length: 2')],
    ['a list of lengths', length(' 2, 2')],
    ['a signed length', length(' +2')],
    ['a negative length', length(' -2')],
    ['a hexadecimal length', length(' 0x2')],
    ['a length with a blank', length(' 2 2')],
    ['a length that is none', length(' two')],
    ['a length beyond all numbers', length(' 99999999999999999999999')],
    ['an unknown coding', coded(' xchunked')],
    ['a coding behind chunked', coded(' chunked, identity')],
    ['identity alone', coded(' identity')],
    ['a quoted coding', coded(' "chunked"')],
    ['a coding with a control character', coded(' \u000bchunked')],
    ['two codings', head('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', chunk)],
    ['a blank before the colon of the coding', head('Transfer-Encoding : chunked', chunk)],
    ['a tab before the colon of the coding', head('Transfer-Encoding\t: chunked', chunk)],
    ['a blank before the colon of the length', head('Content-Length : 2')],
    ['a folded coding', head('Transfer-Encoding:\r\n chunked', chunk)],
    ['a folded field', head('X-A: a\r\n b\r\nContent-Length: 2')],
    ['a blank before the first field', `${line} X-A: a\r\n${host}\r\n${smuggled}`],
    ['a field without a name', head(': a\r\nContent-Length: 2')],
    ['a field without a colon', head('nonsense\r\nContent-Length: 2')],
    ['a control character in a name', head('X\u0001A: a\r\nContent-Length: 2')],
    ['NUL in a value', head('X-A: a\0b\r\nContent-Length: 2')],
    ['a bare CR in a value', head('X-A: a\rContent-Length: 40\r\nContent-Length: 2')],
    ['bare LF', `${line}${host}${json}Content-Length: 2\r\n\r\n{}`.replaceAll('\r\n', '\n') + smuggled],
    ['one bare LF', head('X-A: a\nX-B: b\r\nContent-Length: 2')],
    ['bare CR', `${line}${host}`.replaceAll('\r\n', '\r') + `\r\r${smuggled}`],
    ['a tab in the request line', `${method}\t${path}\tHTTP/1.1\r\n${host}\r\n${smuggled}`],
    ['an unknown version', `${method} ${path} HTTP/9.9\r\n${host}\r\n${smuggled}`],
    ['no chunk size', chunked('\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size that is none', chunked('G\r\n{}\r\n0\r\n\r\n')],
    ['a signed chunk size', chunked('+2\r\n{}\r\n0\r\n\r\n')],
    ['a prefixed chunk size', chunked('0x2\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size beyond all numbers', chunked('fffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
    ['a chunk longer than its size', chunked('2\r\n{}xx\r\n0\r\n\r\n')],
    ['chunks ended by bare LF', chunked('2\n{}\n0\n\n')],
    ['20 KB of chunk extension', chunked(`2;a=${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
    ['a chunk extension with a bare CR', chunked('2;a=\rb\r\n{}\r\n0\r\n\r\n')],
  ];
}

/** Spellings of a path that a router or a guard might read differently. */
export function spellings(path: string): readonly string[] {
  const first = path.charCodeAt(1).toString(16);
  return [
    ...['/2fa/..', '/2fa/%2e%2e', '/2fa/..;', '/2fa;/..', '/2fa/.', '/login/..', '/login/%2e%2e', '/x/..;a=b'].map(
      (before) => before + path,
    ),
    ...[
      '/',
      '//',
      '/.',
      '/..',
      ';',
      ';a=b',
      '%00',
      '%2f',
      '%20',
      '%09',
      '%0a',
      '.json',
      '.',
      '~',
      '%23',
      '%3f',
      '\\',
    ].map((behind) => path + behind),
    ...['?/2fa/verify', '?/login', '#/2fa/verify', '%3f/2fa/verify', '%0d%0aX-A:%20b'].map((behind) => path + behind),
    ...[
      `/${path}`,
      `/.${path}`,
      `/%2e${path}`,
      `/%2f${path.slice(1)}`,
      `\\${path.slice(1)}`,
      `*${path}`,
      `/2fa%2f..${path}`,
    ],
    ...[path.toUpperCase(), `/%${first}${path.slice(2)}`, `/%25${first}${path.slice(2)}`, path.replaceAll('/', '%2f')],
    ...[`http://x${path}`, `http://x/2fa/..${path}`, `http://x@y${path}`, `HTTP://X${path}`, `//x${path}`],
  ];
}

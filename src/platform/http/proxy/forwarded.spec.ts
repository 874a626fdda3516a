import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { parseForwarded } from './forwarded.js';

function read(header: string): readonly Readonly<Record<string, string>>[] | undefined {
  return parseForwarded(header)?.map((element) => Object.fromEntries(element));
}

describe('the examples of RFC 7239', () => {
  it.each([
    ['for="_gazonk"', [{ for: '_gazonk' }]],
    ['For="[2001:db8:cafe::17]:4711"', [{ for: '[2001:db8:cafe::17]:4711' }]],
    ['for=192.0.2.60;proto=http;by=203.0.113.43', [{ for: '192.0.2.60', proto: 'http', by: '203.0.113.43' }]],
    ['for=192.0.2.43, for=198.51.100.17', [{ for: '192.0.2.43' }, { for: '198.51.100.17' }]],
    ['for=_hidden, for=_SEVKISEK', [{ for: '_hidden' }, { for: '_SEVKISEK' }]],
    [
      'for=192.0.2.43,for="[2001:db8:cafe::17]",for=unknown',
      [{ for: '192.0.2.43' }, { for: '[2001:db8:cafe::17]' }, { for: 'unknown' }],
    ],
  ])('parseForwarded reads %s', (header, elements) => {
    expect(read(header)).toEqual(elements);
  });
});

it.each([
  [
    'escaped quotation marks in quoted text',
    'ext="a,b;c=\\"d\\\\";for=192.0.2.1',
    [{ ext: 'a,b;c="d\\', for: '192.0.2.1' }],
  ],
  ['a host with port', 'host="login.example:8443";proto=HTTPS', [{ host: 'login.example:8443', proto: 'HTTPS' }]],
  [
    'space around separators',
    ' for=192.0.2.1 ;\tproto=http ,  for=192.0.2.2\t',
    [{ for: '192.0.2.1', proto: 'http' }, { for: '192.0.2.2' }],
  ],
  ['empty elements and pairs', ',for=192.0.2.1;, ,;proto=http;;', [{ for: '192.0.2.1' }, { proto: 'http' }]],
  ['no content', '', []],
])('parseForwarded accepts a header with %s', (_, header, elements) => {
  expect(read(header)).toEqual(elements);
});

it.each([
  ...['for', 'for=', '=192.0.2.1', 'for =192.0.2.1', 'for= 192.0.2.1', 'for=192.0.2.1 proto=http', 'for="192.0.2.1'],
  ...['for=192.0.2.1"', 'for="192.0.2.1"x', 'for=192.0.2.1;for=192.0.2.2', 'for=192.0.2.1;FOR=192.0.2.2', 'for="\\"'],
  ...['for=[2001:db8::1]', 'for="2001:db8::1"', 'for=192.0.2.1:80', 'for="192.0.2.256"', 'by="<script>"', 'for=""'],
  ...['for=somebody', 'host="a b"', 'host="a/b"', 'host=""', 'proto="ht tp"', 'proto=1', 'for=192.0.2.1\u0001'],
  ...['{"for":"192.0.2.1"}', 'ext="\u0000"', 'for=192.0.2.1, for=192.0.2.2, rubbish'],
])('parseForwarded rejects the whole header %j', (header) => {
  expect(read(header)).toBeUndefined();
});

it('H6: parseForwarded rejects 60 KB of any character quickly', () => {
  for (const unit of [' ', '\t', 'a', '=', '"', '\\', ';', ',', 'a=', 'a="', 'for=1.1.1.1,', 'a=b ', '"\\']) {
    const long = unit.repeat(60_000 / unit.length);
    for (const header of [`${long}\u0001`, `a="${long}\u0001`, `a=b${long}\u0001`]) {
      expect(parseForwarded(header), JSON.stringify(unit)).toBeUndefined();
    }
  }
});

const token = fc.string({ unit: fc.constantFrom(...Array.from("abzAZ09!#$%&'*+-.^_`|~")), minLength: 1, maxLength: 8 });
const quotable = fc.string({ unit: fc.constantFrom(...Array.from('ab,;="\\ \t[]:.<\u00e9')), maxLength: 12 });

it('parseForwarded reads every header that follows the grammar', () => {
  const element = fc.uniqueArray(fc.tuple(token, fc.oneof(token, quotable)), {
    minLength: 1,
    maxLength: 4,
    selector: ([name]) => name.toLowerCase(),
  });
  fc.assert(
    fc.property(fc.array(element, { maxLength: 5 }), (elements) => {
      fc.pre(elements.every((pairs) => pairs.every(([name]) => !/^(?:for|by|host|proto)$/i.test(name))));
      const header = elements
        .map((pairs) => pairs.map(([name, value]) => `${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`).join(';'))
        .join(', ');

      expect(parseForwarded(header)?.map((read) => [...read])).toEqual(
        elements.map((pairs) => pairs.map(([name, value]) => [name.toLowerCase(), value])),
      );
    }),
  );
});

it('parseForwarded does not throw for any text', () => {
  const parts = fc.constantFrom(
    'for',
    '=',
    ';',
    ',',
    '"',
    '\\',
    ' ',
    '192.0.2.1',
    'proto',
    'https',
    '[',
    ']',
    '_',
    'host',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(parts).map((all) => all.join('')),
      ),
      (text) => {
        expect(() => parseForwarded(text)).not.toThrow();
      },
    ),
  );
});

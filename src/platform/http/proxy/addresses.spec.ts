import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addressOf, isNode, isPrivate } from './addresses.js';
import { fc } from '../../../../test/support/runner/property.js';

describe('addressOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['203.0.113.7:_port', '203.0.113.7'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:0db8::0001]:443', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::ffff:cb00:7107]:80', '203.0.113.7'],
    ['::1', '::1'],
  ])('reads %s as %s', (entry, address) => {
    expect(addressOf(entry)).toBe(address);
  });

  it.each([
    ...['', ' ', 'unknown', '_hidden', 'localhost', '203.0.113', '203.0.113.256', '0203.0.113.7', '0xcb.0.113.7'],
    ...[
      '203.0.113.7:',
      '203.0.113.7:123456',
      '203.0.113.7:80:80',
      '203.0.113.7 ',
      '203.0.113.7\u0001',
      '203.0.113.7/8',
    ],
    ...['2001:db8::1]:80', '[2001:db8::1', '[203.0.113.7]', '2001:db8::1%eth0', '[fe80::1%25eth0]', '"2001:db8::1"'],
    ...['x'.repeat(20_000), '1'.repeat(20_000), ':'.repeat(20_000), '1.'.repeat(10_000)],
  ])('rejects %.40j', (entry) => {
    expect(addressOf(entry)).toBeUndefined();
  });

  it('returns an IP address or undefined for any text', () => {
    const parts = fc.constantFrom('1', '203.0.113.7', ':', '.', '[', ']', '::', 'ffff', '%', '_', ',', '"', '80', ' ');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(parts).map((all) => all.join('')),
        ),
        (text) => {
          const address = addressOf(text);
          expect(address === undefined || isIP(address) > 0).toBe(true);
        },
      ),
    );
  });

  it('returns one spelling of an address, with and without port', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(65_535), (address, port) => {
        const known = addressOf(address);
        const bracketed = address.includes(':') ? `[${address}]` : address;
        expect(known).toBeDefined();
        expect(addressOf(address.toUpperCase())).toBe(known);
        expect(addressOf(`${bracketed}:${port}`)).toBe(known);
        expect(addressOf(known ?? '')).toBe(known);
      }),
    );
  });
});

it.each([
  ...['203.0.113.7', '203.0.113.7:80', '[2001:db8::1]', '[2001:db8::1]:80', '[2001:db8::1]:_p', 'unknown', 'Unknown'],
  ...['unknown:80', '_a', '_gazonk', '_SEVKISEK.a-b', '_hidden:_port'],
])('%s is a node identifier of RFC 7239', (text) => {
  expect(isNode(text)).toBe(true);
});

it.each(['', '2001:db8::1', '_', '_a b', 'name', '203.0.113.700', '[nothing]', 'unknown:', '_a:b:c'])(
  '%j is not a node identifier of RFC 7239',
  (text) => {
    expect(isNode(text)).toBe(false);
  },
);

it.each([
  ...['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  ...['169.254.0.1', '127.0.0.1', '127.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...['::1', 'fe80::1', 'febf:ffff::1', 'fe80::1%eth0', 'fc00::1', 'fdff::1', 'FD00::1'],
  ...['::ffff:10.1.2.3', '::FFFF:127.0.0.1', '::ffff:c0a8:1'],
])('%s is a private address', (address) => {
  expect(isPrivate(address)).toBe(true);
});

it.each([
  ...['9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0'],
  ...['169.253.255.255', '169.255.0.0', '126.255.255.255', '128.0.0.0', '100.63.255.255', '100.128.0.0', '0.0.0.0'],
  ...['::', '::2', 'fe7f::1', 'fec0::1', 'fbff::1', 'fe00::1', '2001:db8::1', '::ffff:203.0.113.7', '::10.0.0.1'],
])('%s is not a private address', (address) => {
  expect(isPrivate(address)).toBe(false);
});

it.each([undefined, '', '10', '10.1', '0x0a.0.0.1', '010.0.0.1', '10.0.0.1:80', '[::1]', '10.0.0.1 ', 'localhost'])(
  '%j is not an address and therefore not private',
  (text) => {
    expect(isPrivate(text)).toBe(false);
  },
);

it('isPrivate accepts any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.ipV4(), fc.ipV6()), (text) => {
      expect(typeof isPrivate(text)).toBe('boolean');
    }),
  );
});

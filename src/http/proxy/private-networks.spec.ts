import { expect, it } from 'vitest';
import { fc } from '../../../test/support/property.js';
import { isPrivate } from './private-networks.js';

it.each([
  ...['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  ...['169.254.0.1', '127.0.0.1', '127.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...['::1', 'fe80::1', 'febf:ffff::1', 'fe80::1%eth0', 'fc00::1', 'fdff::1', 'FD00::1'],
  ...['::ffff:10.1.2.3', '::FFFF:127.0.0.1', '::ffff:c0a8:1'],
])('%s is private', (address) => {
  expect(isPrivate(address)).toBe(true);
});

it.each([
  ...['9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0'],
  ...['169.253.255.255', '169.255.0.0', '126.255.255.255', '128.0.0.0', '100.63.255.255', '100.128.0.0', '0.0.0.0'],
  ...['::', '::2', 'fe7f::1', 'fec0::1', 'fbff::1', 'fe00::1', '2001:db8::1', '::ffff:203.0.113.7', '::10.0.0.1'],
])('%s is not', (address) => {
  expect(isPrivate(address)).toBe(false);
});

it.each([undefined, '', '10', '10.1', '0x0a.0.0.1', '010.0.0.1', '10.0.0.1:80', '[::1]', '10.0.0.1 ', 'localhost'])(
  '%j is no address, so it is not',
  (text) => {
    expect(isPrivate(text)).toBe(false);
  },
);

it('takes any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.ipV4(), fc.ipV6()), (text) => {
      expect(typeof isPrivate(text)).toBe('boolean');
    }),
  );
});

import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { outward, reachable } from './address.js';

function known(family: 'IPv4' | 'IPv6', address: string, internal = false): NetworkInterfaceInfo {
  const rest = { address, netmask: '', mac: '', internal, cidr: null };
  return family === 'IPv4' ? { family, ...rest } : { family, scopeid: 0, ...rest };
}

const LOOPBACK = [known('IPv4', '127.0.0.1', true), known('IPv6', '::1', true)];
const CARD = [known('IPv6', 'fe80::1'), known('IPv6', '2001:db8::7'), known('IPv4', '10.0.0.7')];

describe('the address that other machines use', () => {
  it.each([
    ['10.0.0.9', '10.0.0.9'],
    ['2001:db8::9', '[2001:db8::9]'],
    ['login.internal', 'login.internal'],
  ])('is the bound address %s', (bound, expected) => {
    expect(outward(bound, [...LOOPBACK, ...CARD])).toBe(expected);
  });

  it.each([undefined, '0.0.0.0', '::'])('is the first network address if all are bound (%s)', (bound) => {
    expect(outward(bound, [...LOOPBACK, ...CARD])).toBe('10.0.0.7');
  });

  it('is a global IPv6 address if there is no IPv4 address', () => {
    expect(outward(undefined, [...LOOPBACK, ...CARD.slice(0, 2)])).toBe('[2001:db8::7]');
  });

  it('is localhost without a network', () => {
    expect(outward(undefined, [...LOOPBACK, ...CARD.slice(0, 1)])).toBe('localhost');
  });
});

it.each([
  [undefined, 'localhost'],
  ['::', 'localhost'],
  ['::1', '[::1]'],
  ['127.0.0.1', '127.0.0.1'],
])('a listener bound to %s is reachable on this machine at %s', (bound, expected) => {
  expect(reachable(bound)).toBe(expected);
});

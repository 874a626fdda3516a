import { expect, it } from 'vitest';
import { AddressGuard } from './address-guard.js';

const strict = new AddressGuard([]);

it.each([
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.9.9.9', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
  ...['192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2002:7f00:1::',
  ],
  ...['::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1'],
  ...[
    '2a00:1450::5efe:10.0.0.1',
    '2a00:1450::200:5efe:10.0.0.1',
    '2a00:1450:1:2:0:5efe:127.0.0.1',
    'fe80::5efe:8.8.8.8',
  ],
  ...['', 'not an address'],
])('an outgoing call may not reach the internal address "%s" without an entry', (address) => {
  expect(strict.allowsAddress(address)).toBe(false);
});

it.each([
  '8.8.8.8',
  '172.32.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
  '2a00:1450::5efe:8.8.8.8',
  '2a00:1450::5efe',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
])('an outgoing call may reach the public address %s', (address) => {
  expect(strict.allowsAddress(address)).toBe(true);
});

it.each([
  ['10.20.0.0/16', '10.20.3.4', '10.21.0.1'],
  ['10.20.0.0/16', '::ffff:10.20.3.4', '::ffff:10.21.0.1'],
  ['10.20.0.0/16', '64:ff9b::10.20.3.4', '64:ff9b::10.21.0.1'],
  ['10.20.0.0/16', '2a00:1450::5efe:10.20.3.4', '2a00:1450::5efe:10.21.0.1'],
  ['192.168.1.1', '192.168.1.1', '192.168.1.2'],
  ['fd12:3456::/32', 'fd12:3456::1', 'fd13::1'],
])('the entry %s allows %s but not %s', (entry, allowed, rejected) => {
  const guard = new AddressGuard([entry]);

  expect([guard.allowsAddress(allowed), guard.allowsAddress(rejected)]).toEqual([true, false]);
});

it('an entry that is a host name allows that name, and *. its subdomains', () => {
  const guard = new AddressGuard(['idp.corp', '*.intra.example.com']);
  const hosts = [
    'IdP.corp',
    'idp.corp.',
    'a.intra.example.com',
    'xidp.corp',
    'idp.corp.evil.test',
    'intra.example.com',
  ];

  expect(hosts.map((host) => guard.allowsHost(host))).toEqual([true, true, true, false, false, false]);
});

import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { connect, Server } from 'node:net';
import os from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Listener } from './listener.js';

const FIRST = '127.0.0.1';
/** All of 127.0.0.0/8 are this machine: stands for the `::1` that not every machine has. */
const SECOND = '127.0.0.2';

type Tell = (error: null, addresses: readonly dns.LookupAddress[]) => void;

afterEach(() => vi.restoreAllMocks());

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => {
      resolve(false);
    });
  });
}

it('a listener opens only one address of localhost, since limits and shutdown cover one server', async () => {
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string, _options: object, tell: Tell) => {
    const addresses = host === 'localhost' ? [FIRST, SECOND] : [host];
    tell(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  }) as typeof dns.lookup);
  const listener = new Listener();
  try {
    const port = await listener.open({ port: 0, address: 'localhost', key: '', addressKey: '' });

    expect([await answers(FIRST, port), await answers(SECOND, port)]).toEqual([true, false]);
  } finally {
    await listener.close(0);
  }
});

it('C6: a listener on every address opens although the process may not read the network interfaces', async () => {
  // Simulates systemd's RestrictAddressFamilies without AF_NETLINK.
  vi.spyOn(os, 'networkInterfaces').mockImplementation(() => {
    throw new Error('uv_interface_addresses returned EAFNOSUPPORT');
  });
  syncBuiltinESMExports();
  const listener = new Listener();
  try {
    const port = await listener.open({ port: 0, address: undefined, key: '', addressKey: '' });

    expect(await answers(FIRST, port)).toBe(true);
  } finally {
    await listener.close(0);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
});

it('a listener without a catalogue of texts has no pages: it sends browsers an error as JSON', async () => {
  const listener = new Listener();
  try {
    const port = await listener.open({ port: 0, address: FIRST, key: '', addressKey: '' });
    const answer = await fetch(`http://${FIRST}:${port}/none`, { headers: { accept: 'text/html' } });

    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  } finally {
    await listener.close(0);
  }
});

describe('a process without IPv6', () => {
  /** The hosts on which a server is to listen; those of IPv6 fail with the code. */
  function refuseIpv6(code: string): readonly unknown[] {
    const hosts: unknown[] = [];
    const listen: unknown = Reflect.get(Server.prototype, 'listen');
    vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
      const { host } = args[0] as { readonly host: string };
      hosts.push(host);
      if (!host.includes(':')) return Reflect.apply(listen as typeof this.listen, this, args) as Server;
      process.nextTick(() => this.emit('error', Object.assign(new Error(`listen ${code}`), { code })));
      return this;
    });
    return hosts;
  }

  // EAFNOSUPPORT: systemd's RestrictAddressFamilies without AF_INET6, although the machine has IPv6.
  it.each(['EAFNOSUPPORT', 'EADDRNOTAVAIL'])('C6: on %s, a listener on every address opens on IPv4', async (code) => {
    vi.spyOn(os, 'networkInterfaces').mockReturnValue({ eth0: [{ family: 'IPv6' } as os.NetworkInterfaceInfo] });
    syncBuiltinESMExports();
    const hosts = refuseIpv6(code);
    const listener = new Listener();
    try {
      const port = await listener.open({ port: 0, address: undefined, key: '', addressKey: '' });

      expect(await answers(FIRST, port)).toBe(true);
      expect(hosts).toEqual(['::', '0.0.0.0']);
    } finally {
      await listener.close(0);
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    }
  });

  it.each([
    ['a configured address', '::', 'EAFNOSUPPORT'],
    ['another failure', undefined, 'EADDRINUSE'],
  ])('C6: %s does not lead to another address', async (_, address, code) => {
    const hosts = refuseIpv6(code);
    const listener = new Listener();

    await expect(listener.open({ port: 0, address, key: '', addressKey: '' })).rejects.toMatchObject({ code });
    expect(hosts).toEqual(['::']);
  });
});

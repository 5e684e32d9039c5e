import { BlockList } from 'node:net';
import { clientAddress, clientNetwork } from '@session-launch/process/client-address';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unicodeText } from '../harness/texts.ts';

function proxies(...entries: string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

describe('without trusted proxies', () => {
  it.each([undefined, '', '203.0.113.9', '203.0.113.9, 127.0.0.1', 'junk', ','])(
    'X-Forwarded-For %j is ignored',
    (forwardedFor) => {
      expect(clientAddress('198.51.100.1', forwardedFor)).toBe('198.51.100.1');
    },
  );

  it.each([
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['::FFFF:c633:6401', '198.51.100.1'],
    ['0:0:0:0:0:ffff:198.51.100.1', '198.51.100.1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1', '::1'],
  ])('a socket from %s is the client %s', (socket, client) => {
    expect(clientAddress(socket, undefined)).toBe(client);
  });

  it('a closed socket still yields a client key', () => {
    expect(clientAddress(undefined, '203.0.113.9')).toBe(clientAddress(undefined, undefined));
    expect(clientNetwork(clientAddress(undefined, undefined))).not.toBe('');
  });
});

describe('behind trusted proxies', () => {
  const trusted = proxies('127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48');

  it.each([
    ['one hop', '203.0.113.9', '203.0.113.9'],
    ['addresses written by the client further left', '192.0.2.66, 203.0.113.9', '203.0.113.9'],
    ['a trusted hop on the right', '203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['several trusted hops on the right', '203.0.113.9, 10.1.2.3, 10.4.5.6', '203.0.113.9'],
    ['a trusted address claimed by the client', '10.9.9.9, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['no spaces', '192.0.2.66,203.0.113.9,10.1.2.3', '203.0.113.9'],
    ['many spaces', '  192.0.2.66  ,  203.0.113.9  ', '203.0.113.9'],
    ['a port', '203.0.113.9:51234', '203.0.113.9'],
    ['brackets', '[2001:db8::7]', '2001:db8::7'],
    ['brackets and a port', '[2001:db8::7]:443', '2001:db8::7'],
    ['a bare IPv6 address', '2001:db8::7', '2001:db8::7'],
    ['IPv4 mapped into IPv6', '::ffff:203.0.113.9', '203.0.113.9'],
    ['IPv4 mapped into IPv6, in hexadecimal', '::ffff:cb00:7109', '203.0.113.9'],
    ['a trusted hop mapped into IPv6', '203.0.113.9, ::ffff:10.1.2.3', '203.0.113.9'],
    ['a trusted IPv6 hop', '203.0.113.9, 2001:db8:ffff::1', '203.0.113.9'],
    ['junk left of the client', 'junk, "><script>, 203.0.113.9', '203.0.113.9'],
  ])('finds the client behind %s', (_, forwardedFor, client) => {
    expect(clientAddress('127.0.0.1', forwardedFor, trusted)).toBe(client);
    expect(clientAddress('::ffff:127.0.0.1', forwardedFor, trusted)).toBe(client);
  });

  it.each([
    ['junk', 'junk', '127.0.0.1'],
    ['junk right of an address', '203.0.113.9, junk', '127.0.0.1'],
    ['an empty header', '', '127.0.0.1'],
    ['an empty last hop', '203.0.113.9,', '127.0.0.1'],
    ['a name', 'localhost', '127.0.0.1'],
    ['"unknown"', 'unknown', '127.0.0.1'],
    ['an address with leading zeros', '203.000.113.009', '127.0.0.1'],
    ['a number', '3405803785', '127.0.0.1'],
    ['junk behind a trusted hop', '203.0.113.9, junk, 10.1.2.3', '10.1.2.3'],
  ])('uses the last trusted proxy when the header has %s', (_, forwardedFor, client) => {
    expect(clientAddress('127.0.0.1', forwardedFor, trusted)).toBe(client);
  });

  it('uses the left-most hop when every hop is a trusted proxy', () => {
    expect(clientAddress('127.0.0.1', '10.0.0.9, 10.1.2.3', trusted)).toBe('10.0.0.9');
  });

  it('ignores a header from an untrusted address', () => {
    expect(clientAddress('198.51.100.1', '203.0.113.9', trusted)).toBe('198.51.100.1');
    expect(clientAddress(undefined, '203.0.113.9', trusted)).not.toBe('203.0.113.9');
  });

  const ipv4 = fc.ipV4();
  const outsider = ipv4.filter((address) => !trusted.check(address, 'ipv4'));
  const proxy = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map(([b, c, d]) => `10.${b}.${c}.${d}`);
  const whatever = fc.oneof(fc.string(), ipv4, fc.ipV6(), proxy);

  it('a client cannot choose its address', () => {
    fc.assert(
      fc.property(fc.array(whatever), outsider, fc.array(proxy), (written, client, passed) => {
        const forwardedFor = [...written, client, ...passed].join(', ');
        expect(clientAddress('127.0.0.1', forwardedFor, trusted)).toBe(client);
      }),
    );
  });

  it('returns an address for any header', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          unicodeText(),
          fc.array(whatever).map((h) => h.join(',')),
        ),
        (header) => {
          const found = clientAddress('127.0.0.1', header, trusted);
          expect(clientAddress(found, undefined)).toBe(found);
        },
      ),
    );
  });
});

describe('clientNetwork', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['0.0.0.0', '0.0.0.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1:2::/64'],
  ])('of %s is %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });

  it('separates IPv4 clients, also when mapped into IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), (a, b) => {
        fc.pre(a !== b);
        const of = (address: string) => clientNetwork(clientAddress(`::ffff:${address}`, undefined));
        expect(of(a)).toBe(a);
        expect(of(a)).not.toBe(of(b));
      }),
    );
  });

  const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 });
  const notMapped = groups.filter((g) => !(g.slice(0, 5).every((n) => n === 0) && g[5] === 0xffff));

  it('is the same for a /64 in any notation, and different for every other /64', () => {
    fc.assert(
      fc.property(notMapped, notMapped, fc.boolean(), (one, two, sameNetwork) => {
        const other = sameNetwork ? [...one.slice(0, 4), ...two.slice(4)] : two;
        const equal = one.slice(0, 4).join() === other.slice(0, 4).join();
        for (const write of [plainly, padded, compressed, dotted]) {
          expect(clientNetwork(write(one)) === clientNetwork(plainly(other))).toBe(equal);
        }
      }),
    );
  });
});

function plainly(groups: number[]): string {
  return groups.map((g) => g.toString(16)).join(':');
}

function padded(groups: number[]): string {
  return groups.map((g) => g.toString(16).padStart(4, '0').toUpperCase()).join(':');
}

/** The serialisation of the URL standard: the longest run of zeros becomes `::`. */
function compressed(groups: number[]): string {
  return new URL(`http://[${plainly(groups)}]/`).hostname.slice(1, -1);
}

function dotted(groups: number[]): string {
  const [high = 0, low = 0] = groups.slice(6);
  return `${plainly(groups.slice(0, 6))}:${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

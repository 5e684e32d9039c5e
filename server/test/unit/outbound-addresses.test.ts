import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAllowedAddress } from '../../src/outbound/addresses.ts';
import { urlProblem } from '../../src/outbound/target.ts';

const strict = { allowPrivate: false };
const lenient = { allowPrivate: true };

/** An address of a network, with random bits after its prefix. */
const inside4 = (network: string, prefix: number) =>
  fc.nat(0xffff_ffff).map((random) => {
    const base = network.split('.').reduce((value, part) => value * 256 + Number(part), 0);
    const free = 2 ** (32 - prefix);
    const value = base + (random % free);
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
  });

const inside6 = (network: bigint, prefix: number) =>
  fc.bigInt({ min: 0n, max: 2n ** BigInt(128 - prefix) - 1n }).map((random) => text6(network + random));

function text6(value: bigint): string {
  const hex = value.toString(16).padStart(32, '0');
  return hex.match(/.{4}/g)!.join(':');
}

const group = (...groups: number[]) =>
  groups.reduce((value, one, i) => value + (BigInt(one) << BigInt(112 - 16 * i)), 0n);

const reserved4 = {
  'this network': ['0.0.0.0', 8],
  'private, 10': ['10.0.0.0', 8],
  'shared by carriers (CGNAT)': ['100.64.0.0', 10],
  loopback: ['127.0.0.0', 8],
  'link-local and metadata': ['169.254.0.0', 16],
  'private, 172': ['172.16.0.0', 12],
  'protocol assignments': ['192.0.0.0', 24],
  'documentation 1': ['192.0.2.0', 24],
  '6to4 relays': ['192.88.99.0', 24],
  'private, 192': ['192.168.0.0', 16],
  benchmarks: ['198.18.0.0', 15],
  'documentation 2': ['198.51.100.0', 24],
  'documentation 3': ['203.0.113.0', 24],
  multicast: ['224.0.0.0', 4],
  'reserved and broadcast': ['240.0.0.0', 4],
} as const;

const reserved6 = {
  'unspecified, loopback and compatible': [0n, 96],
  'IPv4 mapped': [group(0, 0, 0, 0, 0, 0xffff), 96],
  'IPv4 translated': [group(0, 0, 0, 0, 0xffff), 96],
  NAT64: [group(0x64, 0xff9b), 96],
  'local NAT64': [group(0x64, 0xff9b, 1), 48],
  discard: [group(0x100), 64],
  'Teredo and protocols': [group(0x2001), 23],
  documentation: [group(0x2001, 0xdb8), 32],
  '6to4': [group(0x2002), 16],
  'documentation, long': [group(0x3fff), 20],
  'segment routing': [group(0x5f00), 16],
  'unique local': [group(0xfc00), 7],
  'link-local': [group(0xfe80), 10],
  'site-local': [group(0xfec0), 10],
  multicast: [group(0xff00), 8],
} as const;

test.for(Object.entries(reserved4))('IPv4: %s is rejected', ([, [network, prefix]]) => {
  fc.assert(fc.property(inside4(network, prefix), (address) => !isAllowedAddress(address, strict)));
});

test.for(Object.entries(reserved6))('IPv6: %s is rejected', ([, [network, prefix]]) => {
  fc.assert(fc.property(inside6(network, prefix), (address) => !isAllowedAddress(address, strict)));
});

test('every IPv4 address that is mapped into IPv6 is rejected, even a public one', () => {
  fc.assert(
    fc.property(
      inside4('0.0.0.0', 0),
      (address) =>
        !isAllowedAddress(`::ffff:${address}`, strict) && !isAllowedAddress(`::ffff:${address}`, lenient),
    ),
  );
});

test.for([
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80e::200e',
])('%s is public', (address) => {
  expect(isAllowedAddress(address, strict)).toBe(true);
});

test.for(['127.0.0.1', '::1', '10.1.2.3', '172.20.0.1', '192.168.1.1', 'fd12:3456::1'])(
  '%s is allowed with allowPrivate',
  (address) => {
    expect(isAllowedAddress(address, lenient)).toBe(true);
  },
);

test.for([
  '0.0.0.0',
  '::',
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'fe80::1%eth0',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  '224.0.0.1',
  'ff02::1',
  'not an address',
  '',
])('%j is never allowed', (address) => {
  expect(isAllowedAddress(address, strict)).toBe(false);
  expect(isAllowedAddress(address, lenient)).toBe(false);
});

test.for([
  ['https://app.example.com/webhooks?a=b'],
  ['https://app.example.com:8443/'],
  ['https://1.1.1.1/'],
  ['https://[2606:4700:4700::1111]/'],
])('%s is accepted', ([url]) => {
  expect(urlProblem(url!, strict)).toBeUndefined();
});

const reservedHost = 'must not name a loopback, private or otherwise reserved address';

test.for([
  ['', 'must be an absolute URL'],
  ['/webhooks', 'must be an absolute URL'],
  ['http://app.example.com/', 'must begin with https://'],
  ['http://localhost:3000/', 'must begin with https://'],
  ['file:///etc/passwd', 'must begin with https://'],
  ['https://user@app.example.com/', 'must not contain a user name or password'],
  ['https://user:word@app.example.com/', 'must not contain a user name or password'],
  ['https://app.example.com/#secret', 'must not contain a fragment'],
  ['https://localhost/', reservedHost],
  ['https://api.localhost/', reservedHost],
  ['https://localhost./', reservedHost],
  ['https://127.0.0.1/', reservedHost],
  // The URL parser reads all of these as 127.0.0.1.
  ['https://127.1/', reservedHost],
  ['https://0x7f.0.0.1/', reservedHost],
  ['https://0177.0.0.1/', reservedHost],
  ['https://2130706433/', reservedHost],
  ['https://１２７.0.0.1/', reservedHost],
  ['https://[::1]/', reservedHost],
  ['https://[::ffff:127.0.0.1]/', reservedHost],
  ['https://[::ffff:1.1.1.1]/', reservedHost],
  ['https://169.254.169.254/latest/meta-data/', reservedHost],
  ['https://[64:ff9b::7f00:1]/', reservedHost],
])('%s is rejected', ([url, problem]) => {
  expect(urlProblem(url!, strict)).toBe(problem);
});

test.for([
  ['http://localhost:3000/hooks', undefined],
  ['http://127.0.0.1:3000/hooks', undefined],
  ['http://[::1]/', undefined],
  ['https://10.0.0.1/', undefined],
  ['http://10.0.0.1/', 'must begin with https://, unless it names a loopback address'],
  ['http://app.example.com/', 'must begin with https://, unless it names a loopback address'],
  ['https://169.254.169.254/', reservedHost],
  ['http://user@localhost/', 'must not contain a user name or password'],
])('with allowPrivate: %s', ([url, problem]) => {
  expect(urlProblem(url!, lenient)).toBe(problem);
});

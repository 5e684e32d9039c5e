import { createSocket } from 'node:dgram';
import { expect, onTestFinished, test } from 'vitest';
import { dnsResolve } from '../../src/outbound/connect.ts';

const types = { A: 1, AAAA: 28 };

/** A name server: resolves the known names, never responds for `silent.example`, and reports that other names do not exist. */
async function nameServer(known: Record<string, { A?: number[]; AAAA?: number[] }>): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (; query[at] !== 0; at += query[at]! + 1)
      labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    const name = labels.join('.').toLowerCase();
    if (name === 'silent.example') return;
    const type = query.readUInt16BE(at + 1);
    const records = known[name];
    const data = type === types.A ? records?.A : records?.AAAA;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(records === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(data === undefined ? 0 : 1, 6);
    head.writeUInt32BE(0, 8);
    const parts: Uint8Array[] = [head, query.subarray(12, at + 5)];
    if (data !== undefined)
      parts.push(Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]));
    socket.send(Buffer.concat(parts), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const v6 = [0x26, 0x06, 0x47, 0, ...Array<number>(11).fill(0), 0x11];

test('returns the addresses of both families, and rejects unknown names', async () => {
  const servers = [
    await nameServer({ 'both.example': { A: [1, 1, 1, 1], AAAA: v6 }, 'one.example': { A: [1, 0, 0, 1] } }),
  ];
  expect((await dnsResolve('both.example', servers)).sort()).toEqual(['1.1.1.1', '2606:4700::11']);
  expect(await dnsResolve('one.example', servers)).toEqual(['1.0.0.1']);
  await expect(dnsResolve('none.example', servers)).rejects.toThrow('ENOTFOUND');
});

test('a name whose server never responds does not delay others', async () => {
  const servers = [await nameServer({ 'one.example': { A: [1, 0, 0, 1] } })];
  let given = 0;
  for (let n = 0; n < 50; n++) void dnsResolve('silent.example', servers).catch(() => given++);
  expect(await dnsResolve('one.example', servers)).toEqual(['1.0.0.1']);
  expect(given).toBe(0);
});

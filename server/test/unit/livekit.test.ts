import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLivekit } from '../../src/doctor/livekit.ts';
import { RoomService } from '../../src/livekit/room-service.ts';
import { urlProblem } from '../../src/outbound/target.ts';
import { transportType } from '../../src/transports/known.ts';
import { type LivekitRooms, livekitKeys, startLivekitRooms } from '../harness/livekit-rooms.ts';

let livekit: LivekitRooms;
beforeAll(async () => {
  livekit = await startLivekitRooms();
});
afterAll(() => livekit?.close());

const secret = 'another-secret-of-forty-characters-00000';

describe('the doctor', () => {
  const use = (url = livekit.url) => [{ url, experiences: 2 }];

  test('reports nothing about LiveKit if neither a key is set nor an experience uses it', async () => {
    expect(await checkLivekit(undefined, [])).toEqual([]);
  });

  test('fails if an experience uses LiveKit and no key is set', async () => {
    const [finding, ...others] = await checkLivekit(undefined, use());
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ check: 'livekit', status: 'fail' });
    expect(finding?.message).toContain('2 experiences');
    expect(finding?.todo).toBeDefined();
  });

  test('asks RoomService whether it accepts the key', async () => {
    expect(await checkLivekit(livekitKeys, [])).toMatchObject([{ status: 'ok' }]);
    expect(await checkLivekit(livekitKeys, use())).toMatchObject([{ status: 'ok' }]);
    const refused = await checkLivekit({ ...livekitKeys, apiSecret: secret }, use());
    expect(refused).toMatchObject([{ status: 'fail', message: expect.stringContaining('401') }]);
    expect(JSON.stringify(refused)).not.toContain(secret);
    expect(await checkLivekit(livekitKeys, use('ws://127.0.0.1:9'))).toMatchObject([{ status: 'fail' }]);
  });
});

describe('RoomService', () => {
  test('distinguishes an unknown client from an address that is no LiveKit server', async () => {
    const rooms = new RoomService(livekitKeys);
    expect(await rooms.hasClient(livekit.url, 'ses_1')).toBe(false);
    await rooms.removeClient(livekit.url, 'ses_1');
    livekit.failsWith = 404;
    await expect(rooms.hasClient(livekit.url, 'ses_1')).rejects.toThrow('404');
    livekit.failsWith = undefined;
    await rooms.close();
  });

  test.each([
    'ws://169.254.169.254',
    'wss://[fe80::1]',
    'wss://100.64.0.1',
    'ws://93.184.216.34',
    'wss://user:secret@127.0.0.1',
  ])('sends no request to %s', async (url) => {
    const rooms = new RoomService(livekitKeys);
    await expect(rooms.check(url)).rejects.toThrow('the URL must');
    await rooms.close();
  });

  test('may use http in a private network only', () => {
    const rules = { allowPrivate: true, allowPrivateHttp: true };
    for (const url of [
      'http://livekit:7880',
      'http://10.1.2.3:7880',
      'http://localhost',
      'https://livekit.example.com',
    ])
      expect(urlProblem(url, rules), url).toBeUndefined();
    expect(urlProblem('http://93.184.216.34', rules)).toContain('private address');
  });
});

test('a transport without a usable address is refused, and so are fields that the service writes', () => {
  const fields = (transport: object) =>
    transportType('livekit')!
      .problems({ type: 'livekit', ...transport })
      .map(({ field }) => field);
  expect(fields({ url: 'wss://livekit.example.com' })).toEqual([]);
  expect(fields({})).toEqual(['url']);
  expect(fields({ url: 'wss://a:b@livekit.example.com' })).toEqual(['url']);
  expect(fields({ url: 'wss://livekit.example.com?x=1' })).toEqual(['url']);
  expect(fields({ url: 'wss://livekit.example.com', token: 'x', roomName: 'y' })).toEqual([
    'token',
    'roomName',
  ]);
});

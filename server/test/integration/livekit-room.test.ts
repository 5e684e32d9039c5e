import { expect, test } from 'vitest';
import { RoomService } from '../../src/livekit/room-service.ts';
import { livekitAccess } from '../../src/transports/livekit-token.ts';

// A real LiveKit server, if LIVEKIT_URL names one. Without it, the tests are skipped, and reported as skipped.

const {
  LIVEKIT_URL: url = '',
  LIVEKIT_API_KEY: apiKey = '',
  LIVEKIT_API_SECRET: apiSecret = '',
} = process.env;
const keys = { apiKey, apiSecret };
const sessionId = `ses_test${Date.now()}`;
if (url === '') process.stderr.write('skipped the tests with a LiveKit server: set LIVEKIT_URL\n');

test.skipIf(url === '')('a LiveKit server accepts the token of a session, until it expires', async () => {
  const now = Math.floor(Date.now() / 1000);
  const validate = async (issuedAt: number, expiresAt: number) => {
    const { token } = await livekitAccess(keys, { sessionId, issuedAt, expiresAt, agentName: 'guide' });
    const answer = await fetch(`${url.replace(/^ws/, 'http')}/rtc/validate?access_token=${token}`);
    return answer.status;
  };
  expect(await validate(now, now + 600)).toBe(200);
  expect(await validate(now - 1_200, now - 600)).toBe(401);
});

test.skipIf(url === '')(
  'its RoomService answers, and knows no client of a session that has not begun',
  async () => {
    const rooms = new RoomService(keys);
    await rooms.check(url);
    expect(await rooms.hasClient(url, sessionId)).toBe(false);
    await rooms.removeClient(url, sessionId);
    await expect(new RoomService({ ...keys, apiSecret: 'x'.repeat(40) }).check(url)).rejects.toThrow('401');
    await rooms.close();
  },
);

import { type Site, startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { beepingMicrophone } from '@session-launch/testing/launch-chromium.ts';
import {
  createWorld,
  experience,
  mintFromServer,
  runtime,
  type World,
} from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { livekitEnvironment, livekitWebhook, sendWebhook } from '../harness/livekit-rooms.ts';
import { type LivekitStandIn, type StandInRoom, startLivekitStandIn } from '../harness/livekit-signalling.ts';
import { useService } from '../harness/service.ts';
import { meter } from '../harness/speaking.ts';

// The SDK's own transport with LiveKit's client, real WebRTC, and a stand-in for the signalling of a LiveKit server.

const service = useService(livekitEnvironment);
const browser = useBrowser(
  ...beepingMicrophone,
  '--allow-loopback-in-peer-connection',
  '--autoplay-policy=no-user-gesture-required',
);
let context: BrowserContext;
let livekit: LivekitStandIn;
let site: Site;
let world: World;
let page: Page;

beforeAll(async () => {
  site = await startSite();
  context = await browser.open({ permissions: ['microphone'] });
  await context.addInitScript(meter);
  const media = await context.newPage();
  await media.goto(site.origin);
  livekit = await startLivekitStandIn(() => service, media);
  world = await createWorld(service, {
    project: { allowedOrigins: [site.origin] },
    experiences: [
      experience({
        runtime: runtime({
          transport: { type: 'livekit', url: livekit.url, agentName: 'guide', video: true },
        }),
      }),
    ],
  });
  page = await context.newPage();
});
afterEach(() => page.evaluate('experience?.end()').catch(() => {}));
afterAll(async () => {
  await context?.close();
  await livekit?.close();
  await site?.close();
});

/** Opens a page with the player under the strictest policy that it needs, and starts a session. */
async function start(): Promise<{ sessionId: string; room: StandInRoom }> {
  const http = livekit.url.replace('ws', 'http');
  site.show(
    `<script src="${service.url}/sdk/v2/session-launch.js"></script><div id="stage"></div>`,
    `default-src 'none'; script-src ${service.url} 'unsafe-eval'; connect-src ${service.url} ${livekit.url} ${http}; img-src ${service.url} data:; style-src 'unsafe-inline'`,
  );
  await page.goto(site.origin);
  await page.evaluate(`
    globalThis.told = [];
    globalThis.experience = SessionLaunch.createExperience({ experienceId: '${world.experienceId}' });
    for (const name of ['stateChange', 'modeChange', 'message', 'ended', 'error', 'runtimeEvent'])
      experience.on(name, (value) => told.push([name, JSON.parse(JSON.stringify(value))]));
    experience.attach('#stage');
    experience.start().catch(() => {});
    0;
  `);
  await page.waitForFunction(`experience.session !== null`);
  const sessionId = (await page.evaluate('experience.session.sessionId')) as string;
  await page.waitForFunction(`['live', 'failed'].includes(experience.state)`);
  expect(await told('error')).toEqual([]);
  const room = await livekit.room(sessionId);
  return { sessionId, room };
}

const becomes = (state: string) => page.waitForFunction(`experience.state === '${state}'`);
// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
const told = (name: string): Promise<any[]> =>
  page.evaluate(`told.filter(([name]) => name === '${name}').map(([, value]) => value)`);
const read = async (sessionId: string) =>
  (
    await service.call({
      path: `/v1/sessions/${sessionId}`,
      headers: { Authorization: `Bearer ${world.key}` },
    })
  ).json;

test('a conversation in a room: sound, picture, microphone, modes, transcripts, text and interruption', async () => {
  const { sessionId, room } = await start();
  expect(await read(sessionId)).toMatchObject({ status: 'active' });
  await expect.poll(() => page.evaluate('loudness()')).toBeGreaterThan(0.05);
  await expect.poll(() => page.evaluate('experience.output.level()')).toBeGreaterThan(0.05);
  await page.waitForFunction(`(() => {
    const find = (root) => [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? find(one.shadowRoot) : [])]);
    return find(document).some((one) => one instanceof HTMLVideoElement && one.videoWidth === 64);
  })()`);
  await expect.poll(() => room.published).toEqual(['audio']);
  expect(await page.evaluate('experience.mode')).toBe('listening');
  room.state('thinking');
  await page.waitForFunction(`experience.mode === 'thinking'`);
  room.state('speaking');
  await page.waitForFunction(`experience.mode === 'speaking'`);
  await room.transcribe('said', ['When do'], 'user', false);
  await room.transcribe('said', ['When do the ferries leave?'], 'user', true);
  await room.transcribe('answer', ['They leave ', 'at every full hour.'], 'agent', false);
  await expect
    .poll(() => page.evaluate(`experience.messages.map(({ role, text, status }) => [role, text, status])`))
    .toEqual([
      ['user', 'When do the ferries leave?', 'final'],
      ['character', 'They leave at every full hour.', 'final'],
    ]);
  await page.evaluate(`experience.sendText('And back?')`);
  await expect.poll(() => room.heard).toContain('lk.chat: And back?');
  await page.evaluate('experience.interrupt()');
  await expect.poll(() => room.heard).toContain('call: interrupt');
  await page.evaluate('experience.output.setVolume(0)');
  await expect.poll(() => page.evaluate('loudness()')).toBeLessThan(0.01);
  await page.evaluate('experience.end()');
  await expect.poll(() => room.isLeft).toBe(true);
  await expect.poll(async () => (await read(sessionId)).status).toBe('ended');
  expect(await read(sessionId)).toMatchObject({ endReason: 'client_left' });
  expect(await told('error')).toEqual([]);
});

test('a session that is ended by API ends on the page', async () => {
  const { sessionId } = await start();
  const headers = { Authorization: `Bearer ${world.key}` };
  await service.call({ method: 'POST', path: `/v1/sessions/${sessionId}/end`, headers });
  await becomes('ended');
  expect(await told('ended')).toEqual([{ reason: 'runtime' }]);
  expect(await read(sessionId)).toMatchObject({ status: 'ended', endReason: 'api_request' });
});

test('a start fails as busy if the service removes the client for a limit before an agent has joined', async () => {
  const small = await createWorld(service, {
    project: { allowedOrigins: [site.origin], limits: { concurrentSessions: 1 } },
    experiences: [experience({ runtime: runtime({ transport: { type: 'livekit', url: livekit.url } }) })],
  });
  const { json } = await mintFromServer(service, small.key, { experienceId: small.experienceId });
  const { sessionId } = json.launch;
  livekit.join(sessionId);
  await sendWebhook(service, await livekitWebhook('participant_joined', sessionId));
  site.show(`<script src="${service.url}/sdk/v2/session-launch.js"></script>`);
  await page.goto(site.origin);
  livekit.hasAgent = false;
  const found = await page.evaluate(`(async () => {
    const ended = [];
    globalThis.experience = SessionLaunch.createExperience({ experienceId: '${small.experienceId}' });
    experience.on('ended', (value) => ended.push(value));
    const code = await experience.start().catch(({ code }) => code);
    return { code, state: experience.state, ended };
  })()`);
  livekit.hasAgent = true;
  expect(found).toEqual({ code: 'CONCURRENCY_LIMIT', state: 'failed', ended: [] });
});

test('without a LiveKit server, the start fails with a hint', async () => {
  const elsewhere = await createWorld(service, {
    project: { allowedOrigins: [site.origin] },
    experiences: [
      experience({ runtime: runtime({ transport: { type: 'livekit', url: 'ws://127.0.0.1:9' } }) }),
    ],
  });
  site.show(`<script src="${service.url}/sdk/v2/session-launch.js"></script>`);
  await page.goto(site.origin);
  const error = await page.evaluate(`
    globalThis.experience = SessionLaunch.createExperience({ experienceId: '${elsewhere.experienceId}' });
    experience.start().catch(({ code, hint }) => ({ code, hint }));
  `);
  expect(error).toMatchObject({ code: 'CONNECT_FAILED', hint: expect.any(String) });
});

test('pages with another transport never load LiveKit’s client', async () => {
  const other = await createWorld(service, { project: { allowedOrigins: [site.origin] } });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  site.show(`<script src="${service.url}/sdk/v2/session-launch.js"></script>`);
  await page.goto(site.origin);
  await page.evaluate(`
    globalThis.experience = SessionLaunch.createExperience({ experienceId: '${other.experienceId}' });
    experience.start().catch(() => {});
  `);
  await page.waitForFunction(`experience.session !== null`);
  expect(requests.filter((url) => url.includes('livekit'))).toEqual([]);
});

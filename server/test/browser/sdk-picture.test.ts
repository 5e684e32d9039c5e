import { type Site, startSite, useBrowser, watch } from '@session-launch/testing/browser.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pictureRig, uploadFace } from '../harness/faces.ts';
import { addPictureCode, dataUrl, movementOf } from '../harness/picture-page.ts';
import { type DrawnPortrait, drawPortrait, portraitNames } from '../harness/portraits.ts';
import { handMade } from '../harness/sdk-page.ts';
import { useService } from '../harness/service.ts';

const browser = useBrowser();
const service = useService();
let site: Site;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  await Promise.all(portraitNames.map((name) => drawPortrait(name)));
  site = await startSite();
  context = await browser.open();
  page = await context.newPage();
  await page.goto(site.origin);
  await addPictureCode(page);
});
afterAll(async () => {
  await context?.close();
  await site?.close();
});

describe('a picture with the points of its face', () => {
  test.each(portraitNames)('%s: the mouth, the chin and the lids move, and nothing else', async (name) => {
    const portrait = await drawPortrait(name);
    const { lips, chin, mouthAround, inside, lids, lidsAround, headAround, isRestored } = await movementOf(
      page,
      portrait,
    );
    expect(lips).toBeGreaterThan(0.1);
    // In a dark beard, few pixels of the chin differ.
    expect(chin).toBeGreaterThan(0.01);
    expect(inside[1]).toBeLessThan(inside[0] * 0.8);
    expect(mouthAround[0]).toBeGreaterThan(-1.1);
    expect(mouthAround[1]).toBeGreaterThan(0.6);
    expect(mouthAround[2]).toBeLessThan(1.1);
    expect(mouthAround[3]).toBeLessThan(2.3);
    expect(lids).toBeGreaterThan(0.02);
    expect(lidsAround[0]).toBeGreaterThan(-0.85);
    expect(lidsAround[1]).toBeGreaterThan(-0.35);
    expect(lidsAround[2]).toBeLessThan(0.85);
    expect(lidsAround[3]).toBeLessThan(0.2);
    const reach = 1.6 * 1.15 * 1.8;
    for (const [i, edge] of headAround.entries())
      expect(Math.abs(edge - (i % 2 ? 0.17 : 0))).toBeLessThan(reach);
    expect(isRestored).toBe(true);
  });

  test('a picture of 4,000 × 4,000 pixels is scaled down once, and moves', async () => {
    const small = await drawPortrait('mei');
    const content = await sharp(small.content).resize(4000, 4000).jpeg().toBuffer();
    const large: DrawnPortrait = { ...small, content, type: 'jpeg', width: 4000, height: 4000 };
    const { lips, isRestored } = await movementOf(page, large);
    expect(lips).toBeGreaterThan(0.1);
    expect(isRestored).toBe(true);
    const size =
      await page.evaluate(`openFace(${JSON.stringify(dataUrl(large))}, ${JSON.stringify(large.rig)})
      .then(({ canvas }) => Math.max(canvas.width, canvas.height))`);
    expect(size).toBeLessThanOrEqual(1080);
  });

  test('hostile points are harmless: frames are drawn, in a short time', async () => {
    const portrait = await drawPortrait('mei');
    const points = [
      [0, 0],
      [1, 1],
      [0.5, 0.5],
      [1, 0],
      [0.5, 0.5001],
    ];
    const rigs = points.flatMap((a) =>
      points.map((b) => ({
        ...portrait.rig,
        eyes: { left: a, right: b, height: 0.6 },
        mouth: { left: b, middle: a, right: a },
        chin: b,
      })),
    );
    const sums = await page.evaluate<number[]>(`Promise.all(${JSON.stringify(rigs)}.map(async (rig) => {
      const { draw } = await openFace(${JSON.stringify(dataUrl(portrait))}, rig);
      draw('aa', 1, { x: 1e9, y: -1e9, angle: 0.009 });
      return draw('U', 0.5).reduce((sum, value) => sum + value, 0);
    }))`);
    expect(sums).toHaveLength(rigs.length);
    for (const sum of sums) expect(sum).toBeGreaterThan(0);
    const accepted = await page.evaluate(
      `${JSON.stringify([
        { ...pictureRig, chin: [0.5, 1e300] },
        { ...pictureRig, chin: [0.5, -0.1] },
        { ...pictureRig, chin: [null, 0.5] },
        { ...pictureRig, chin: [0.5] },
        { ...pictureRig, chin: '0.5' },
        { ...pictureRig, mouth: {} },
        { ...pictureRig, image: '../full.jpg' },
        { ...pictureRig, image: 'https://other.example/full.jpg' },
        { ...pictureRig, eyes: { ...pictureRig.eyes, height: 7 } },
      ])}.filter(isPictureRig)`,
    );
    expect(accepted).toEqual([]);
    expect(await page.evaluate(`isPictureRig(${JSON.stringify(pictureRig)})`)).toBe(true);
  });

  test('the time per frame is measured', async () => {
    // 720 × 720 pixels.
    const portrait = await drawPortrait('kofi', 0.8);
    const tools = await context.newCDPSession(page);
    // CPU time, so that other processes on this machine do not count.
    await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () =>
      (await tools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')!.value;
    await page.evaluate(`(async () => {
      const { face, poseOf, swayAt } = await openFace(${JSON.stringify(dataUrl(portrait))}, ${JSON.stringify(portrait.rig)});
      const visemes = ['aa', 'SS', 'O', 'nn', 'E', 'PP', 'kk', 'U', 'I'];
      globalThis.drawFrames = (count) => {
        for (let i = 0; i < count; i++) {
          // Each frame has another pose, as while speaking, and some have a blink.
          const pose = poseOf(visemes[i % visemes.length]).map((value) => value * (0.5 + (i % 7) / 14));
          face.draw(pose, Math.max(0, Math.sin(i / 6)), swayAt(i / 60, 1));
        }
      };
      drawFrames(100);
    })()`);
    const frames = 120;
    const before = await spent();
    await page.evaluate(`drawFrames(${frames})`);
    const ms = ((await spent()) - before) * (1000 / frames);
    console.info(`a frame of a picture of 720 × 720 pixels takes ${ms.toFixed(1)} ms of CPU time`);
    expect(ms).toBeGreaterThan(0);
  });
});

describe('the player', () => {
  /** Uploads a portrait and returns the id of the face. */
  const uploaded = async (projectId: string): Promise<string> => {
    const { content, rig } = await drawPortrait('ada');
    const thumb = await sharp(content).resize(160).jpeg().toBuffer();
    const answer = await uploadFace(service, projectId, { full: content, thumb, rig });
    expect(answer.status, answer.text).toBe(201);
    return answer.json.faceId;
  };

  /** Shows a face in a player on a page of another origin with the strictest policy. `speak` makes it say a viseme. */
  const show = async (avatarId: string, reducedMotion: 'reduce' | 'no-preference' = 'no-preference') => {
    const own = await browser.open({ reducedMotion });
    const opened = await own.newPage();
    const complaints = await watch(opened, service.url, site.origin);
    const requests: string[] = [];
    opened.on('request', (request) => requests.push(new URL(request.url()).pathname));
    site.show(
      `<script src="${service.url}/sdk/v2/session-launch.js"></script><div id="stage"></div>`,
      `default-src 'none'; script-src ${service.url}; connect-src ${service.url}; img-src ${service.url} data:; require-trusted-types-for 'script'; trusted-types 'none'`,
    );
    await opened.goto(site.origin);
    const manifest = handMade(service.url, [avatarId], { type: 'test', url: 'ws://test' });
    await opened.evaluate(`(async () => {
      const silent = { setMic() {}, sendText() {}, interrupt() {}, setVolume() {}, close() {} };
      const transport = { type: 'test', load: async () => async ({ sink }) => { window.sink = sink; return silent; } };
      const experience = SessionLaunch.createExperience({ launch: ${JSON.stringify(manifest)}, baseUrl: ${JSON.stringify(service.url)}, transports: [transport] });
      experience.attach('#stage');
      await experience.start();
    })()`);
    const speak = (viseme: string) =>
      opened.evaluate(`{
        const said = { isOver: false };
        window.stopTalking?.();
        window.stopTalking = () => { said.isOver = true; };
        sink.cue({ type: 'speech', characterId: ${JSON.stringify(avatarId)}, cues: [[0, ${JSON.stringify(viseme)}]], clock: () => said.isOver ? NaN : 100 });
      }`);
    const canvas = opened.locator('.figure canvas');
    /**
     * Whether the pixels of a box differ from those of the first call with this box. The canvas is readable, because it is not tainted.
     */
    const hasChanged = (left: number, top: number, width: number, height: number) =>
      canvas.evaluate<boolean, number[], HTMLCanvasElement>(
        (one, box) => {
          const { data } = one.getContext('2d')!.getImageData(box[0]!, box[1]!, box[2]!, box[3]!);
          const known = (globalThis as { known?: Record<string, Uint8ClampedArray> }).known ?? {};
          (globalThis as { known?: Record<string, Uint8ClampedArray> }).known = known;
          const first = known[box.join()] ?? data;
          known[box.join()] = first;
          return data.some((value, i) => Math.abs(value - first[i]!) > 24);
        },
        [left, top, width, height],
      );
    return { page: opened, canvas, complaints, requests, speak, hasChanged, close: () => own.close() };
  };

  test('moves a picture on a page of another origin with the strictest policy', async () => {
    const { projectId } = await createWorld(service);
    const shown = await show(await uploaded(projectId), 'reduce');
    await shown.canvas.waitFor();
    // In this portrait the eyes are at 350, the mouth at 452 and the chin at 515.
    const [mouth, eyes, above] = [
      () => shown.hasChanged(260, 440, 80, 50),
      () => shown.hasChanged(200, 320, 200, 50),
      () => shown.hasChanged(0, 0, 600, 300),
    ];
    expect([await mouth(), await eyes(), await above()]).toEqual([false, false, false]);
    await shown.speak('aa');
    await shown.page.locator('[data-viseme=aa]').waitFor();
    await expect.poll(mouth).toBe(true);
    await shown.speak('sil');
    await expect.poll(mouth).toBe(false);
    // With reduced motion the mouth moves alone.
    expect([await eyes(), await above()]).toEqual([false, false]);
    expect(shown.requests).toContain('/sdk/v2/picture.mjs');
    expect(shown.complaints).toEqual([]);
    await shown.close();
  });

  test('blinks and sways unless motion is reduced', async () => {
    const { projectId } = await createWorld(service);
    const shown = await show(await uploaded(projectId));
    await shown.canvas.waitFor();
    const [eye, hair, corner] = [
      () => shown.hasChanged(230, 335, 44, 30),
      () => shown.hasChanged(180, 180, 240, 60),
      () => shown.hasChanged(0, 0, 600, 100),
    ];
    await Promise.all([eye(), hair(), corner()]);
    await expect.poll(hair).toBe(true);
    await expect.poll(eye).toBe(true);
    expect(await corner()).toBe(false);
    await shown.close();
  });

  test('shows drawings without loading the code for pictures', async () => {
    const shown = await show('maren');
    await shown.page.locator('.figure').waitFor();
    await expect.poll(() => shown.requests).toContain('/avatars/maren/rig.json');
    expect(shown.requests).not.toContain('/sdk/v2/picture.mjs');
    await shown.close();
  });

  test('shows the still picture if the code for pictures is missing, as an SDK of the version before', async () => {
    const { projectId } = await createWorld(service);
    const faceId = await uploaded(projectId);
    const own = await browser.open();
    await own.route('**/sdk/v2/picture.mjs', (route) => route.abort());
    const opened = await own.newPage();
    site.show(`<script src="${service.url}/sdk/v2/session-launch.js"></script><div id="stage"></div>`);
    await opened.goto(site.origin);
    const manifest = handMade(service.url, [faceId], { type: 'test', url: 'ws://test' });
    await opened.evaluate(`(async () => {
      const silent = { setMic() {}, sendText() {}, interrupt() {}, setVolume() {}, close() {} };
      const transport = { type: 'test', load: async () => async () => silent };
      const experience = SessionLaunch.createExperience({ launch: ${JSON.stringify(manifest)}, baseUrl: ${JSON.stringify(service.url)}, transports: [transport] });
      experience.attach('#stage');
      await experience.start();
    })()`);
    const picture = opened.locator('.ring img');
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBe(160);
    await own.close();
  });
});

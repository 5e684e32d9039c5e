import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { LiveExperience } from '../src/core/experience.ts';
import { RendererHost } from '../src/player/renderer-host.ts';
import type { Renderer, RendererFactory } from '../src/types.ts';
import {
  createFake,
  FakeBrowser,
  FakeTransport,
  manifest,
  pageSource,
  startFake,
} from './fake-environment.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Creates a face whose renderer becomes ready or fails when the test triggers it. */
function open() {
  const drawn: unknown[] = [];
  let settle: { resolve(): void; reject(error: Error): void } = { resolve: () => {}, reject: () => {} };
  const ready = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const renderer: Renderer = { ready, mode: () => {}, cue: (cue) => drawn.push(cue), destroy: () => {} };
  const factory: RendererFactory = { name: 'test', accepts: () => true, load: async () => () => renderer };
  const experience = {
    options: { renderers: [factory] },
    emit: () => {},
    onCue: (_cue: unknown) => {},
    baseUrl: 'https://launch.example.com',
  };
  const face = new RendererHost({} as HTMLElement, experience as unknown as LiveExperience);
  face.show(manifest(), 'contain');
  return { face, drawn, settle, hear: (cue: unknown) => experience.onCue(cue) };
}

/** Whether a cue that was passed to `hear` is still referenced. */
async function isKept(hear: (cue: unknown) => void): Promise<boolean> {
  const reference = (() => {
    const cue = { type: 'speech' };
    hear(cue);
    return new WeakRef(cue);
  })();
  await new Promise((resolve) => setTimeout(resolve));
  collectGarbage();
  return reference.deref() !== undefined;
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test('cues that arrive while the renderer loads are drawn once it is ready', async () => {
  const { drawn, settle, hear } = open();
  await settled();
  hear('first');
  settle.resolve();
  await settled();
  hear('second');
  expect(drawn).toEqual(['first', 'second']);
});

test('cues are buffered while the renderer loads, and discarded once the player is detached', async () => {
  const { face, hear } = open();
  expect(await isKept(hear)).toBe(true);
  face.clear();
  expect(await isKept(hear)).toBe(false);
});

test('a player that is attached later shows the video of the session, and none of an earlier session', async () => {
  const tracks: unknown[] = [];
  const renderer: Renderer = {
    mode: () => {},
    video: (track) => void tracks.push(track),
    destroy: () => {},
  };
  const factory: RendererFactory = { name: 'test', accepts: () => true, load: async () => () => renderer };
  const [browser, runtime] = [new FakeBrowser(), new FakeTransport()];
  const experience = createFake(browser, runtime, { ...pageSource, renderers: [factory] });
  await startFake(experience, browser);
  const attach = async () => {
    const host = new RendererHost({} as HTMLElement, experience);
    host.show(experience.manifest!, 'contain');
    await settled();
    return host;
  };
  const host = await attach();
  const track = {} as MediaStreamTrack;
  runtime.sink.video(track);
  expect(tracks).toEqual([track]);
  host.clear();
  (await attach()).clear();
  expect(tracks).toEqual([track, track]);
  await experience.end();
  await startFake(experience, browser);
  await attach();
  expect(tracks).toEqual([track, track]);
});

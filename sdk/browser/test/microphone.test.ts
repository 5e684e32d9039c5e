import { beforeEach, describe, expect, test } from 'vitest';
import { createMicrophone } from '../src/audio/microphone.ts';
import type { SessionMicrophone } from '../src/core/audio.ts';
import type { MicStatus } from '../src/types.ts';
import { FakeBrowser, settled } from './fake-environment.ts';

class FakeTrack extends EventTarget {
  enabled = true;
  isStopped = false;

  constructor(readonly deviceId: string) {
    super();
  }

  stop(): void {
    this.isStopped = true;
  }
}

let tracks: FakeTrack[];
let given: (FakeTrack | null)[];
let statuses: MicStatus[];
let answer: () => void;
let refuse: (name: string) => void;
let mic: SessionMicrophone;
let media: () => MediaDevices;

beforeEach(() => {
  [tracks, given, statuses] = [[], [], []];
  const { env } = new FakeBrowser();
  const getUserMedia = ({ audio }: { audio: { deviceId?: { exact: string } } }) =>
    new Promise((resolve, reject) => {
      const track = new FakeTrack(audio.deviceId?.exact ?? 'default');
      tracks.push(track);
      answer = () => resolve({ getTracks: () => [track], getAudioTracks: () => [track] });
      refuse = (name) => reject(new DOMException('no', name));
    });
  media = () => ({ getUserMedia }) as unknown as MediaDevices;
  env.media = media;
  mic = createMicrophone(env, (status) => statuses.push(status));
  const give = (track: MediaStreamTrack | null) => given.push(track as FakeTrack | null);
  mic.open({ isAllowed: true, audio: undefined, give });
});

async function on(): Promise<void> {
  const enabled = mic.enable();
  answer();
  await enabled;
}

test('a newly selected device replaces the first one', async () => {
  await on();
  const changed = mic.setDevice('desk');
  answer();
  await changed;
  expect(tracks).toMatchObject([{ isStopped: true }, { isStopped: false, enabled: true, deviceId: 'desk' }]);
  expect(given).toEqual([tracks[0], null, tracks[1]]);
});

test('a muted microphone stays muted after a device change, until it is unmuted', async () => {
  await on();
  mic.mute();
  const changed = mic.setDevice('desk');
  answer();
  await changed;
  expect(statuses).toEqual(['prompting', 'on', 'muted', 'prompting', 'muted']);
  expect(tracks[1]).toMatchObject({ isStopped: false, enabled: false });
  expect(given.slice(1).every((track) => track === null)).toBe(true);
  mic.unmute();
  expect(mic.status).toBe('on');
  expect(tracks[1]!.enabled).toBe(true);
  expect(given.at(-1)).toBe(tracks[1]);
});

test('a microphone muted during the prompt stays muted', async () => {
  const enabled = mic.enable();
  mic.mute();
  answer();
  await enabled;
  expect(statuses).toEqual(['prompting', 'muted']);
  expect(tracks[0]).toMatchObject({ enabled: false });
  expect(given).toEqual([null]);
});

test('a microphone muted before the SDK requests it starts muted, and enable() turns it on', async () => {
  mic.mute();
  expect(mic.status).toBe('off');
  const requested = mic.request();
  answer();
  await requested;
  expect([mic.status, tracks[0]!.enabled]).toEqual(['muted', false]);
  await mic.enable();
  expect([mic.status, tracks[0]!.enabled]).toEqual(['on', true]);
});

test('a muted microphone stays muted in the next session', async () => {
  await on();
  mic.mute();
  mic.close();
  mic.open({ isAllowed: true, audio: undefined, give: () => {} });
  const requested = mic.request();
  answer();
  await requested;
  expect([mic.status, tracks[1]!.enabled]).toEqual(['muted', false]);
});

test('a request of an ended session does not affect the request of the next one', async () => {
  const first = mic.enable();
  const answerFirst = answer;
  mic.close();
  mic.open({ isAllowed: true, audio: undefined, give: () => {} });
  const second = mic.enable();
  answerFirst();
  await expect(first).rejects.toMatchObject({ code: 'MIC_UNAVAILABLE' });
  const third = mic.enable();
  expect(tracks).toHaveLength(2);
  answer();
  await Promise.all([second, third]);
  expect(tracks).toMatchObject([{ isStopped: true }, { isStopped: false }]);
});

test('every track is stopped at the end, also if a handler of `prompting` enables the microphone again', async () => {
  const { env } = new FakeBrowser();
  env.media = media;
  const answers: (() => void)[] = [];
  const eager = createMicrophone(env, (status) => {
    if (status !== 'prompting') return;
    void eager.enable();
    answers.push(answer);
  });
  eager.open({ isAllowed: true, audio: undefined, give: () => {} });
  const enabled = eager.enable();
  answers.push(answer);
  for (const reply of answers) reply();
  await enabled;
  eager.close();
  expect(tracks).toMatchObject([{ isStopped: true }, { isStopped: true }]);
});

test('a microphone unmuted during a device change is unmuted afterwards', async () => {
  await on();
  mic.mute();
  const changed = mic.setDevice('desk');
  mic.unmute();
  answer();
  await changed;
  await settled();
  expect(mic.status).toBe('on');
  expect(given.at(-1)).toBe(tracks[1]);
});

describe('a device that is selected during a request', () => {
  test('is requested next, and setDevice() resolves when it is on', async () => {
    const enabled = mic.enable();
    const changed = mic.setDevice('desk');
    let isChanged = false;
    void changed.then(() => {
      isChanged = true;
    });
    answer();
    await settled();
    expect([isChanged, mic.status]).toEqual([false, 'prompting']);
    expect(tracks).toMatchObject([{ isStopped: true }, { isStopped: false, deviceId: 'desk' }]);
    answer();
    await Promise.all([changed, enabled]);
    expect(given).toEqual([tracks[1]]);
    expect(statuses).toEqual(['prompting', 'on']);
  });

  test('is requested if the first one does not exist', async () => {
    await mic.setDevice('gone');
    const enabled = mic.enable();
    const changed = mic.setDevice('desk');
    refuse('OverconstrainedError');
    await settled();
    answer();
    await Promise.all([changed, enabled]);
    expect(tracks.map(({ deviceId }) => deviceId)).toEqual(['gone', 'desk']);
  });

  test('is not requested if the visitor has denied the microphone', async () => {
    const enabled = mic.enable();
    const changed = mic.setDevice('desk');
    refuse('NotAllowedError');
    await expect(enabled).rejects.toMatchObject({ code: 'MIC_UNAVAILABLE' });
    await expect(changed).rejects.toMatchObject({ code: 'MIC_UNAVAILABLE' });
    expect([mic.status, tracks.length]).toEqual(['denied', 1]);
  });

  test('replaces the first one if a handler of `on` selects it', async () => {
    const { env } = new FakeBrowser();
    env.media = media;
    let changed: Promise<void> | undefined;
    const own = createMicrophone(env, (status) => {
      if (status === 'on') changed ??= own.setDevice('desk');
    });
    own.open({ isAllowed: true, audio: undefined, give: () => {} });
    const enabled = own.enable();
    answer();
    await enabled;
    answer();
    await changed;
    expect(own.track).toBe(tracks[1]);
    expect(tracks).toMatchObject([{ isStopped: true }, { isStopped: false, deviceId: 'desk' }]);
  });
});

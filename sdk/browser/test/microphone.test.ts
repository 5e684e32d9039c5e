import { beforeEach, expect, test } from 'vitest';
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
let mic: SessionMicrophone;

beforeEach(() => {
  [tracks, given, statuses] = [[], [], []];
  const { env } = new FakeBrowser();
  const getUserMedia = ({ audio }: { audio: { deviceId?: { exact: string } } }) =>
    new Promise((resolve) => {
      const track = new FakeTrack(audio.deviceId?.exact ?? 'default');
      tracks.push(track);
      answer = () => resolve({ getTracks: () => [track], getAudioTracks: () => [track] });
    });
  env.media = () => ({ getUserMedia }) as unknown as MediaDevices;
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

import { once } from 'node:events';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { createWorld, mintFromServer, runtime } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Character } from '../../../examples/livekit/character.js';
import { startTalking, type TalkingProcess } from '../harness/talking-process.ts';

// The part of examples/livekit that needs no LiveKit server, against the real runtime.

let talking: TalkingProcess;
beforeAll(async () => {
  talking = await startTalking(inject('dataFolder'));
});
afterAll(() => talking?.stop());

test('the character of the LiveKit example speaks, answers a text, stops when it is interrupted, and ends its session', async () => {
  const world = await createWorld(talking.service, {
    experience: {
      runtime: runtime({
        transport: { type: 'websocket' },
        mind: {
          greeting: { en: 'Good morning, and welcome to the harbor.' },
          topics: [
            { id: 'ferries', ask: { en: 'When do the ferries leave?' }, tell: { en: 'At every full hour.' } },
          ],
        },
      }),
    },
  });
  const { json } = await mintFromServer(talking.service, world.key, { experienceId: world.experienceId });
  const character = new Character(json.launch);
  const sounds: { utterance: number; samples: Int16Array; offset: number; isLast: boolean }[] = [];
  const messages: { role: string; text: string; status: string }[] = [];
  character.on('sound', (sound: (typeof sounds)[number]) => {
    sounds.push(sound);
    const ms = ((sound.offset + sound.samples.length) / rate) * 1000;
    character.played(sound.utterance, ms, sound.isLast);
  });
  character.on('message', (message: (typeof messages)[number]) => messages.push(message));
  let rate = 0;
  character.once('ready', ({ audio }: { audio: { output: { sampleRate: number } } }) => {
    rate = audio.output.sampleRate;
  });
  const [ready] = await once(character, 'ready');
  expect(ready.engines.mind.kind).toBe('script');
  const heard = (text: string) =>
    expect.poll(() => messages.some((one) => one.status === 'final' && one.text.includes(text))).toBe(true);
  await heard('welcome to the harbor');
  expect(sounds.some(({ samples }) => samples.some((sample) => Math.abs(sample) > 1000))).toBe(true);
  expect(sounds.some(({ isLast }) => isLast)).toBe(true);
  character.hear(new Int16Array(640));
  character.say('text-1', 'When do the ferries leave?');
  await heard('At every full hour');
  character.interrupt();
  const closed = once(character, 'close');
  character.leave();
  await closed;
  await expect
    .poll(async () => {
      const headers = { Authorization: `Bearer ${world.key}` };
      const path = `/v1/sessions/${json.launch.sessionId}`;
      return (await talking.service.call({ path, headers })).json;
    })
    .toMatchObject({ status: 'ended', endReason: 'client_ended' });
});

test('a launch that is not valid closes the character', async () => {
  const world = await createWorld(talking.service, {
    experience: { runtime: runtime({ transport: { type: 'websocket' } }) },
  });
  const launch = await launched(talking.service, world);
  const { transport } = launch as unknown as { transport: { url: string } };
  const [code] = await once(new Character({ transport, sessionToken: 'nonsense' }), 'close');
  expect(code).toBe(4401);
});

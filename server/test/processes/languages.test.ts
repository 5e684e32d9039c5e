import { isSkipped } from '@session-launch/testing/programs.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { createKey, mintFromServer } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startTalking, type TalkingProcess } from '../harness/talking-process.ts';

/** Connects to a session of the demo, and waits for the end of its first utterance. */
async function firstUtterance({ service }: TalkingProcess, slug: string, request: object) {
  const { json: list } = await service.admin({ path: '/admin/projects' });
  const [{ projectId }] = list.projects;
  const { json: detail } = await service.admin({ path: `/admin/projects/${projectId}/experiences` });
  const { experienceId } = detail.experiences.find((one: { slug: string }) => one.slug === slug);
  const { key } = await createKey(service, projectId);
  const { json } = await mintFromServer(service, key, { experienceId, ...request });
  const client = new Talker(json.launch.transport.url, json.launch.sessionToken);
  const { engines } = await client.ready();
  const utterance = await client.event(({ type }) => type === 'utterance');
  await client.event(({ type }) => type === 'utterance.end');
  const { frames } = client;
  await client.leave();
  return { engines, utterance, frames };
}

describe.skipIf(isSkipped('espeak-ng'))('with espeak-ng', () => {
  let talking: TalkingProcess;
  beforeAll(async () => {
    talking = await startTalking(inject('dataFolder'), { ESPEAK: 'espeak-ng' });
  });
  afterAll(() => talking?.stop());

  test.each(['es', 'de'])('a demo session in %s is spoken by the runtime', async (locale) => {
    const { engines, utterance, frames } = await firstUtterance(talking, 'harbor-guide', { locale });
    expect(engines.speech).toEqual({ kind: 'server', name: 'espeak-ng' });
    expect(utterance).toMatchObject({ locale, speech: 'server' });
    expect(frames).toBeGreaterThan(5);
  });

  test('a lesson speaks both languages', async () => {
    const { engines } = await firstUtterance(talking, 'clockmaker', { locale: 'en' });
    expect(engines.speech).toEqual({ kind: 'server', name: 'flite' });
    expect(engines.secondarySpeech).toEqual({ kind: 'server', name: 'espeak-ng' });
  });
});

test('without it, the page speaks or shows captions', async () => {
  const talking = await startTalking(inject('dataFolder'), { ESPEAK: 'off' });
  try {
    const { engines, utterance, frames } = await firstUtterance(talking, 'harbor-guide', { locale: 'de' });
    expect(engines.speech).toEqual({ kind: 'captions', name: 'captions' });
    expect(utterance).toMatchObject({ locale: 'de', speech: 'captions' });
    expect(frames).toBe(0);
  } finally {
    await talking.stop();
  }
});

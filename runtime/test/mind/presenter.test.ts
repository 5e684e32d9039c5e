import type { Mind } from '@session-launch/contract/project-file/mind';
import { expect, test } from 'vitest';
import { openDialogue } from './harbor.ts';

const sky: Mind = {
  greeting: { en: 'Good evening.' },
  topics: [{ id: 'mars', ask: { en: 'Where is Mars?' }, tell: { en: 'Low in the east.' } }],
  presentation: [
    { id: 'one', title: { en: 'The Plough' }, tell: { en: 'Look up. Find seven stars. They never set.' } },
    { id: 'two', title: { en: 'The Moon' }, tell: { en: 'It is nearly full.' } },
  ],
};

function present() {
  const adaeze = openDialogue(sky, { mode: 'presenter' });
  const nextSection = async (heard?: (said: string) => string) => {
    const said = adaeze.dialogue.nextSection();
    if (said === undefined) return undefined;
    const pieces = [];
    for await (const { text } of said) pieces.push(text);
    const text = pieces.join(' ');
    adaeze.dialogue.remember(text, heard?.(text) ?? text);
    return text;
  };
  return { ...adaeze, nextSection };
}

test('sections follow each other and end with a closing line', async () => {
  const adaeze = present();
  expect(await adaeze.open()).toBe('Good evening.');
  expect(await adaeze.nextSection()).toBe('The Plough. Look up. Find seven stars. They never set.');
  expect(await adaeze.nextSection()).toBe(
    'The Moon. It is nearly full. That was my talk. Ask me whatever you like.',
  );
  expect(await adaeze.nextSection()).toBeUndefined();
});

test('questions are answered between sections', async () => {
  const adaeze = present();
  await adaeze.nextSection();
  expect(await adaeze.say('Where is Mars?')).toBe('Low in the east.');
  expect(await adaeze.nextSection()).toMatch(/^Let us go on\. The Moon\./);
});

test('an interrupted section resumes at the sentence that was cut', async () => {
  const adaeze = present();
  await adaeze.nextSection(() => 'The Plough. Look up. Find');
  await adaeze.say('Where is Mars?');
  expect(await adaeze.nextSection()).toBe('Let us go on. Find seven stars. They never set.');
});

test('the presenter pauses and resumes on request', async () => {
  const adaeze = present();
  await adaeze.nextSection();
  expect(await adaeze.say('wait a moment')).toContain('I will wait');
  expect(await adaeze.nextSection()).toBeUndefined();
  expect(adaeze.dialogue.suggestions()[0]).toEqual({ text: 'Go on', locale: 'en' });
  expect(await adaeze.say('go on')).toMatch(/^The Moon\./);
});

test('conversation mode has no sections to continue', () => {
  expect(openDialogue(sky).dialogue.nextSection()).toBeUndefined();
});

import { expect, test } from 'vitest';
import { openVoiceActivity } from '../../src/hearing/voice-activity.ts';

test('a detector that is closed in a step processes no further ones, as its memory is freed', async () => {
  const detector = (await openVoiceActivity())();
  let steps = 0;
  detector.push(new Int16Array(1600), () => {
    steps++;
    detector.close();
  });
  detector.push(new Int16Array(1600), () => steps++);
  detector.close();
  expect(steps).toBe(1);
});

import type { Frame, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A script for every frame that measures what reaches the speakers. */
export const meter = `{
  const { connect } = AudioNode.prototype;
  const meters = [];
  AudioNode.prototype.connect = function (target, ...rest) {
    if (target instanceof AudioDestinationNode) {
      const analyser = new AnalyserNode(this.context);
      connect.call(this, analyser);
      meters.push(analyser);
    }
    return connect.call(this, target, ...rest);
  };
  const heard = new Float32Array(2048);
  globalThis.loudness = () => Math.max(0, ...meters.map((one) => {
    one.getFloatTimeDomainData(heard);
    return Math.max(...heard.map(Math.abs));
  }));
}`;

/** The shapes of the mouths in a page. Players and figures have shadow roots. */
const mouths = `(() => {
  const below = (root) => [
    ...root.querySelectorAll('[data-viseme]'),
    ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot === null ? [] : below(shadowRoot))),
  ];
  return below(document).map(({ dataset }) => dataset.viseme).join();
})()`;

/** Waits for sound and for a moving mouth. The page needs `meter`. */
export async function speaks(on: Page | Frame): Promise<void> {
  // At the same time, because a short sentence could end in between.
  await Promise.all([
    expect.poll(() => on.evaluate('loudness()'), { interval: 20 }).toBeGreaterThan(0.01),
    expect.poll(() => on.evaluate(mouths), { interval: 20 }).not.toMatch(/^(sil,?)*$/),
  ]);
}

import { approach } from './easing.ts';

/** Idle movement of the eyes: blinks and glances. All times are in seconds. */
export class EyeMovement {
  #nextBlink: number;
  #nextGlance = 0;
  #glance: [number, number] = [0, 0];
  #look: [number, number] = [0, 0];
  readonly #random: () => number;

  constructor(now: number, random: () => number = Math.random) {
    this.#random = random;
    this.#nextBlink = now + 1 + random() * 3;
  }

  /** How far the eyes are closed: 0 is open, 1 is closed. */
  blink(now: number): number {
    const since = now - this.#nextBlink;
    if (since < 0) return 0;
    if (since > 0.18) this.#nextBlink = now + 2 + this.#random() * 4;
    return Math.sin((Math.min(since, 0.18) / 0.18) * Math.PI);
  }

  /** Direction of the eyes as x and y from -1 to 1. While thinking, the character looks up and to the side. */
  look(now: number, elapsed: number, isThinking: boolean): [number, number] {
    if (now > this.#nextGlance) {
      this.#nextGlance = now + 0.8 + this.#random() * 2.6;
      const isAway = this.#random() < 0.45;
      this.#glance = isAway ? [this.#random() * 1.4 - 0.7, this.#random() * 0.8 - 0.4] : [0, 0];
    }
    const [x, y] = isThinking ? [0.7, -1] : this.#glance;
    this.#look = [approach(this.#look[0], x, elapsed, 0.06), approach(this.#look[1], y, elapsed, 0.06)];
    return this.#look;
  }
}

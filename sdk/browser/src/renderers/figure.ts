import type { Rig } from '../contract.ts';
import type { Mode, SpeechCue } from '../types.ts';
import { approach } from './motion/easing.ts';
import { EyeMovement } from './motion/eye-movement.ts';
import type { FaceFigure } from './motion/face-figure.ts';
import { Speech } from './motion/speech.ts';
import { Mouth } from './mouth.ts';

/** An animated drawing. */
export class Figure implements FaceFigure {
  readonly #rig: Rig;
  readonly #mouth: Mouth;
  readonly #part: (id: string | undefined) => SVGGraphicsElement | undefined;
  readonly #eyes = new EyeMovement(performance.now() / 1000);
  readonly #bottom: number;
  readonly #speech = new Speech();
  #raise = 0;
  #sway = 0;

  /** Requires that the picture is in the document: `getBBox` needs its layout. */
  constructor(picture: SVGSVGElement, rig: Rig) {
    this.#rig = rig;
    this.#part = (id) =>
      id === undefined ? undefined : (picture.querySelector<SVGGraphicsElement>(`#${id}`) ?? undefined);
    this.#mouth = new Mouth(rig.mouth);
    this.#part(rig.mouth.replace)?.replaceWith(this.#mouth.element);
    this.#mouth.draw(this.#speech.pose);
    const box = this.#part(rig.breathe?.part)?.getBBox();
    this.#bottom = box ? box.y + box.height : 0;
  }

  hear(cue: SpeechCue): void {
    this.#speech.hear(cue);
  }

  draw(now: number, elapsed: number, mode: Mode | undefined, isStill: boolean): void {
    const viseme = this.#speech.advance(elapsed);
    const { pose, isTalking } = this.#speech;
    this.#mouth.draw(pose);
    this.#mouth.element.setAttribute('data-viseme', viseme);
    if (isStill) return;
    const isThinking = mode === 'thinking';
    this.#sway = approach(this.#sway, isTalking ? 1 : 0.25, elapsed, 0.25);
    const raised = isThinking ? 0.8 : isTalking ? pose[0] * 0.9 : 0;
    this.#raise = approach(this.#raise, raised, elapsed, 0.12);
    this.#moveEyes(now, elapsed, isThinking);
    this.#moveHead(now, isThinking);
    const { breathe } = this.#rig;
    if (!breathe) return;
    const grown = 1 + (breathe.scaleY - 1) * (0.5 - 0.5 * Math.cos((now / breathe.seconds) * 2 * Math.PI));
    move(this.#part(breathe.part), `matrix(1 0 0 ${grown} 0 ${this.#bottom * (1 - grown)})`);
  }

  #moveEyes(now: number, elapsed: number, isThinking: boolean): void {
    const { pupils, shine, lids, blink, look } = this.#rig.eyes;
    const closed = this.#eyes.blink(now);
    const [x, y] = this.#eyes.look(now, elapsed, isThinking);
    const [dx, dy] = [x * look[0], y * look[1]];
    const height = 1 - closed * (1 - blink.scaleY);
    move(this.#part(pupils), `matrix(1 0 0 ${height} ${dx} ${dy * height + blink.about * (1 - height)})`);
    move(this.#part(shine), `translate(${dx} ${dy})`);
    this.#part(shine)?.setAttribute('opacity', String(1 - closed));
    const drop = 1 - closed * 1.1;
    move(this.#part(lids), `matrix(1 0 0 ${drop} 0 ${blink.about * (1 - drop)})`);
    move(this.#part(this.#rig.brows), `translate(0 ${-5 * this.#raise + 2 * closed})`);
  }

  #moveHead(now: number, isThinking: boolean): void {
    const { parts, pivot, maxTilt } = this.#rig.head;
    const wander = Math.sin(now * 0.9) * 0.5 + Math.sin(now * 2.3 + 1) * 0.35 * this.#sway;
    const tilt = maxTilt * (wander * 0.5 * this.#sway + (isThinking ? 0.4 : 0));
    const nod = Math.sin(now * 3.1) * 1.6 * Math.max(0, this.#sway - 0.25);
    for (const part of parts)
      move(this.#part(part), `translate(0 ${nod}) rotate(${tilt} ${pivot[0]} ${pivot[1]})`);
  }
}

function move(part: Element | undefined, transform: string): void {
  part?.setAttribute('transform', transform);
}

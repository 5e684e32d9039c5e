import { beforeEach, describe, expect, test } from 'vitest';
import { pressOrHold } from '../src/player/press-or-hold.ts';

let isOn: boolean;
let canHold: boolean;
let page: EventTarget;
let button: HTMLElement;
beforeEach(() => {
  [isOn, canHold] = [false, true];
  page = new EventTarget();
  button = { ownerDocument: page, setPointerCapture: () => undefined } as unknown as HTMLElement;
  pressOrHold(button, {
    isOn: () => isOn,
    canHold: () => canHold,
    set: (on) => {
      isOn = on;
    },
  });
});

const begin = (at: number, { pressed = 0, pointerId = 1, isPrimary = true } = {}) =>
  button.onpointerdown!({ button: pressed, pointerId, isPrimary, timeStamp: at } as PointerEvent);
const end = (timeStamp: number, { type = 'pointerup', pointerId = 1 } = {}) => {
  const event = Object.assign(new Event(type), { pointerId });
  Object.defineProperty(event, 'timeStamp', { value: timeStamp });
  page.dispatchEvent(event);
};
const click = (detail = 1) => button.onclick!({ detail } as PointerEvent);

describe('a switch that can be held', () => {
  test('is on while it is held', () => {
    begin(1000);
    expect(isOn).toBe(true);
    end(1400);
    expect(isOn).toBe(false);
    click();
    expect(isOn).toBe(false);
  });

  test('stays on after a short press, and is switched off by the next one', () => {
    begin(1000);
    end(1399);
    click();
    expect(isOn).toBe(true);
    begin(2000);
    expect(isOn).toBe(true);
    end(2600);
    click();
    expect(isOn).toBe(false);
  });

  test('is switched by the keyboard, also after a press without a click', () => {
    begin(1000);
    end(2000, { type: 'pointercancel' });
    expect(isOn).toBe(false);
    click(0);
    expect(isOn).toBe(true);
    click(0);
    expect(isOn).toBe(false);
  });

  test('ignores other buttons of the mouse', () => {
    begin(1000, { pressed: 2 });
    expect(isOn).toBe(false);
  });

  test('is off after a short press that the browser has cancelled', () => {
    begin(1000);
    end(1100, { type: 'pointercancel' });
    expect(isOn).toBe(false);
  });

  test('can be pressed again after its capture was lost', () => {
    begin(1000);
    end(2000, { type: 'lostpointercapture' });
    expect(isOn).toBe(false);
    begin(3000);
    expect(isOn).toBe(true);
  });

  test('is held by the first finger only', () => {
    begin(1000);
    begin(1200, { pointerId: 2, isPrimary: false });
    end(1800, { pointerId: 2 });
    expect(isOn).toBe(true);
    end(2000);
    expect(isOn).toBe(false);
  });

  test('is switched off by the next press if the end of one was not reported', () => {
    begin(1000);
    begin(3000, { pointerId: 2 });
    end(3100, { pointerId: 2 });
    click();
    expect(isOn).toBe(false);
  });

  test('is pressed like another switch if the pointer cannot be captured', () => {
    button.setPointerCapture = () => {
      throw new Error('no such pointer');
    };
    expect(() => begin(1000)).toThrow('no such pointer');
    click();
    expect(isOn).toBe(true);
  });

  test('is set again at the end of a short press, when a touch may start sound', () => {
    begin(1000);
    isOn = false;
    end(1100);
    click();
    expect(isOn).toBe(true);
  });
});

test('the Enter key does not repeat a press', () => {
  const repeated = [
    ['Enter', false],
    ['Enter', true],
    ['Tab', true],
  ].map(([key, repeat]) => {
    let isPrevented = false;
    const preventDefault = () => {
      isPrevented = true;
    };
    button.onkeydown!({ key, repeat, preventDefault } as unknown as KeyboardEvent);
    return isPrevented;
  });
  expect(repeated).toEqual([false, true, false]);
});

test('another switch reacts to the end of a press only', () => {
  canHold = false;
  begin(1000);
  expect(isOn).toBe(false);
  end(2000);
  click();
  expect(isOn).toBe(true);
});

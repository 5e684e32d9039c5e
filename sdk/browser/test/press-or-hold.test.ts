import { beforeEach, describe, expect, test } from 'vitest';
import { pressOrHold } from '../src/player/press-or-hold.ts';

let isOn: boolean;
let canHold: boolean;
let button: HTMLElement;
beforeEach(() => {
  [isOn, canHold] = [false, true];
  button = { setPointerCapture: () => undefined } as unknown as HTMLElement;
  pressOrHold(button, {
    isOn: () => isOn,
    canHold: () => canHold,
    set: (on) => {
      isOn = on;
    },
  });
});

const begin = (at: number, pressed = 0) =>
  button.onpointerdown!({ button: pressed, pointerId: 1, timeStamp: at } as PointerEvent);
const end = (at: number) => button.onpointerup!({ timeStamp: at } as PointerEvent);
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
    button.onpointercancel!({ timeStamp: 2000 } as PointerEvent);
    expect(isOn).toBe(false);
    click(0);
    expect(isOn).toBe(true);
    click(0);
    expect(isOn).toBe(false);
  });

  test('ignores other buttons of the mouse', () => {
    begin(1000, 2);
    expect(isOn).toBe(false);
  });
});

test('another switch reacts to the end of a press only', () => {
  canHold = false;
  begin(1000);
  expect(isOn).toBe(false);
  end(2000);
  click();
  expect(isOn).toBe(true);
});

/** Minimum milliseconds of a press that counts as holding. */
const holdMs = 400;
const endings = ['pointerup', 'pointercancel', 'lostpointercapture'] as const;

export interface Switch {
  isOn(): boolean;
  /** Whether holding the button switches on while it is held. */
  canHold(): boolean;
  set(isOn: boolean): void;
}

/** Switches at each press of the button. A switch that can be held is switched on when the press begins. */
export function pressOrHold(button: HTMLElement, { isOn, canHold, set }: Switch): void {
  const page = button.ownerDocument;
  /** The last press that has switched on, until its click. */
  let press: { pointerId: number; began: number; isOver: boolean } | undefined;
  const listen = (change: 'addEventListener' | 'removeEventListener') => {
    // On the page, because the button may be removed; first, because a handler of the page may stop the event.
    for (const ending of endings) page[change](ending, end as EventListener, true);
  };
  const end = ({ type, pointerId, timeStamp }: PointerEvent) => {
    if (press?.pointerId !== pointerId) return;
    press.isOver = true;
    listen('removeEventListener');
    // A short press leaves it on. Set again, because the browser allows a touch to start sound only at its end.
    set(type === 'pointerup' && timeStamp - press.began < holdMs);
  };
  button.onpointerdown = ({ button: pressed, pointerId, isPrimary, timeStamp }) => {
    // Another finger. If it is the first one again, browsers have not reported the end of the press.
    if (press?.isOver === false && !isPrimary) return;
    listen('removeEventListener');
    press = undefined;
    if (pressed !== 0 || isOn() || !canHold()) return;
    // Reports the end of the press also outside the button.
    button.setPointerCapture(pointerId);
    press = { pointerId, began: timeStamp, isOver: false };
    listen('addEventListener');
    set(true);
  };
  button.onclick = ({ detail }) => {
    // A press of the keyboard has no detail.
    if (press === undefined || detail === 0) set(!isOn());
    if (press?.isOver) press = undefined;
  };
  button.onkeydown = (event) => {
    if (event.repeat && event.key === 'Enter') event.preventDefault();
  };
  // A long touch would open a menu.
  button.oncontextmenu = (event) => {
    if (press !== undefined) event.preventDefault();
  };
}

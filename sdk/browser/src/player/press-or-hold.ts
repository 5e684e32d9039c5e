/** Minimum milliseconds of a press that counts as holding. */
const holdMs = 400;

export interface Switch {
  isOn(): boolean;
  /** Whether holding the button switches on while it is held. */
  canHold(): boolean;
  set(isOn: boolean): void;
}

/** Switches at each press of the button. A switch that can be held is switched on when the press begins. */
export function pressOrHold(button: HTMLElement, { isOn, canHold, set }: Switch): void {
  /** When the press began that has switched on. */
  let since: number | undefined;
  button.onpointerdown = ({ button: pressed, pointerId, timeStamp }) => {
    since = undefined;
    if (pressed !== 0 || isOn() || !canHold()) return;
    since = timeStamp;
    // The end of the press arrives here wherever it is.
    button.setPointerCapture(pointerId);
    set(true);
  };
  button.onpointerup = button.onpointercancel = ({ timeStamp }) => {
    if (since !== undefined && timeStamp - since >= holdMs) set(false);
  };
  button.onclick = ({ detail }) => {
    // A press of the keyboard has no detail.
    if (since === undefined || detail === 0) set(!isOn());
    since = undefined;
  };
  // A long touch.
  button.oncontextmenu = (event) => {
    if (since !== undefined) event.preventDefault();
  };
}

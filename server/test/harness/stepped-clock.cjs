// Preloaded into a process and its threads: shifts the system time by the milliseconds in the file CLOCK_STEP_FILE, as a step of the clock
// would. The monotonic clock (`performance.now`, `process.hrtime`, timers) is not affected.
const { readFileSync } = require('node:fs');

const file = process.env.CLOCK_STEP_FILE;
const RealDate = Date;
const realNow = Date.now.bind(Date);
/** Milliseconds for which a value of the file is used. */
const freshMs = 20;
let readAt = Number.NEGATIVE_INFINITY;
let stepMs = 0;

function now() {
  const at = performance.now();
  if (at - readAt >= freshMs) {
    readAt = at;
    stepMs = Number(readFileSync(file, 'utf8'));
  }
  return realNow() + stepMs;
}

if (file !== undefined) {
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

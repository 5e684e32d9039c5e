import pino from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lookEveryMs, SilenceWatch } from '../../src/sessions/silence.ts';
import { startHousekeeping } from '../../src/start/housekeeping.ts';

// Without a service in the same process: its own checks would be counted here, and would wait for ever.
test('housekeeping checks for silent runtimes every five seconds, one check at a time', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let finish = () => {};
  const look = vi.spyOn(SilenceWatch.prototype, 'look').mockImplementation(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  onTestFinished(() => look.mockRestore());
  const housekeeping = startHousekeeping({
    lifecycle: { database: { query: async () => [] }, log: pino({ level: 'silent' }) } as never,
    changes: {} as never,
    keyRing: { flush: async () => undefined } as never,
    rates: { clean: async () => undefined } as never,
    tallies: { flush: async () => undefined } as never,
    authenticator: undefined,
    dispatcher: { clean: async () => undefined } as never,
    auditRetentionDays: 400,
    livekit: undefined,
    retentionDays: undefined,
  });
  await vi.advanceTimersByTimeAsync(lookEveryMs);
  expect(look).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(lookEveryMs);
  expect(look).toHaveBeenCalledTimes(1);
  finish();
  await vi.advanceTimersByTimeAsync(lookEveryMs);
  expect(look).toHaveBeenCalledTimes(2);
  finish();
  await housekeeping.stop();
});

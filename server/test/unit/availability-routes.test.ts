import pino from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createServer } from '../../src/http/listener/server.ts';
import { MemoryWindows } from '../../src/limits/rate-windows.ts';
import { availabilityRoutes } from '../../src/minting/availability-routes.ts';

test('expired windows of the limit are dropped every minute, also without requests', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const clean = vi.spyOn(MemoryWindows.prototype, 'clean');
  onTestFinished(() => clean.mockRestore());
  const app = createServer(pino({ level: 'silent' }));
  await app.register(availabilityRoutes, {} as Parameters<typeof availabilityRoutes>[1]);
  await app.ready();
  vi.advanceTimersByTime(120_000);
  expect(clean).toHaveBeenCalledTimes(2);
  await app.close();
  vi.advanceTimersByTime(120_000);
  expect(clean).toHaveBeenCalledTimes(2);
});

import { afterEach, expect, test, vi } from 'vitest';
import { fetchRig } from '../src/renderers/rig.ts';
import { fetchSvg } from '../src/renderers/safe-svg.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('a rig that does not arrive within 10 s is rejected', async () => {
  const timeout = new AbortController();
  const limits = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal);
  const stalled = (_url: string, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  vi.stubGlobal('fetch', stalled);
  const rig = fetchRig('https://launch.example.com/avatars/maren/rig.json');
  expect(limits).toHaveBeenCalledWith(10_000);
  timeout.abort(new Error('too late'));
  await expect(rig).rejects.toThrow('too late');
});

test('a drawing that does not arrive within 10 s is rejected', async () => {
  let request: { timeout: number; ontimeout(): void } | undefined;
  vi.stubGlobal(
    'XMLHttpRequest',
    class {
      timeout = 0;
      ontimeout() {}
      open() {}
      overrideMimeType() {}
      send() {
        request = this;
      }
    },
  );
  const drawing = fetchSvg('https://launch.example.com/avatars/maren/full.svg');
  expect(request?.timeout).toBe(10_000);
  request?.ontimeout();
  await expect(drawing).rejects.toThrow('no drawing at');
});

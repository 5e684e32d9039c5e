import type { Page } from 'playwright-core';

/** Objects that a page retains after a garbage collection. */
export interface Remains {
  nodes: number;
  listeners: number;
  sockets: number;
  audioContexts: number;
  audioNodes: number;
  worklets: number;
  frames: number;
  heapBytes: number;
}

/** Reads these counts over the Chrome DevTools Protocol. */
export async function watchRemains(page: Page): Promise<() => Promise<Remains>> {
  const tools = await page.context().newCDPSession(page);
  await tools.send('Performance.enable');
  await tools.send('HeapProfiler.enable');
  const objectsOf = async (type: string) => {
    const { result } = await tools.send('Runtime.evaluate', { expression: `${type}.prototype` });
    const { objects } = await tools.send('Runtime.queryObjects', { prototypeObjectId: result.objectId! });
    const length = await tools.send('Runtime.callFunctionOn', {
      objectId: objects.objectId!,
      functionDeclaration: 'function () { return this.length; }',
    });
    await tools.send('Runtime.releaseObject', { objectId: objects.objectId! });
    return length.result.value as number;
  };
  return async () => {
    await tools.send('HeapProfiler.collectGarbage');
    const { metrics } = await tools.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
    return {
      nodes: of('Nodes'),
      listeners: of('JSEventListeners'),
      frames: of('Frames'),
      audioNodes: of('AudioHandlers'),
      worklets: of('AudioWorkletProcessors'),
      heapBytes: of('JSHeapUsedSize'),
      sockets: await objectsOf('WebSocket'),
      audioContexts: await objectsOf('AudioContext'),
    };
  };
}

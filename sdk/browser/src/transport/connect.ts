import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import { aborted } from '../core/experience-error.ts';
import type { Opus } from '../opus.ts';
import type { TransportContext } from '../types.ts';
import { version } from '../version.ts';
import * as wire from '../wire.ts';
import { readMessage } from './runtime-messages.ts';

/** Milliseconds to wait for `ready`. Long, because a runtime may be starting, and a shorter wait could waste the single-use token. */
const readyTimeoutMs = 20_000;

type Ready = Extract<RuntimeEvent, { type: 'ready' }>;

interface HelloFacts {
  token?: string;
  resume?: { ticket: string; lastSeq: number };
  speech?: { synthesis: string[]; recognition: string[] };
  audio?: Opus['formats'] | undefined;
}

/** `early`: socket events since `ready`, buffered until SessionSocket has set its handlers. */
export type Joined = { socket: WebSocket; ready: Ready; early: (MessageEvent | CloseEvent)[] };
type Connected = Joined | { socket?: undefined; code: number; reason: string };

/**
 * Connects once. Resolves with the socket when the runtime sends `ready`, or with the close code: 1006 after `timeoutMs` or
 * `readyTimeoutMs`, whichever is shorter.
 */
export function connect(
  { manifest, signal }: TransportContext,
  facts: HelloFacts | Promise<HelloFacts>,
  timeoutMs = readyTimeoutMs,
): Promise<Connected> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted());
    // Throws for a ws: URL on an https page (mixed content), which rejects this promise.
    const socket = new WebSocket(manifest.transport.url, wire.subprotocol);
    socket.binaryType = 'arraybuffer';
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      socket.onopen = socket.onmessage = socket.onclose = null;
      settled();
    };
    const leave = () =>
      settle(() => {
        socket.close(wire.closeCodeEnded);
        reject(aborted());
      });
    const timer = setTimeout(
      () => {
        settle(() => resolve({ code: 1006, reason: 'no answer' }));
        socket.close();
      },
      Math.min(timeoutMs, readyTimeoutMs),
    );
    signal.addEventListener('abort', leave);
    socket.onopen = async () => {
      const client = { name: '@session-launch/browser', version };
      const hello = JSON.stringify({
        type: 'hello',
        protocol: wire.protocolVersion,
        client,
        ...(await facts),
      });
      if (socket.readyState === WebSocket.OPEN) socket.send(hello);
    };
    socket.onclose = ({ code, reason }) => settle(() => resolve({ code, reason }));
    socket.onmessage = ({ data }) => {
      const ready = readMessage(data) as RuntimeEvent | undefined;
      if (ready?.type !== 'ready') return;
      const early: Joined['early'] = [];
      settle(() => resolve({ socket, ready, early }));
      socket.onmessage = socket.onclose = (one: MessageEvent | CloseEvent) => void early.push(one);
    };
  });
}

import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import { aborted } from '../core/experience-error.ts';
import type { TransportContext } from '../types.ts';
import { version } from '../version.ts';
import { readMessage } from './runtime-messages.ts';

const subprotocol = 'session.v1';
/** A runtime that is starting may take this long to answer. A client that gives up earlier may have used up its token. */
const readyTimeoutMs = 20_000;

type Ready = Extract<RuntimeEvent, { type: 'ready' }>;

interface HelloFacts {
  token?: string;
  resume?: { ticket: string; lastSeq: number };
  speech?: { synthesis: string[]; recognition: string[] };
}

/** `early`: events of the socket since `ready`, for the next owner of the socket. */
export type Joined = { socket: WebSocket; ready: Ready; early: (MessageEvent | CloseEvent)[] };
type Connected = Joined | { socket?: undefined; code: number; reason: string };

/** Tries once. Resolves with the socket once the runtime is ready, or with the code that the runtime closed it with. */
export function connect(
  { manifest, signal }: TransportContext,
  facts: HelloFacts | Promise<HelloFacts>,
): Promise<Connected> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted());
    // Throws where a page on https is sent to a ws address.
    const socket = new WebSocket(manifest.transport.url, subprotocol);
    socket.binaryType = 'arraybuffer';
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      socket.onopen = socket.onmessage = socket.onclose = null;
      settled();
    };
    const leave = () =>
      settle(() => {
        socket.close(1000);
        reject(aborted());
      });
    const timer = setTimeout(() => {
      settle(() => resolve({ code: 1006, reason: 'no answer' }));
      socket.close();
    }, readyTimeoutMs);
    signal.addEventListener('abort', leave);
    socket.onopen = async () => {
      const client = { name: '@session-launch/browser', version };
      const hello = JSON.stringify({ type: 'hello', protocol: 1, client, ...(await facts) });
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

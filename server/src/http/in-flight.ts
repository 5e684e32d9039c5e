import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Answers {
  /**
   * Not finished yet, in the order in which they were asked for. An array: a set that something is added to and deleted from
   * again and again leaves old tables behind, and through them everything it held lives on until a full garbage collection.
   */
  open: ServerResponse[];
  /** Of the request that came last, finished or not. */
  latest: ServerResponse;
}

const connections = new WeakMap<Socket, Answers>();

/** Keeps track of what the connections of a server owe; returns how many answers are under way on all of them. */
export function watchAnswers(server: Server): () => number {
  let count = 0;
  function onClose(this: ServerResponse): void {
    const open = connections.get(this.req.socket)?.open ?? [];
    const place = open.indexOf(this);
    if (place === -1) return;
    open.splice(place, 1);
    count--;
  }
  server.on('request', ({ socket }, response) => {
    let answers = connections.get(socket);
    if (answers === undefined) {
      answers = { open: [], latest: response };
      connections.set(socket, answers);
      socket.once('close', () => forsake(answers?.open ?? []));
    }
    answers.open.push(response);
    answers.latest = response;
    count++;
    response.on('close', onClose);
  });
  return () => count;
}

/**
 * Node tells only the answer that was next of a lost connection. Those behind it would count as under way for good, and a
 * file that is sent as one of them would never be closed.
 */
function forsake(open: readonly ServerResponse[]): void {
  for (const response of [...open]) {
    response.destroy();
    response.emit('close');
  }
}

/** Resolves when nothing more is written to an answer: it is complete, or its connection is gone. */
export async function answerOver(response: ServerResponse): Promise<void> {
  if (!connections.get(response.req.socket)?.open.includes(response)) return;
  await new Promise((resolve) => response.once('close', resolve));
}

export interface Unfinished {
  /** The answer, begun or not, to a request that is still coming in. */
  own: ServerResponse | undefined;
  /** Resolves when everything asked before that has its answer. */
  earlier: Promise<unknown>;
}

/** What a connection still owes, when the bytes that come in next turn out to be wrong. */
export function unfinishedAnswers(socket: Socket): Unfinished {
  const { open, latest } = connections.get(socket) ?? { open: [] };
  const own = latest?.req.complete === false ? latest : undefined;
  const earlier = open.filter((answer) => answer !== own);
  const closed = (answer: ServerResponse) => new Promise((resolve) => answer.once('close', resolve));
  return { own, earlier: Promise.all(earlier.map(closed)) };
}

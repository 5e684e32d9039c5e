import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Answers {
  /**
   * Unfinished responses in request order. An array, because a `Set` with constant additions and deletions keeps old hash tables, and
   * through them its former members, alive until a full garbage collection.
   */
  open: ServerResponse[];
  /** The response to the latest request, finished or not. */
  latest: ServerResponse;
}

const connections = new WeakMap<Socket, Answers>();

/** Tracks the unfinished responses of each connection of a server. Returns a function that counts all of them. */
export function watchAnswers(server: Server): () => number {
  let count = 0;
  function onClose(this: ServerResponse): void {
    const open = connections.get(this.req.socket)?.open ?? [];
    const index = open.indexOf(this);
    if (index === -1) return;
    open.splice(index, 1);
    count--;
  }
  server.on('request', ({ socket }, response) => {
    let answers = connections.get(socket);
    if (answers === undefined) {
      answers = { open: [], latest: response };
      connections.set(socket, answers);
      socket.once('close', () => closePending(answers?.open ?? []));
    }
    answers.open.push(response);
    answers.latest = response;
    count++;
    response.on('close', onClose);
  });
  return () => count;
}

/**
 * When a connection is lost, Node closes only the first pending response. Closes the pipelined ones too; otherwise they would stay
 * counted, and files being sent would never be closed.
 */
function closePending(open: readonly ServerResponse[]): void {
  for (const response of [...open]) {
    response.destroy();
    response.emit('close');
  }
}

/** Resolves when a response is complete or its connection is closed. */
export async function untilAnswered(response: ServerResponse): Promise<void> {
  if (!connections.get(response.req.socket)?.open.includes(response)) return;
  await new Promise((resolve) => response.once('close', resolve));
}

export interface Unfinished {
  /** The response, begun or not, to a request that is still being received. */
  own: ServerResponse | undefined;
  /** Resolves when every earlier request has its response. */
  earlier: Promise<unknown>;
}

/** The unfinished responses of a connection on which the parser has failed. */
export function unfinishedAnswers(socket: Socket): Unfinished {
  const { open, latest } = connections.get(socket) ?? { open: [] };
  const own = latest?.req.complete === false ? latest : undefined;
  const earlier = open.filter((answer) => answer !== own);
  const closed = (answer: ServerResponse) => new Promise((resolve) => answer.once('close', resolve));
  return { own, earlier: Promise.all(earlier.map(closed)) };
}

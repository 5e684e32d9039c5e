import { bounds, type Hello, type RuntimeErrorCode } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Conversations } from '../conversation/conversations.ts';
import { type ServiceClient, ServiceRefused } from '../service/client.ts';
import type { Connection, ConnectionCalls } from './connection.ts';
import { readMessage } from './messages.ts';
import { RateWindow } from './rate-window.ts';
import {
  draining,
  full,
  helloTooBig,
  noHello,
  notHello,
  notJson,
  Refusal,
  refusalFor,
  sessionEnded,
  tooManyTexts,
} from './refusals.ts';
import type { TokenReader } from './token.ts';

export interface ReceptionDeps {
  clock: Clock;
  service: Pick<ServiceClient, 'connect'>;
  readToken: TokenReader;
  conversations: Conversations;
  maxSessions: number;
  /** A client came, and was let in or sent away with a code. */
  arrived(outcome: 'ready' | 'resumed' | RuntimeErrorCode): void;
  /** The service did not answer as it should. */
  connectFailed(error: Error): void;
}

/** What a client sent together with its first message, and whether it left meanwhile. */
interface Early {
  frames: (string | Uint8Array)[];
  left?: { isClean: boolean };
}

/** Clients who have not said who they are, beyond those for whom there is room. */
const spareStrangers = 100;

/** Receives clients: who they are, whether they may come in, and to which conversation they belong. */
export class Reception {
  readonly #deps: ReceptionDeps;
  #strangers = 0;
  #joining = 0;

  constructor(deps: ReceptionDeps) {
    this.#deps = deps;
  }

  /** `hasProtocol`: whether the client asked for our subprotocol. */
  receive(connection: Connection, origin: string | undefined, hasProtocol: boolean): void {
    this.#hello(connection, hasProtocol)
      .then(({ hello, early }) => this.#admit(connection, hello, early, origin))
      .then((outcome) => this.#deps.arrived(outcome))
      .catch((error) => {
        const refusal = error instanceof Refusal ? error : refusalFor(undefined);
        if (!(error instanceof Refusal)) this.#deps.connectFailed(error);
        this.#deps.arrived(refusal.code);
        connection.refuse(refusal);
      });
  }

  /** The first message. */
  #hello(connection: Connection, hasProtocol: boolean): Promise<{ hello: Hello; early: Early }> {
    const { clock, conversations, maxSessions } = this.#deps;
    return new Promise((resolve, reject) => {
      if (conversations.isDraining) throw draining();
      if (!hasProtocol) throw notHello();
      if (this.#strangers >= maxSessions + spareStrangers) throw full();
      this.#strangers++;
      const cancel = clock.after(bounds.helloSeconds * 1000, () => reject(noHello()));
      const early: Early = { frames: [] };
      const settle = (settled: () => void) => {
        this.#strangers--;
        cancel();
        connection.listen({
          audio: (frame) => early.frames.push(frame),
          text: (json) => early.frames.push(json),
          closed: (isClean) => {
            early.left = { isClean };
          },
        });
        settled();
      };
      connection.listen({
        audio: () => settle(() => reject(notHello())),
        closed: () => settle(() => reject(notHello())),
        text: (json) => {
          const isTooBig = Buffer.byteLength(json) > bounds.helloBytes;
          const read = isTooBig ? undefined : readMessage(json);
          settle(() => {
            if (read === undefined) reject(helloTooBig());
            else if (read.kind !== 'message' || read.message.type !== 'hello') reject(notHello());
            else {
              // What the client says next waits in its socket, or here when it came in the same packet.
              connection.pause();
              resolve({ hello: read.message, early });
            }
          });
        },
      });
    });
  }

  async #admit(
    connection: Connection,
    hello: Hello,
    early: Early,
    origin: string | undefined,
  ): Promise<'ready' | 'resumed'> {
    try {
      if (hello.resume !== undefined) {
        const conversation = this.#deps.conversations.of(hello.resume.ticket);
        if (conversation === undefined) throw sessionEnded();
        const { lastSeq } = hello.resume;
        this.#join(connection, conversation, early, () => conversation.resume(connection, lastSeq));
        return 'resumed';
      }
      if (hello.token === undefined) throw notHello();
      const conversation = await this.#begin(hello, hello.token, origin);
      this.#join(connection, conversation, early, () => conversation.begin(connection));
      return 'ready';
    } finally {
      connection.resume();
    }
  }

  async #begin(hello: Hello, token: string, origin: string | undefined): Promise<Conversation> {
    const { conversations, service, maxSessions, readToken } = this.#deps;
    const sessionId = await readToken(token, origin);
    if (conversations.size + this.#joining >= maxSessions) throw full();
    this.#joining++;
    try {
      const connected = await service.connect(sessionId, token);
      const conversation = conversations.open(connected, hello);
      if (!conversations.isDraining) return conversation;
      conversation.end('server_shutdown');
      throw draining();
    } catch (error) {
      if (!(error instanceof ServiceRefused)) throw error;
      const refusal = refusalFor(error.code);
      if (refusal.code === 'FAULT') this.#deps.connectFailed(error);
      throw refusal;
    } finally {
      this.#joining--;
    }
  }

  /** From now on the connection speaks to its conversation. */
  #join(connection: Connection, conversation: Conversation, early: Early, begin: () => void): void {
    const texts = new RateWindow(this.#deps.clock, bounds.textsPerTenSeconds, 10_000);
    const read = (json: string): void => {
      const found = readMessage(json);
      if (found.kind === 'notJson') throw notJson();
      if (found.kind === 'wrong') conversation.refuse(found.type, found.problem);
      if (found.kind !== 'message') return;
      const { message } = found;
      const isSaid = message.type === 'text' || (message.type === 'transcript' && message.status === 'final');
      if (isSaid && !texts.allows()) throw tooManyTexts();
      conversation.receive(message);
    };
    const calls: ConnectionCalls = {
      audio: (frame) => conversation.receiveAudio(frame),
      closed: (isClean) => (isClean ? conversation.end('client_ended') : conversation.lost()),
      refused: ({ code, message }) => {
        this.#deps.arrived(code);
        conversation.fail(code, message);
      },
      text: (json) => {
        try {
          read(json);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          connection.refuse(error);
        }
      },
    };
    connection.listen(calls);
    begin();
    for (const frame of early.frames) {
      if (typeof frame === 'string') calls.text(frame);
      else calls.audio(frame);
    }
    if (early.left !== undefined) calls.closed(early.left.isClean);
  }
}

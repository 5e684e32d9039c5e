import { bounds, type Hello, type RuntimeErrorCode } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Conversations } from '../conversation/conversations.ts';
import {
  draining,
  full,
  helloTooBig,
  noHello,
  notHello,
  notJson,
  originDiffers,
  Refusal,
  refusalFor,
  sessionEnded,
  tooManyFrames,
  tooManyResumes,
} from '../refusals.ts';
import { type ServiceClient, ServiceRefused } from '../service/client.ts';
import type { ConnectionCalls, CutCause, SessionConnection } from './connection.ts';
import { readMessage } from './messages.ts';
import { PendingSockets } from './pending-sockets.ts';
import { SessionSlots } from './session-slots.ts';
import type { TokenReader } from './token.ts';

export interface AdmissionDeps {
  clock: Clock;
  service: Pick<ServiceClient, 'connect'>;
  readToken: TokenReader;
  conversations: Conversations;
  maxSessions: number;
  /** Counts a client by outcome. */
  arrived(outcome: 'ready' | 'resumed' | RuntimeErrorCode): void;
  /** A session could not be started because of an internal error. */
  connectFailed(error: Error): void;
  /** The connection of a session was destroyed. The session can be resumed. */
  cut(sessionId: string, cause: CutCause): void;
}

/** The client of a new socket. */
export interface Peer {
  /** The client network: an IPv4 address or an IPv6 /64. */
  client: string;
  origin: string | undefined;
  /** Whether it requested a protocol that the runtime supports. */
  hasProtocol: boolean;
  /** Whether its protocol can resume a session. */
  canResume: boolean;
}

/** Frames that arrived between `hello` and `ready`, and whether the client disconnected in that time. */
interface EarlyFrames {
  frames: (string | Uint8Array)[];
  left?: { isClean: boolean };
}

/** A refused connection is destroyed after this many later refusals, even if its close handshake is incomplete. */
const maxClosing = 200;

/** Authenticates clients and connects each one to its conversation. */
export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #pending: PendingSockets;
  readonly #slots: SessionSlots;
  /** The most recently refused connections, oldest first; some may already be closed. */
  readonly #closing: SessionConnection[] = [];

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#pending = new PendingSockets(deps.maxSessions);
    this.#slots = new SessionSlots(deps.maxSessions);
  }

  receive(connection: SessionConnection, peer: Peer): void {
    this.#hello(connection, peer)
      .then(({ hello, early }) => this.#admit(connection, hello, early, peer))
      .then((outcome) => this.#deps.arrived(outcome))
      .catch((error) => {
        const refusal = error instanceof Refusal ? error : refusalFor(undefined);
        if (!(error instanceof Refusal)) this.#deps.connectFailed(error);
        this.#deps.arrived(refusal.code);
        connection.refuse(refusal);
        this.#closing.push(connection);
        if (this.#closing.length > maxClosing) this.#closing.shift()!.destroy();
      });
  }

  /** Waits for `hello`. */
  #hello(
    connection: SessionConnection,
    { client, hasProtocol }: Peer,
  ): Promise<{ hello: Hello; early: EarlyFrames }> {
    const { clock, conversations } = this.#deps;
    return new Promise((resolve, reject) => {
      if (conversations.isDraining) throw draining();
      if (!hasProtocol) throw notHello();
      const remove = this.#pending.add(client, () => settle(() => reject(full())));
      const cancel = clock.after(bounds.helloSeconds * 1000, () => settle(() => reject(noHello())));
      const early: EarlyFrames = { frames: [] };
      const settle = (settled: () => void) => {
        remove();
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
              // Later frames stay in the socket's buffer; those already received go to `early`.
              connection.pause();
              resolve({ hello: read.message, early });
            }
          });
        },
      });
    });
  }

  async #admit(
    connection: SessionConnection,
    hello: Hello,
    early: EarlyFrames,
    peer: Peer,
  ): Promise<'ready' | 'resumed'> {
    try {
      if (hello.resume !== undefined) {
        const { resume } = hello;
        const conversation = this.#resumable(resume.ticket, peer.origin);
        this.#join(connection, conversation, { early, peer }, () =>
          conversation.resume(connection, resume, hello),
        );
        return 'resumed';
      }
      if (hello.token === undefined) throw notHello();
      const conversation = await this.#begin(hello, hello.token, peer);
      this.#join(connection, conversation, { early, peer }, () => conversation.begin(connection, hello));
      return 'ready';
    } finally {
      connection.resume();
    }
  }

  /** Finds the conversation of a ticket. A refused resume invalidates neither the ticket nor the current connection. */
  #resumable(ticket: string, origin: string | undefined): Conversation {
    const conversation = this.#deps.conversations.of(ticket);
    if (conversation === undefined) throw sessionEnded();
    if (conversation.origin !== undefined && conversation.origin !== origin) throw originDiffers();
    if (!conversation.resumes.allows()) throw tooManyResumes();
    return conversation;
  }

  async #begin(hello: Hello, token: string, { client, origin }: Peer): Promise<Conversation> {
    const { conversations, service, readToken } = this.#deps;
    const claims = await readToken(token, origin);
    // Takes the slot before calling the service: a client that gets none keeps its single-use token and may retry.
    const left = this.#slots.take({ client, isFromServer: claims.origin === undefined });
    try {
      const connected = await service.connect(claims.sessionId, token, client);
      const conversation = conversations.open(connected, hello, { origin: claims.origin, left });
      if (!conversations.isDraining) return conversation;
      conversation.end('server_shutdown');
      throw draining();
    } catch (error) {
      left();
      if (!(error instanceof ServiceRefused)) throw error;
      const refusal = refusalFor(error.code);
      if (refusal.code === 'FAULT') this.#deps.connectFailed(error);
      throw refusal;
    }
  }

  /** Attaches a connection to its conversation and delivers the early frames. */
  #join(
    connection: SessionConnection,
    conversation: Conversation,
    { early, peer }: { early: EarlyFrames; peer: Peer },
    begin: () => void,
  ): void {
    const lost = () => (peer.canResume ? conversation.lost() : conversation.end('client_lost'));
    const calls: ConnectionCalls = {
      audio: (frame) => conversation.receiveAudio(frame),
      cut: (cause) => this.#deps.cut(conversation.sessionId, cause),
      // Not called for early frames: the client sent them before it could have received `ready`.
      received: () => conversation.ticketReceived(),
      closed: (isClean) => (isClean ? conversation.end('client_ended') : lost()),
      refused: ({ code, message }) => {
        this.#deps.arrived(code);
        conversation.fail(code, message);
      },
      text: (json) => {
        const read = readMessage(json);
        if (read.kind === 'notJson') connection.refuse(notJson());
        else if (read.kind === 'wrong') conversation.refuse(read.type, read.problem);
        else if (read.kind === 'message') conversation.receive(read.message);
      },
    };
    connection.listen(calls, conversation.frames);
    begin();
    for (const frame of early.frames) {
      if (!conversation.frames.take()) {
        connection.refuse(tooManyFrames());
        break;
      }
      if (typeof frame === 'string') calls.text(frame);
      else calls.audio(frame);
    }
    if (early.left !== undefined) calls.closed(early.left.isClean);
  }
}

import { EventEmitter } from 'node:events';
import { WebSocket } from 'ws';

/** Bytes before the samples of a binary frame: speaker, flags, utterance, offset in samples. */
const headerBytes = 8;
const byUser = 2;
const lastOfUtterance = 1;

/**
 * A conversation with a character over session.v1. Emits `ready`, `mode`, `message`, `sound` and `interrupted`, and `close` at the end.
 * The protocol is described in docs/runtime-protocol.md.
 */
export class Character extends EventEmitter {
  #socket;
  /** Samples of the user that were sent. */
  #heard = 0;

  /** `launch` is the launch of a session whose transport is a WebSocket. */
  constructor({ transport, sessionToken }) {
    super();
    this.#socket = new WebSocket(transport.url, 'session.v1', { perMessageDeflate: false });
    this.#socket.on('open', () =>
      this.#send({
        type: 'hello',
        protocol: 1,
        token: sessionToken,
        client: { name: 'livekit-agent', version: '1' },
      }),
    );
    this.#socket.on('message', (data, isBinary) => (isBinary ? this.#sound(data) : this.#event(data)));
    // 'close' follows an error.
    this.#socket.on('error', () => {});
    this.#socket.on('close', (code) => this.emit('close', code));
  }

  say(id, text) {
    this.#send({ type: 'text', id, text });
  }

  /** Sends sound of the user: 16-bit mono samples at 16 kHz, at most 100 ms. */
  hear(samples) {
    const frame = Buffer.alloc(headerBytes + samples.byteLength);
    frame.writeUInt8(byUser, 0);
    frame.writeUInt32LE(this.#heard, 4);
    Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).copy(frame, headerBytes);
    this.#heard = (this.#heard + samples.length) % 2 ** 32;
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(frame);
  }

  interrupt() {
    this.#send({ type: 'interrupt' });
  }

  /** Reports what was played of an utterance. Without it, the runtime sends no more than 1.5 s of sound. */
  played(utterance, ms, done) {
    this.#send({ type: 'played', utterance, ms, ...(done ? { done } : {}) });
  }

  leave() {
    this.#send({ type: 'bye' });
    this.#socket.close(1000);
  }

  #event(data) {
    const event = JSON.parse(data.toString());
    // An utterance that the runtime gives no sound counts as played.
    if (event.type === 'utterance' && event.speech === 'client') this.played(event.utterance, 0, true);
    if (['ready', 'mode', 'message', 'interrupted'].includes(event.type)) this.emit(event.type, event);
  }

  #sound(frame) {
    const bytes = Uint8Array.from(frame.subarray(headerBytes));
    this.emit('sound', {
      utterance: frame.readUInt16LE(2),
      samples: new Int16Array(bytes.buffer),
      offset: frame.readUInt32LE(4),
      isLast: (frame.readUInt8(1) & lastOfUtterance) !== 0,
    });
  }

  #send(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

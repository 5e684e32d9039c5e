import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { type WebSocket, WebSocketServer } from 'ws';

/** How the server handles the next response; normally unless a test sets it. */
export type ResponseBehaviour =
  | { kind: 'well' }
  /** Each delta of audio after a pause, as a model that generates in real time. */
  | { kind: 'slow'; deltaMs: number }
  /** Destroys the connection after a number of deltas of audio. */
  | { kind: 'cut'; after: number }
  /** Sends a text that is not an event, or an event with a wrong field. */
  | { kind: 'wrong'; json: string }
  | { kind: 'silent' }
  | { kind: 'failed'; code: string }
  /** Sends the transcript after all audio. */
  | { kind: 'late transcript' }
  /** Asks for calls of tools, after the reply if `speaks` is set. */
  | { kind: 'calls'; calls: [name: string, written: string][]; speaks?: boolean };

/** How the server handles the next connection. */
export type ConnectionBehaviour =
  | { kind: 'well' }
  | { kind: 'status'; status: number }
  /** Accepts the connection and sends nothing. */
  | { kind: 'silent' }
  /** Closes the connection directly after it was opened. */
  | { kind: 'close' };

/** A message in the server's conversation, as the model remembers it. */
export interface Item {
  id: string;
  role: 'user' | 'assistant' | 'system';
  text: string;
  /** Milliseconds of audio. */
  audioMs: number;
  /** Milliseconds that remain after a truncation. */
  keptMs?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
export type ClientEvent = { type: string; [field: string]: any };

/** The state of one connection. */
export interface ServerSession {
  url: URL;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into settings freely
  settings: any;
  /** Client events in order, except audio. */
  readonly events: ClientEvent[];
  readonly items: Item[];
  /** Calls of tools by their id, with their outputs. */
  readonly calls: Map<string, { name: string; written: string; output?: string }>;
  /** Milliseconds of audio in the input buffer. */
  bufferedMs: number;
  /** Peak of the audio that was committed last. */
  committedPeak: number;
  isClosed: boolean;
  /** Destroys the connection. */
  cut(): void;
}

export interface RealtimeServer {
  /** The address for `REALTIME_URL`. */
  url: string;
  port: number;
  /** Queues: one entry is removed for each response or connection. */
  readonly next: ResponseBehaviour[];
  readonly nextConnection: ConnectionBehaviour[];
  /** What the model says. */
  reply: string;
  /** What the user's audio is transcribed as. `undefined`: the transcription fails. */
  transcript: string | undefined;
  readonly sessions: ServerSession[];
  /** Violations of the protocol by clients. */
  readonly problems: string[];
  /** When the first audio of each response was sent, on the clock of `performance.now()`. */
  readonly firstAudioAt: number[];
  close(): Promise<void>;
}

type Without<T> = T extends unknown ? Omit<T, 'event_id'> : never;
type ServerEvent = Without<RealtimeServerEvent>;

const sampleRate = 24_000;
const deltaSamples = sampleRate / 10;
const ms = (samples: number) => (samples / sampleRate) * 1000;
const itemStatus = 'completed';

/**
 * A server of the OpenAI Realtime protocol in its general-availability form. It speaks `reply` in a real voice, and rejects every event that
 * the protocol does not allow. `speak` returns PCM at 24 kHz.
 */
export async function startRealtimeServer(
  speak: (text: string) => Promise<Int16Array>,
): Promise<RealtimeServer> {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const server: RealtimeServer = {
    url: '',
    port: 0,
    next: [],
    nextConnection: [],
    reply: 'Good morning. The ferries leave at every full hour.',
    transcript: 'When do the ferries leave?',
    sessions: [],
    problems: [],
    firstAudioAt: [],
    close: async () => {
      for (const ws of sockets.clients) ws.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  http.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url ?? '', 'ws://127.0.0.1');
    const behaviour = server.nextConnection.shift() ?? { kind: 'well' };
    const status =
      behaviour.kind === 'status'
        ? behaviour.status
        : request.headers.authorization === undefined && request.headers['api-key'] === undefined
          ? 401
          : url.pathname === '/v1/realtime' && url.searchParams.get('model')
            ? undefined
            : 404;
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      if (behaviour.kind === 'close') ws.close(1011);
      else if (behaviour.kind === 'well') new Connection(server, ws, request, url, speak);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  server.port = (http.address() as AddressInfo).port;
  server.url = `ws://127.0.0.1:${server.port}/v1/realtime`;
  return server;
}

class Rejected extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const invalid = (message: string) => new Rejected('invalid_value', message);

class Connection {
  readonly #server: RealtimeServer;
  readonly #ws: WebSocket;
  readonly #speak: (text: string) => Promise<Int16Array>;
  readonly #session: ServerSession;
  #buffer: Buffer[] = [];
  #response: { id: string; isCancelled: boolean } | undefined;
  #events = 0;

  constructor(
    server: RealtimeServer,
    ws: WebSocket,
    request: IncomingMessage,
    url: URL,
    speak: (text: string) => Promise<Int16Array>,
  ) {
    this.#server = server;
    this.#ws = ws;
    this.#speak = speak;
    this.#session = {
      ...{ url, headers: request.headers, settings: undefined, events: [], items: [], calls: new Map() },
      ...{ bufferedMs: 0, committedPeak: 0, isClosed: false },
      cut: () => ws.terminate(),
    };
    server.sessions.push(this.#session);
    ws.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    ws.on('close', () => {
      this.#session.isClosed = true;
    });
    const model = url.searchParams.get('model')!;
    this.#send({ type: 'session.created', session: { type: 'realtime', model } });
  }

  #send(event: ServerEvent): void {
    this.#ws.send(JSON.stringify({ event_id: `event_${++this.#events}`, ...event }));
  }

  #receive(data: Buffer, isBinary: boolean): void {
    let event: ClientEvent;
    try {
      if (isBinary) throw invalid('binary');
      event = JSON.parse(data.toString());
    } catch {
      this.#server.problems.push('not JSON');
      this.#ws.close(1007);
      return;
    }
    if (event.type !== 'input_audio_buffer.append') this.#session.events.push(event);
    try {
      this.#handle(event);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const { code, message } = error;
      // A cancellation may cross the end of the response on the wire: that is no fault of the client.
      if (code !== 'response_cancel_not_active')
        this.#server.problems.push(`${event.type}: ${code}: ${message}`);
      const eventId = typeof event.event_id === 'string' ? event.event_id : null;
      this.#send({
        type: 'error',
        error: { type: 'invalid_request_error', code, message, param: null, event_id: eventId },
      });
    }
  }

  #handle(event: ClientEvent): void {
    const { type } = event;
    if (type === 'session.update') {
      this.#session.settings = sessionSettings(fields(event, ['session']).session);
      this.#send({ type: 'session.updated', session: this.#session.settings });
    } else if (type === 'input_audio_buffer.append') {
      const pcm = Buffer.from(text(fields(event, ['audio']).audio), 'base64');
      if (pcm.length === 0 || pcm.toString('base64') !== event.audio) throw invalid('not base64');
      this.#buffer.push(pcm);
      this.#session.bufferedMs += ms(pcm.length / 2);
    } else if (type === 'input_audio_buffer.clear') {
      fields(event, []);
      this.#clear();
      this.#send({ type: 'input_audio_buffer.cleared' });
    } else if (type === 'input_audio_buffer.commit') this.#commit(event);
    else if (type === 'conversation.item.create') this.#create(fields(event, ['item']).item);
    else if (type === 'conversation.item.truncate') this.#truncate(event);
    else if (type === 'response.create') this.#respond(event);
    else if (type === 'response.cancel') {
      const { response_id: id } = fields(event, ['response_id?']);
      if (this.#response === undefined || (id !== undefined && id !== this.#response.id))
        throw new Rejected('response_cancel_not_active', 'no active response');
      this.#response.isCancelled = true;
    } else throw invalid(`unknown event ${type}`);
  }

  #clear(): Buffer {
    const all = Buffer.concat(this.#buffer);
    this.#buffer = [];
    this.#session.bufferedMs = 0;
    return all;
  }

  #commit(event: ClientEvent): void {
    fields(event, []);
    if (this.#session.bufferedMs < 100)
      throw new Rejected('input_audio_buffer_commit_empty', 'less than 100 ms of audio');
    const pcm = this.#clear();
    const item = this.#add({ role: 'user', text: '', audioMs: ms(pcm.length / 2) });
    let peak = 0;
    for (let at = 0; at < pcm.length; at += 2) peak = Math.max(peak, Math.abs(pcm.readInt16LE(at)));
    this.#session.committedPeak = peak;
    this.#send({ type: 'input_audio_buffer.committed', item_id: item.id, previous_item_id: null });
    this.#send({
      type: 'conversation.item.added',
      item: { id: item.id, type: 'message', role: 'user', content: [{ type: 'input_audio' }] },
    });
    const { transcript } = this.#server;
    // Transcription runs beside the response.
    setImmediate(() => {
      const about = { item_id: item.id, content_index: 0 };
      if (transcript === undefined) {
        const error = { type: 'server_error', code: 'transcription_failed', message: 'no words' };
        this.#send({ type: 'conversation.item.input_audio_transcription.failed', ...about, error });
        return;
      }
      item.text = transcript;
      for (const delta of words(transcript))
        this.#send({ type: 'conversation.item.input_audio_transcription.delta', ...about, delta });
      this.#send({
        ...{ type: 'conversation.item.input_audio_transcription.completed', ...about, transcript },
        usage: { type: 'duration', seconds: item.audioMs / 1000 },
      });
    });
  }

  #add(item: Omit<Item, 'id'>): Item {
    const added = { id: `item_${randomUUID()}`, ...item };
    this.#session.items.push(added);
    return added;
  }

  #create(item: unknown): void {
    if ((item as { type?: unknown }).type === 'function_call_output') {
      const { call_id: callId, output } = fields(item, ['type', 'call_id', 'output']);
      const call = this.#session.calls.get(text(callId));
      if (call === undefined || call.output !== undefined) throw invalid('no such open call');
      call.output = text(output);
      const echoed = { id: `item_${randomUUID()}`, type: 'function_call_output', call_id: callId, output };
      this.#send({ type: 'conversation.item.added', item: echoed as never });
      this.#send({ type: 'conversation.item.done', item: echoed as never });
      return;
    }
    if ((item as { type?: unknown }).type === 'function_call') {
      const shown = fields(item, ['type', 'call_id', 'name', 'arguments']);
      const written = text(shown.arguments);
      if (!isJsonObject(written)) throw invalid('arguments');
      this.#session.calls.set(text(shown.call_id), { name: text(shown.name), written });
      return;
    }
    const { type, role, content } = fields(item, ['type', 'role', 'content']);
    if (type !== 'message' || !['user', 'assistant', 'system'].includes(role)) throw invalid('item');
    if (!Array.isArray(content) || content.length !== 1) throw invalid('content');
    const part = fields(content[0], ['type', 'text']);
    if (part.type !== (role === 'assistant' ? 'output_text' : 'input_text')) throw invalid('content type');
    const added = this.#add({ role, text: text(part.text), audioMs: 0 });
    const echoed = { id: added.id, type: 'message', role, content } as const;
    this.#send({ type: 'conversation.item.added', item: echoed as never });
    this.#send({ type: 'conversation.item.done', item: echoed as never });
  }

  #truncate(event: ClientEvent): void {
    const {
      item_id,
      content_index,
      audio_end_ms: end,
    } = fields(event, ['item_id', 'content_index', 'audio_end_ms']);
    const item = this.#session.items.find(({ id }) => id === item_id);
    if (item?.role !== 'assistant' || content_index !== 0) throw invalid('no such assistant message');
    if (!Number.isInteger(end) || end < 0) throw invalid('audio_end_ms is no integer');
    if (end > item.audioMs) throw invalid(`audio_end_ms ${end} is beyond ${item.audioMs}`);
    item.keptMs = end;
    this.#send({
      ...{ type: 'conversation.item.truncated', item_id, content_index, audio_end_ms: end },
    } as ServerEvent);
  }

  #respond(event: ClientEvent): void {
    const { response: options } = fields(event, ['response?']);
    const mayCall = options === undefined || fields(options, ['tool_choice']).tool_choice !== 'none';
    if (this.#response !== undefined)
      throw new Rejected('conversation_already_has_active_response', 'a response is in progress');
    const next = this.#server.next.shift() ?? { kind: 'well' };
    const behaviour: ResponseBehaviour = next.kind === 'calls' && !mayCall ? { kind: 'well' } : next;
    const response = { id: `resp_${randomUUID()}`, isCancelled: false };
    this.#response = response;
    this.#send({
      type: 'response.created',
      response: { id: response.id, status: 'in_progress', output: [] },
    });
    void this.#generate(response, behaviour);
  }

  async #generate(
    response: { id: string; isCancelled: boolean },
    behaviour: ResponseBehaviour,
  ): Promise<void> {
    if (behaviour.kind === 'silent') return;
    if (behaviour.kind === 'wrong') {
      this.#ws.send(behaviour.json.replaceAll('RESPONSE', response.id));
      return;
    }
    if (behaviour.kind === 'failed') {
      const error = { type: 'server_error', code: behaviour.code };
      this.#done(response.id, 'failed', undefined, { type: 'failed', error });
      return;
    }
    if (behaviour.kind === 'calls' && behaviour.speaks !== true) {
      this.#callTools(response, behaviour.calls);
      return;
    }
    const { reply } = this.#server;
    const audio = await this.#speak(reply);
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    const item = this.#add({ role: 'assistant', text: reply, audioMs: 0 });
    const about = { response_id: response.id, item_id: item.id, output_index: 0, content_index: 0 };
    const shown = { id: item.id, type: 'message', role: 'assistant', content: [] } as const;
    this.#send({
      ...{ type: 'response.output_item.added', response_id: response.id, output_index: 0 },
      item: { ...shown, status: 'in_progress' } as never,
    });
    this.#send({ type: 'conversation.item.added', item: shown as never });
    this.#send({ type: 'response.content_part.added', ...about, part: { type: 'audio', transcript: '' } });
    const all = words(reply);
    const deltas = Math.ceil(audio.length / deltaSamples);
    const isLate = behaviour.kind === 'late transcript';
    let told = 0;
    for (let n = 0; n < deltas && !response.isCancelled; n++) {
      if (behaviour.kind === 'cut' && n >= behaviour.after) {
        // Flushes the deltas so far before the connection is destroyed.
        this.#ws.ping(undefined, undefined, () => this.#ws.terminate());
        return;
      }
      // Transcripts run a little ahead of the audio.
      const due = isLate ? 0 : Math.min(all.length, Math.ceil(((n + 2) / deltas) * all.length));
      for (; told < due; told++)
        this.#send({ type: 'response.output_audio_transcript.delta', ...about, delta: all[told]! });
      const part = audio.subarray(n * deltaSamples, (n + 1) * deltaSamples);
      const pcm = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
      item.audioMs += ms(part.length);
      if (n === 0) this.#server.firstAudioAt.push(performance.now());
      this.#send({ type: 'response.output_audio.delta', ...about, delta: pcm.toString('base64') });
      if (behaviour.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, behaviour.deltaMs));
      else await new Promise((resolve) => setImmediate(resolve));
      if (this.#ws.readyState !== this.#ws.OPEN) return;
    }
    for (; told < all.length && !response.isCancelled; told++)
      this.#send({ type: 'response.output_audio_transcript.delta', ...about, delta: all[told]! });
    this.#send({ type: 'response.output_audio.done', ...about });
    this.#send({ type: 'response.output_audio_transcript.done', ...about, transcript: reply });
    this.#send({
      ...{ type: 'response.output_item.done', response_id: response.id, output_index: 0 },
      item: { ...shown, status: itemStatus } as never,
    });
    if (behaviour.kind === 'calls' && !response.isCancelled) {
      this.#callTools(response, behaviour.calls);
      return;
    }
    this.#done(response.id, response.isCancelled ? 'cancelled' : 'completed', deltas, {
      type: response.isCancelled ? 'cancelled' : 'completed',
    });
  }

  #callTools(response: { id: string }, calls: [name: string, written: string][]): void {
    const offered = (this.#session.settings.tools ?? []).map(({ name }: { name: string }) => name);
    const items = calls.map(([name, written]) => {
      const callId = `call_${randomUUID()}`;
      if (offered.includes(name) || name === 'invented') this.#session.calls.set(callId, { name, written });
      else this.#server.problems.push(`the tool ${name} was not offered`);
      const shown = { id: `item_${randomUUID()}`, type: 'function_call', call_id: callId, name } as const;
      const about = { response_id: response.id, item_id: shown.id, output_index: 0, call_id: callId };
      this.#send({
        ...{ type: 'response.output_item.added', response_id: response.id, output_index: 0 },
        item: { ...shown, status: 'in_progress', arguments: '' },
      });
      for (const delta of written.match(/.{1,7}/gs) ?? [])
        this.#send({ type: 'response.function_call_arguments.delta', ...about, delta });
      this.#send({ type: 'response.function_call_arguments.done', ...about, name, arguments: written });
      const item = { ...shown, status: itemStatus, arguments: written } as const;
      this.#send({ type: 'response.output_item.done', response_id: response.id, output_index: 0, item });
      return item;
    });
    this.#done(response.id, 'completed', 0, { type: 'completed' }, items);
  }

  #done(
    id: string,
    status: 'completed' | 'cancelled' | 'failed',
    deltas: number | undefined,
    details: object,
    output: object[] = [],
  ): void {
    this.#response = undefined;
    const usage = {
      total_tokens: 20 + (deltas ?? 0),
      input_tokens: 20,
      output_tokens: deltas ?? 0,
      input_token_details: { text_tokens: 15, audio_tokens: 5, cached_tokens: 3 },
      output_token_details: { text_tokens: 2, audio_tokens: deltas ?? 0 },
    };
    this.#send({
      type: 'response.done',
      response: {
        id,
        status,
        output: output as never,
        status_details: details,
        ...(deltas === undefined ? {} : { usage }),
      },
    });
  }
}

const words = (text: string) => text.match(/\S+\s*/gu) ?? [];

/** Returns an object if it has exactly these fields, besides `type` and `event_id`. A name with `?` is optional. */
// biome-ignore lint/suspicious/noExplicitAny: fields are checked by their readers
function fields(value: unknown, names: string[]): any {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('not an object');
  const allowed = new Set(['type', 'event_id', ...names.map((name) => name.replace('?', ''))]);
  for (const name of Object.keys(value)) if (!allowed.has(name)) throw invalid(`unknown field ${name}`);
  for (const name of names)
    if (!name.endsWith('?') && !(name in value)) throw invalid(`missing field ${name}`);
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw invalid('not a string');
  return value;
}

function sessionSettings(value: unknown) {
  const settings = fields(value, [
    'type',
    'output_modalities',
    'instructions',
    'audio',
    'tools?',
    'tool_choice?',
  ]);
  if (settings.type !== 'realtime') throw invalid('session.type');
  if (JSON.stringify(settings.output_modalities) !== '["audio"]') throw invalid('output_modalities');
  text(settings.instructions);
  const { input, output } = fields(settings.audio, ['input', 'output']);
  const { format, transcription, turn_detection } = fields(input, [
    'format',
    'transcription',
    'turn_detection',
  ]);
  const spoken = fields(output, ['format', 'voice?']);
  for (const one of [format, spoken.format])
    if (JSON.stringify(one) !== JSON.stringify({ type: 'audio/pcm', rate: sampleRate }))
      throw invalid('format');
  if (spoken.voice !== undefined) text(spoken.voice);
  text(fields(transcription, ['model', 'language?']).model);
  if (turn_detection !== null) throw invalid('turn_detection');
  for (const tool of settings.tools ?? []) {
    const { type, name, parameters } = fields(tool, ['type', 'name', 'description', 'parameters']);
    if (type !== 'function' || !/^[\w-]{1,64}$/.test(text(name))) throw invalid('tool');
    if (parameters.type !== 'object') throw invalid('parameters');
  }
  return settings;
}

function isJsonObject(written: string): boolean {
  try {
    const value = JSON.parse(written);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

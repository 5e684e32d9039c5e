import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';

/** The version of RTVI that the runtime implements. */
const rtviVersion = '2.1.0';

export interface RtviMessage {
  type: string;
  data?: object;
  /** The id of the client's message that this one answers. */
  id?: string;
}

type EventOf<T extends RuntimeEvent['type']> = Extract<RuntimeEvent, { type: T }>;

/** RTVI 2 has `error`; clients of earlier versions read `message`. */
export function errorMessage(
  message: string,
  { code, fatal }: { code: string; fatal: boolean },
): RtviMessage {
  return { type: 'error', data: { error: message, message, code, fatal } };
}

export function errorResponse(id: string, message: string): RtviMessage {
  return { type: 'error-response', id, data: { error: message, message } };
}

/** Translates the events of a conversation that do not depend on playback. */
export class BotMessages {
  readonly #readyId: string;
  /** Ids of texts that the user typed. */
  readonly #typed = new Set<string>();
  #hasSound = false;
  /** Ids of the calls in progress, by the name of their tool. */
  readonly #calling = new Map<string, string[]>();
  #callCount = 0;
  #messageId = '';
  #said = '';

  /** `readyId`: the id of the client's `client-ready`. */
  constructor(readyId: string) {
    this.#readyId = readyId;
  }

  /** The text of the character's latest message so far. */
  get said(): string {
    return this.#said;
  }

  /** The client has typed this text, so that it is not reported as a transcript. */
  typed(id: string): void {
    this.#typed.add(id);
  }

  /** The character begins an utterance with sound. */
  startSpeaking(): RtviMessage[] {
    if (this.#hasSound) return [];
    this.#hasSound = true;
    return [{ type: 'bot-started-speaking' }];
  }

  of(event: RuntimeEvent): RtviMessage[] {
    switch (event.type) {
      case 'ready':
        return this.#ready(event);
      case 'mode':
        return event.mode === 'speaking' ? [] : this.#stopSpeaking();
      case 'message':
        return event.role === 'user' ? this.#userSaid(event) : this.#characterSays(event);
      case 'tool':
        return this.#calls(event);
      case 'error':
        return [errorMessage(event.message, event)];
      case 'notice':
      case 'suggestions':
      case 'ended': {
        const { seq: _, ...data } = event;
        return [{ type: 'server-message', data }];
      }
      default:
        return [];
    }
  }

  #ready({ sessionId, engines, characters, limits }: EventOf<'ready'>): RtviMessage[] {
    const about = { library: 'session-launch', sessionId, engines, characters, limits };
    const ready = { type: 'bot-ready', id: this.#readyId, data: { version: rtviVersion, about } };
    return engines.hearing.kind === 'server' ? [ready] : [ready, { type: 'user-mute-started' }];
  }

  /** Without arguments and results, as in session.v1. */
  #calls({ name, status }: EventOf<'tool'>): RtviMessage[] {
    const ids = this.#calling.get(name) ?? [];
    this.#calling.set(name, ids);
    const data = { function_name: name };
    if (status === 'running') {
      const id = `call_${++this.#callCount}`;
      ids.push(id);
      return [
        { type: 'llm-function-call-started', data },
        { type: 'llm-function-call-in-progress', data: { ...data, tool_call_id: id } },
      ];
    }
    const stopped = { ...data, tool_call_id: ids.shift() ?? '', cancelled: false };
    return [{ type: 'llm-function-call-stopped', data: stopped }];
  }

  #stopSpeaking(): RtviMessage[] {
    if (!this.#hasSound) return [];
    this.#hasSound = false;
    return [{ type: 'bot-stopped-speaking' }];
  }

  #userSaid({ id, text, status }: EventOf<'message'>): RtviMessage[] {
    const transcript = {
      type: 'user-transcription',
      data: { text, final: status === 'final', timestamp: new Date().toISOString(), user_id: '' },
    };
    const forModel = status === 'final' ? [{ type: 'user-llm-text', data: { text } }] : [];
    return this.#typed.delete(id) ? forModel : [transcript, ...forModel];
  }

  /** Messages of session.v1 are cumulative; RTVI clients append the parts. */
  #characterSays({ id, text, status }: EventOf<'message'>): RtviMessage[] {
    const isNew = id !== this.#messageId;
    const part = isNew ? text : text.slice(this.#said.length);
    this.#messageId = id;
    this.#said = text;
    return [
      ...(isNew ? [{ type: 'bot-llm-started' }] : []),
      ...(part === '' ? [] : [{ type: 'bot-llm-text', data: { text: part } }]),
      ...(status === 'final' ? [{ type: 'bot-llm-stopped' }] : []),
    ];
  }
}

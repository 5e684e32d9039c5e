import type { EndReason, Events, Message, Mode, SessionFacts, State } from '../types.ts';
import { Emitter } from './emitter.ts';
import { ExperienceError } from './experience-error.ts';

const running: readonly State[] = ['minting', 'connecting', 'live', 'reconnecting'];
const initial = {
  mode: null,
  messages: [],
  error: null,
  session: null,
  endReason: undefined,
  engines: undefined,
  suggestions: [],
  video: null,
};

/** The state of an experience that pages and players read. Emits an event for every change. */
export class ExperienceState extends Emitter {
  state: State = 'idle';
  declare mode: Mode | null;
  declare messages: readonly Message[];
  declare error: ExperienceError | null;
  declare session: SessionFacts | null;
  declare endReason: EndReason | undefined;
  /** The latest engines, suggestions and video track of the session, for players that are attached later. */
  declare engines: unknown;
  declare suggestions: Events['suggestions'];
  declare video: MediaStreamTrack | null;

  constructor() {
    super();
    this.reset();
  }

  get isRunning(): boolean {
    return running.includes(this.state);
  }

  /** Removes everything of the previous session. */
  reset(): void {
    Object.assign(this, initial);
  }

  setState(state: State): void {
    if (state === this.state) return;
    this.state = state;
    this.emit('stateChange', state);
  }

  setMode(mode: Mode): void {
    if (mode === this.mode) return;
    this.mode = mode;
    this.emit('modeChange', mode);
  }

  /** Adds a message, or replaces the one with the same id. */
  addMessage(message: Message): void {
    const all = new Map(this.messages.map((one) => [one.id, one]));
    this.messages = [...all.set(message.id, message).values()];
    if (message.role === 'user' && message.status === 'final') this.suggestions = [];
    this.emit('message', message);
  }

  /** Handles an event of the runtime that is neither a mode nor a message. */
  addEvent(event: Events['runtimeEvent']): void {
    if (event.type === 'ready') this.engines = event.engines;
    if (event.type === 'suggestions') {
      this.suggestions = event.items as Events['suggestions'];
      this.emit('suggestions', this.suggestions);
    }
    if (event.type === 'error' && event.fatal === false)
      this.emit(
        'error',
        new ExperienceError('RUNTIME', String(event.message), { fatal: false, details: event.code }),
      );
    this.emit('runtimeEvent', event);
  }
}

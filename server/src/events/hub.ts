import type { ServerResponse } from 'node:http';
import type { Status } from '@session-launch/contract/session';
import type { Actor } from '../audit/actor.ts';
import { ApiError, unavailable } from '../primitives/errors.ts';
import type { Change, Changes } from '../store/changes.ts';
import type { Database, Statement } from '../store/database.ts';
import { areSignedIn } from './sign-in-check.ts';
import { EventStream } from './stream.ts';

/** Maximum open streams of a process. */
const maxStreams = 24;
/** Maximum open streams of one login or one token. A browser opens one for all of its tabs. */
const maxOfCaller = 4;
const heartbeatMs = 15_000;
const tallyMs = 10_000;
/** Milliseconds between two checks that the operators of open streams are still signed in. */
const signInCheckMs = 4_000;
/** Events of sessions are collected for this many milliseconds; a session has one event in that time. */
const collectMs = 1_000;
/** Maximum sessions with an event in that time. Further ones are dropped. */
const maxSessions = 200;

export const findProjects: Statement = {
  name: 'projects_of_sessions',
  text: 'SELECT id, project_id AS "projectId" FROM sessions WHERE id = ANY ($1)',
};

interface SessionEvent {
  status: Status;
  projectId: string | undefined;
}

export interface EventHubDeps {
  database: Database;
  changes: Changes;
}

/**
 * The streams of events that consoles have open on this process. Without an open stream it does nothing.
 *
 * Changes come from every process, through the change notifications. Events of sessions come from the process that changed the session:
 * a notification for each of them would cost every mint. A session that an operator ends is a change, so every process reports it.
 */
export class EventHub {
  readonly #deps: EventHubDeps;
  readonly #streams = new Set<EventStream>();
  readonly #sessions = new Map<string, SessionEvent>();
  #timers: NodeJS.Timeout[] = [];
  #collecting: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: EventHubDeps) {
    this.#deps = deps;
    deps.changes.onChange((change) => this.#onChange(change));
  }

  /**
   * Throws 503 if this operator can open no stream. Otherwise returns the stream that has to end for it, if all are open. Call it before the
   * response has begun.
   */
  streamToReplace(actor: Actor): EventStream | undefined {
    if (this.#isClosed) throw unavailable(undefined, { headers: { 'Retry-After': '5' } });
    const streams = [...this.#streams];
    const isOfCaller = ({ operatorId, login }: Actor) =>
      operatorId === actor.operatorId && login?.loginId === actor.login?.loginId;
    const isRefused =
      streams.filter((stream) => isOfCaller(stream.actor)).length >= maxOfCaller ||
      (streams.length >= maxStreams && replaceable(streams, actor) === undefined);
    if (isRefused) throw new ApiError('TOO_MANY_STREAMS', { headers: { 'Retry-After': '15' } });
    return streams.length < maxStreams ? undefined : replaceable(streams, actor);
  }

  /** Ends a stream before its client disconnects, so that another one can take its place. */
  end(stream: EventStream): void {
    this.#remove(stream);
    stream.end();
  }

  /** Writes events to a response whose head has been sent, until either side ends it. */
  open(actor: Actor, response: ServerResponse): void {
    // The client may have disconnected during the authentication, before the listener below was added.
    if (response.destroyed) return;
    const stream = new EventStream(actor, response);
    response.on('close', () => this.#remove(stream));
    this.#streams.add(stream);
    if (this.#streams.size === 1) this.#start();
    stream.begin();
  }

  /** Reports that this process has changed the status of a session. */
  readonly onStatus = (sessionId: string, status: Status, projectId?: string): void => {
    if (this.#streams.size === 0) return;
    if (this.#sessions.size >= maxSessions && !this.#sessions.has(sessionId)) return;
    this.#sessions.set(sessionId, { status, projectId });
    this.#collecting ??= setTimeout(() => void this.#sendSessions(), collectMs).unref();
  };

  /** Ends all streams and accepts no more. */
  close(): void {
    this.#isClosed = true;
    this.#endAll();
  }

  #onChange(change: Change | undefined): void {
    // Changes may have been missed: clients reconnect and read the state anew.
    if (change === undefined) {
      this.#endAll();
      return;
    }
    for (const stream of [...this.#streams]) {
      // The client reconnects, if it still may, with its new rights.
      if (stream.isAbout(change)) stream.end();
      else if (change.kind !== 'session' && stream.seesChange(change)) stream.send('change', change);
    }
    if (change.kind === 'session') this.onStatus(change.id, 'ended', change.projectId);
  }

  async #sendSessions(): Promise<void> {
    this.#collecting = undefined;
    const events = new Map(this.#sessions);
    this.#sessions.clear();
    if ([...this.#streams].some(({ actor }) => actor.projectIds !== null)) await this.#addProjects(events);
    for (const [sessionId, { status, projectId }] of events) {
      for (const stream of this.#streams) {
        if (stream.actor.projectIds === null || (projectId !== undefined && stream.seesProject(projectId)))
          stream.send('session', { sessionId, status });
      }
    }
  }

  /** The reports of runtimes do not name the project of a session. It matters only to operators limited to projects. */
  async #addProjects(events: Map<string, SessionEvent>): Promise<void> {
    const ids = [...events].flatMap(([id, { projectId }]) => (projectId === undefined ? [id] : []));
    if (ids.length === 0) return;
    const query = this.#deps.database.query<{ id: string; projectId: string }>('admin', findProjects, [ids]);
    for (const { id, projectId } of await query.catch(() => [])) {
      const event = events.get(id);
      if (event !== undefined) event.projectId = projectId;
    }
  }

  #start(): void {
    const toAll = (send: (stream: EventStream) => void) => () => this.#streams.forEach(send);
    this.#timers = [
      setInterval(
        toAll((stream) => stream.beat()),
        heartbeatMs,
      ),
      setInterval(
        toAll((stream) => stream.send('tally', {})),
        tallyMs,
      ),
      setInterval(() => void this.#checkSignIns(), signInCheckMs),
    ].map((timer) => timer.unref());
  }

  async #checkSignIns(): Promise<void> {
    const streams = [...this.#streams];
    const actors = streams.map(({ actor }) => actor);
    const valid = await areSignedIn(this.#deps.database, actors).catch(() => []);
    streams.forEach((stream, n) => {
      if (!valid[n]) stream.end();
    });
  }

  #remove(stream: EventStream): void {
    if (!this.#streams.delete(stream) || this.#streams.size > 0) return;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#collecting);
    this.#collecting = undefined;
    this.#sessions.clear();
  }

  #endAll(): void {
    for (const stream of [...this.#streams]) stream.end();
  }
}

/**
 * The oldest stream of the operator who has most, if this operator would still have no more streams than that one: the client reconnects,
 * and must not end the new stream in turn. An owner who has no stream can also replace the only one of an operator who is not an owner.
 */
function replaceable(streams: readonly EventStream[], { operatorId, role }: Actor): EventStream | undefined {
  const open = new Map<string, number>();
  for (const { actor } of streams) open.set(actor.operatorId, (open.get(actor.operatorId) ?? 0) + 1);
  const own = open.get(operatorId) ?? 0;
  const most = Math.max(...open.values());
  if (most > own + 1) return streams.find(({ actor }) => open.get(actor.operatorId) === most);
  if (own > 0 || role !== 'owner') return undefined;
  return streams.find(({ actor }) => actor.role !== 'owner');
}

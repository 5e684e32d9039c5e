import type { ServerResponse } from 'node:http';
import { resources } from '@session-launch/contract/resources';
import { isPermitted } from '@session-launch/contract/roles';
import { type Actor, sees } from '../audit/actor.ts';
import type { Change } from '../store/changes.ts';

/** Maximum bytes that wait for a slow client. Beyond that the stream is cut off. */
const maxBuffered = 64 * 1024;
/** Milliseconds that the last bytes of a stream may take when it is ended. */
const endMs = 200;
/** Milliseconds after which a browser reconnects. */
const retryMs = 2_000;

/** One open stream of server-sent events. */
export class EventStream {
  readonly actor: Actor;
  readonly #response: ServerResponse;

  constructor(actor: Actor, response: ServerResponse) {
    this.actor = actor;
    this.#response = response;
  }

  begin(): void {
    this.#write(`retry: ${retryMs}\n\n`);
  }

  send(event: string, data: object): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  beat(): void {
    this.#write(': heartbeat\n\n');
  }

  /** Whether the operator may see events of this project. */
  seesProject(projectId: string | undefined): boolean {
    return projectId === undefined ? this.actor.projectIds === null : sees(this.actor, projectId);
  }

  seesChange({ kind, projectId }: Change): boolean {
    // During an upgrade, processes of the next version may announce kinds that this one does not know.
    if (!Object.hasOwn(resources, kind)) return false;
    const { scope, permission } = resources[kind];
    const isSeen = this.seesProject(scope === 'service' ? undefined : projectId);
    return isSeen && isPermitted(this.actor.role, permission);
  }

  /** Whether a change concerns the operator or the login of this stream. */
  isAbout({ kind, id }: Change): boolean {
    const { operatorId, login } = this.actor;
    return (kind === 'operator' && id === operatorId) || (kind === 'login' && id === login?.loginId);
  }

  /** Ends the stream. A client that does not read is disconnected. */
  end(): void {
    this.#response.end();
    setTimeout(() => this.#response.destroy(), endMs).unref();
  }

  #write(text: string): void {
    this.#response.write(text);
    if (this.#response.writableLength > maxBuffered) this.#response.destroy();
  }
}

import { Agent } from 'node:http';
import { send } from '@session-launch/testing/http.ts';
import { type Contestant, runtimeToken } from './contestant.ts';
import { median } from './statistics.ts';
import type { Request } from './world.ts';

export interface Launch {
  sessionId: string;
  sessionToken: string;
}

/** A simulated runtime that connects and reports sessions and does nothing else. */
export class Runtime {
  readonly sessionIds: string[] = [];
  readonly #contestant: Contestant;
  readonly #id: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(contestant: Contestant, id: string) {
    this.#contestant = contestant;
    this.#id = id;
  }

  async connect({ sessionId, sessionToken }: Launch): Promise<void> {
    await this.#call(`/runtime/v1/sessions/${sessionId}/connect`, { sessionToken, runtimeId: this.#id });
    this.sessionIds.push(sessionId);
  }

  /** Reports sessions as running or, with `ended`, as ended. */
  async report(sessionIds: readonly string[], ended?: string): Promise<void> {
    const sessions = sessionIds.map((sessionId) => ({
      sessionId,
      seconds: 86_400,
      ...(ended === undefined ? {} : { ended }),
    }));
    await this.#call('/runtime/v1/reports', { runtimeId: this.#id, sessions });
  }

  close(): void {
    this.#agent.destroy();
  }

  async #call(path: string, body: object): Promise<void> {
    const headers = { Authorization: `Bearer ${runtimeToken}` };
    const { adminUrl } = this.#contestant;
    const answer = await send(adminUrl, { method: 'POST', path, headers, body, agent: this.#agent });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  }
}

/** Mints `count` sessions, eight at a time. */
export async function mintMany(request: Request, count: number): Promise<Launch[]> {
  const launches: Launch[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const { pathname, origin } = new URL(request.url);
  const mint = async () => {
    const answer = await send(origin, { ...request, path: pathname, agent });
    if (answer.status !== request.status) throw new Error(`a mint: ${answer.status} ${answer.text}`);
    launches.push(answer.json.launch);
  };
  for (let left = count; left > 0; left -= 8)
    await Promise.all(Array.from({ length: Math.min(left, 8) }, mint));
  agent.destroy();
  return launches;
}

/** Median duration in milliseconds of calls that run one after the other. */
export async function medianMs(things: readonly (() => Promise<void>)[]): Promise<number> {
  const times: number[] = [];
  for (const thing of things) {
    const began = performance.now();
    await thing();
    times.push(performance.now() - began);
  }
  return median(times);
}

import { type Tool, toolBounds } from '@session-launch/contract/project-file/tools';
import type { ToolCallResult } from '@session-launch/contract/runtime/lifecycle';
import type { UnnumberedEvent } from '@session-launch/contract/runtime/protocol';
import type { ToolResult, Tools, ToolTurn } from '../mind/mind.ts';

export interface SessionToolsDeps {
  tools: readonly Tool[];
  /** Has the service call a tool. Rejects if it cannot. */
  call(name: string, values: Record<string, unknown>): Promise<ToolCallResult>;
  /** Sends an event to the client. */
  send(event: UnnumberedEvent): void;
}

const { callsPerTurn } = toolBounds;
const refused = (output: string): ToolResult => ({ isDone: false, output });

/** The tools of a session. Tells the client about calls, without their arguments. */
export class SessionTools implements Tools {
  readonly list: readonly Tool[];
  readonly #deps: SessionToolsDeps;

  constructor(deps: SessionToolsDeps) {
    this.list = deps.tools;
    this.#deps = deps;
  }

  turn(): ToolTurn {
    let calls = 0;
    return {
      get isSpent() {
        return calls >= callsPerTurn;
      },
      call: async (name, values) => {
        if (calls >= callsPerTurn)
          return refused(`This call was not made: at most ${callsPerTurn} are possible before you answer.`);
        calls++;
        return this.#call(name, values);
      },
    };
  }

  async #call(name: string, values: unknown): Promise<ToolResult> {
    // The name may be invented, so it is not sent to the client before it is known.
    if (!this.list.some((tool) => tool.name === name)) return refused('There is no such tool.');
    if (!isObject(values)) return refused('The arguments are not valid: they must be a JSON object.');
    const { call, send } = this.#deps;
    send({ type: 'tool', name, status: 'running' });
    const result = await call(name, values).catch(
      (): ToolCallResult => ({ outcome: 'network', output: 'The tool cannot be called at the moment.' }),
    );
    const isDone = result.outcome === 'done';
    send({ type: 'tool', name, status: isDone ? 'done' : 'failed' });
    return { isDone, output: result.output };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

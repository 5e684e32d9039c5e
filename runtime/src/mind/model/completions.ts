import { randomUUID } from 'node:crypto';
import type { Tool } from '@session-launch/contract/project-file/mind';
import { createParser } from 'eventsource-parser';
import { EngineError, parsed, post, type RemoteEngine, readJson } from '../../endpoint.ts';
import { unlessAborted } from '../../timeout.ts';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  /** Of the model: the calls that it asks for. */
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  /** Of a tool: the call to which this is the response. */
  tool_call_id?: string;
}

/** A call of a tool that the model asks for. */
export interface RequestedCall {
  id: string;
  name: string;
  /** JSON, as the model has written it. */
  arguments: string;
}

/** The tools that a model may call. */
export interface OfferedTools {
  list: readonly Tool[];
  /** Whether the model must answer without calling one. */
  isSpent: boolean;
}

interface WrittenCall {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: string };
}

interface Completion {
  choices?: {
    delta?: { content?: string | null; tool_calls?: WrittenCall[] };
    message?: { content?: string | null; tool_calls?: WrittenCall[] };
    finish_reason?: string | null;
  }[];
  error?: { message?: string };
}

export const emptyAnswer = () => new EngineError(0, 'the answer of the model is empty');

/** Streams the output of a model; returns the calls that it asks for. Throws if the stream ends before the model has finished. */
export async function* complete(
  { endpoint, model }: RemoteEngine,
  messages: ChatMessage[],
  signal: AbortSignal,
  tools?: OfferedTools,
): AsyncGenerator<string, RequestedCall[]> {
  const body = JSON.stringify({ model, messages, stream: true, ...offered(tools) });
  const response = await post(endpoint, '/chat/completions', body, signal);
  if (!response.headers.get('content-type')?.includes('text/event-stream')) {
    const whole = (await readJson(response, signal)) as Completion;
    const { content: text, tool_calls: written = [] } = whole.choices?.[0]?.message ?? {};
    if (typeof text !== 'string' && written.length === 0)
      throw new EngineError(response.status, 'the response of the model has no text');
    if (typeof text === 'string') yield text;
    const calls = new Calls();
    calls.add(written);
    return calls.all;
  }
  return yield* streamed(response, signal);
}

function offered(tools: OfferedTools | undefined): object {
  if (tools === undefined) return {};
  return {
    tools: tools.list.map((tool) => ({ type: 'function', function: functionOf(tool) })),
    ...(tools.isSpent ? { tool_choice: 'none' } : {}),
  };
}

/** A tool as models of OpenAI-compatible APIs expect it. */
export function functionOf({ name, description, parameters }: Tool) {
  return { name, description, parameters: parameters ?? { type: 'object', properties: {} } };
}

/** Calls whose parts arrive one after the other. */
class Calls {
  readonly #byIndex = new Map<number, RequestedCall>();

  add(parts: readonly WrittenCall[]): void {
    for (const { index, id, function: written } of parts) {
      // Some servers send each call whole and without an index: then a part with a name begins another call.
      const isNext = index === undefined && written?.name !== undefined;
      const at = index ?? (isNext ? this.#byIndex.size : Math.max(0, this.#byIndex.size - 1));
      const call = this.#byIndex.get(at) ?? { id: '', name: '', arguments: '' };
      this.#byIndex.set(at, call);
      call.id ||= id || `call_${randomUUID()}`;
      call.name ||= written?.name ?? '';
      call.arguments += written?.arguments ?? '';
    }
  }

  get all(): RequestedCall[] {
    return [...this.#byIndex.values()].filter(({ name }) => name !== '');
  }
}

async function* streamed(response: Response, signal: AbortSignal): AsyncGenerator<string, RequestedCall[]> {
  const calls = new Calls();
  let texts: string[] = [];
  let isDone = false;
  let failure: string | undefined;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') {
        isDone = true;
        return;
      }
      const { choices, error } = parsed(data, response.status) as Completion;
      if (error !== undefined) failure = error.message ?? '';
      const [choice] = choices ?? [];
      if (choice?.delta?.content) texts.push(choice.delta.content);
      if (choice?.delta?.tool_calls) calls.add(choice.delta.tool_calls);
      if (choice?.finish_reason) isDone = true;
    },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await unlessAborted(reader.read(), signal);
      if (value !== undefined) parser.feed(value);
      const ready = texts;
      texts = [];
      yield* ready;
      if (failure !== undefined) throw new EngineError(response.status, 'the model stopped early', failure);
      if (done || isDone) break;
    }
  } finally {
    // Cancels the request unless the stream has ended.
    await reader.cancel().catch(() => {});
  }
  if (!isDone) throw new EngineError(response.status, 'the stream of the model was cut off');
  return calls.all;
}

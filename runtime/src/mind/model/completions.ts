import { createParser } from 'eventsource-parser';
import { EngineError, parsed, post, type RemoteEngine, readJson } from '../../endpoint.ts';
import { unlessAborted } from '../../timeout.ts';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

interface Completion {
  choices?: {
    delta?: { content?: string | null };
    message?: { content?: string };
    finish_reason?: string | null;
  }[];
  error?: { message?: string };
}

export const emptyAnswer = () => new EngineError(0, 'the answer of the model is empty');

/** Streams the output of a model. Throws if the stream ends before the model has finished. */
export async function* complete(
  { endpoint, model }: RemoteEngine,
  messages: ChatMessage[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const body = JSON.stringify({ model, messages, stream: true });
  const response = await post(endpoint, '/chat/completions', body, signal);
  if (!response.headers.get('content-type')?.includes('text/event-stream')) {
    const whole = (await readJson(response, signal)) as Completion;
    const text = whole.choices?.[0]?.message?.content;
    if (typeof text !== 'string')
      throw new EngineError(response.status, 'the response of the model has no text');
    yield text;
    return;
  }
  yield* streamed(response, signal);
}

async function* streamed(response: Response, signal: AbortSignal): AsyncGenerator<string> {
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
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeWav } from '@session-launch/process/wav';

/** How the server handles the next request; normally unless a test sets it. */
export type Behaviour =
  | { kind: 'well' }
  | { kind: 'slow'; pieceMs: number }
  | { kind: 'silent' }
  | { kind: 'cut'; after: number }
  | { kind: 'wrong' }
  | { kind: 'whole' }
  /** Asks for calls of tools after the text: in pieces, whole in one piece without an index as Ollama does, or not streamed. */
  | {
      kind: 'calls';
      calls: [name: string, written: string][];
      as?: 'pieces' | 'parts' | 'whole';
      text?: string;
    }
  | { kind: 'status'; status: number; retryAfter?: string };

export interface OpenAiServer {
  url: string;
  /** A queue: one entry is removed for each request. */
  readonly next: Behaviour[];
  /** The text that the model returns. */
  text: string;
  /** Received requests in order. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests freely
  readonly requests: { path: string; authorization: string | undefined; body: any }[];
  /** Number of requests whose client disconnected before the end. */
  aborted: number;
  close(): Promise<void>;
}

/** Implements the OpenAI API over HTTP: streamed chat completions, speech, transcriptions. */
export async function startOpenAiServer(): Promise<OpenAiServer> {
  const server = createServer(async (request, response) => {
    const bytes = await bodyOf(request);
    const isJson = request.headers['content-type']?.includes('json');
    const path = request.url ?? '';
    const body = isJson ? JSON.parse(bytes.toString()) : bytes.toString('latin1');
    state.requests.push({ path, authorization: request.headers.authorization, body });
    response.on('close', () => {
      if (!response.writableFinished) state.aborted++;
    });
    const behaviour = state.next.shift() ?? { kind: 'well' };
    if (behaviour.kind === 'silent') return;
    if (behaviour.kind === 'status') {
      const retry = behaviour.retryAfter === undefined ? {} : { 'Retry-After': behaviour.retryAfter };
      response.writeHead(behaviour.status, { 'Content-Type': 'application/json', ...retry });
      response.end(JSON.stringify({ error: { message: 'no' } }));
    } else if (path === '/v1/chat/completions') {
      if (behaviour.kind === 'calls') callTools(response, behaviour);
      else await complete(response, state.text, behaviour);
    } else if (path === '/v1/audio/speech') speak(response, body.input, behaviour);
    else if (path === '/v1/audio/transcriptions') {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const answer = behaviour.kind === 'wrong' ? '{"words":[]}' : JSON.stringify({ text: state.text });
      end(response, Buffer.from(answer), behaviour);
    } else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const state: OpenAiServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    next: [],
    text: 'Good morning. How are you?',
    requests: [],
    aborted: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return state;
}

async function complete(response: ServerResponse, text: string, behaviour: Behaviour): Promise<void> {
  if (behaviour.kind === 'whole') {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: text } }] }));
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const send = (choice: object) => response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  if (behaviour.kind === 'wrong') {
    response.end('data: {"this is not\n\n');
    return;
  }
  send({ delta: { role: 'assistant', content: '' }, finish_reason: null });
  const pieces = text.match(/.{1,4}/gsu) ?? [];
  for (const [index, content] of pieces.entries()) {
    if (behaviour.kind === 'cut' && index >= behaviour.after) {
      // Flushes the bytes written so far before the connection is destroyed.
      response.write(':\n\n', () => response.destroy());
      return;
    }
    send({ delta: { content }, finish_reason: null });
    if (behaviour.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, behaviour.pieceMs));
    if (response.destroyed) return;
  }
  send({ delta: {}, finish_reason: 'stop' });
  response.end('data: [DONE]\n\n');
}

function callTools(
  response: ServerResponse,
  { calls, as = 'pieces', text = '' }: Extract<Behaviour, { kind: 'calls' }>,
): void {
  const whole = calls.map(([name, written], n) => ({
    ...{ id: `call_${n}`, type: 'function' },
    function: { name, arguments: written },
  }));
  if (as === 'whole') {
    const message = { role: 'assistant', content: text || null, tool_calls: whole };
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] }));
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const send = (choice: object) => response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  if (text !== '') send({ delta: { content: text } });
  if (as === 'parts') send({ delta: { tool_calls: whole } });
  else
    for (const [index, { id, function: written }] of whole.entries()) {
      send({ delta: { tool_calls: [{ index, id, function: { name: written.name, arguments: '' } }] } });
      for (const part of written.arguments.match(/.{1,5}/gs) ?? [])
        send({ delta: { tool_calls: [{ index, function: { arguments: part } }] } });
    }
  send({ delta: {}, finish_reason: as === 'parts' ? 'stop' : 'tool_calls' });
  response.end('data: [DONE]\n\n');
}

/** Sends a tone as long as the text, surrounded by silence, at a sample rate that differs from the runtime's. */
function speak(response: ServerResponse, text: string, behaviour: Behaviour): void {
  response.writeHead(200, { 'Content-Type': 'audio/wav' });
  if (behaviour.kind === 'wrong') {
    response.end('this is no sound');
    return;
  }
  const sampleRate = 22_050;
  const silent = sampleRate / 10;
  const loud = Math.round((text.length / 15) * sampleRate);
  const samples = Int16Array.from({ length: silent + loud + silent }, (_, i) =>
    i < silent || i >= silent + loud ? 0 : Math.round(Math.sin(i / 20) * 12_000),
  );
  end(response, Buffer.from(writeWav({ sampleRate, samples })), behaviour);
}

/** Sends the whole response or, before it destroys the connection, a part of it; immediately or after a delay. */
function end(response: ServerResponse, answer: Buffer, behaviour: Behaviour): void {
  if (behaviour.kind === 'cut')
    response.write(answer.subarray(0, answer.length / 2), () => response.destroy());
  else if (behaviour.kind === 'slow') setTimeout(() => response.end(answer), behaviour.pieceMs);
  else response.end(answer);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

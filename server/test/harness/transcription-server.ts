import { createServer } from 'node:http';
import { listen } from '@session-launch/testing/listen.ts';

export interface TranscriptionServer {
  /** The base URL of its OpenAI-compatible API. */
  url: string;
  /** Seconds of audio of each request, from the length of its body: 16-bit mono at 16 kHz. */
  readonly heard: number[];
  close(): Promise<void>;
}

/** Answers each transcription request with the same text. */
export async function startTranscriptionServer(text: string): Promise<TranscriptionServer> {
  const heard: number[] = [];
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      heard.push(bytes / 32_000);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ text }));
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    heard,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { createServer, type ServerResponse } from 'node:http';
import { listen } from '@session-launch/testing/listen.ts';
import { Webhook } from 'standardwebhooks';

/** A request that a tool has received. */
export interface ReceivedCall {
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  body: any;
}

export interface ToolServer {
  url: string;
  readonly calls: ReceivedCall[];
  /** Answers the next calls. */
  answer: (response: ServerResponse, call: ReceivedCall) => void;
  /** Whether a secret verifies a call, as the npm package `standardwebhooks` says. */
  verifies(secret: string, call: ReceivedCall): boolean;
  close(): Promise<void>;
}

/** A tool on a loopback address. */
export async function startToolServer(): Promise<ToolServer> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const call = { headers: request.headers as Record<string, string>, text, body: JSON.parse(text) };
    tool.calls.push(call);
    tool.answer(response, call);
  });
  const port = await listen(server);
  const tool: ToolServer = {
    url: `http://127.0.0.1:${port}/tools/book`,
    calls: [],
    answer: (response) => response.end('{"ok":true}'),
    verifies: (secret, { text, headers }) => {
      try {
        new Webhook(secret).verify(text, headers);
        return true;
      } catch {
        return false;
      }
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return tool;
}

import { type IncomingMessage, request } from 'node:http';
import { adminToken } from '@session-launch/testing/target.ts';

export interface ReceivedEvent {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  data: any;
}

export interface OpenStream {
  status: number;
  headers: IncomingMessage['headers'];
  /** Everything that was received. */
  text(): string;
  events(): ReceivedEvent[];
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  close(): void;
}

/** Opens the event stream of an admin listener. Resolves when the head of the response has arrived. */
export function openEvents(adminUrl: string, token = adminToken): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL('/admin/events', adminUrl), {
      headers: { Authorization: `Bearer ${token}` },
      agent: false,
    });
    asked.on('error', reject);
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', () => undefined);
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => text,
        events: () => eventsIn(text),
        ended: new Promise((done) => response.once('close', done)),
        close: () => asked.destroy(),
      });
    });
    asked.end();
  });
}

function eventsIn(text: string): ReceivedEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    return event === undefined || data === undefined ? [] : [{ event, data: JSON.parse(data) }];
  });
}

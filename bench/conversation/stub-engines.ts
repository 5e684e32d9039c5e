import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeWav } from '../../process/src/wav.ts';

/**
 * Mind and speech engines without latency, over the real protocol and in a separate process, so that only the runtime's time is measured.
 * Each answer has eight sentences of five seconds, out of `different` distinct ones.
 */
const different = 50;
const sentences = 8;
const sampleRate = 24_000;
const seconds = 5;
const sound = tone();
let answered = 0;

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => (request.url === '/v1/audio/speech' ? speak(response) : think(response)));
});

function think(response: ServerResponse): void {
  const text = Array.from({ length: sentences }, () => `This is sentence ${++answered % different} of all.`);
  const event = (choice: object) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.end(
    `${text.map((one) => event({ delta: { content: `${one} ` } })).join('')}${event({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`,
  );
}

function speak(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'audio/wav' }).end(sound);
}

function tone(): Buffer {
  const samples = Int16Array.from({ length: seconds * sampleRate }, (_, i) => Math.sin(i / 20) * 9000);
  return writeWav({ sampleRate, samples });
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`);
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));

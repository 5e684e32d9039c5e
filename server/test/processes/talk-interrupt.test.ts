import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { program, shortLived, temporaryFolder } from '@session-launch/testing/process.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';

/** A service that launches into a fake runtime in this file, which each test configures. */
let server: Server;
let upgrade: 'take' | 'ignore';
let onMessage: (socket: WebSocket, message: { type: string }) => void;
let received: string[];
let arrived: Promise<unknown>;

beforeEach(async () => {
  received = [];
  upgrade = 'take';
  const sockets = new WebSocketServer({ noServer: true });
  server = createServer((_request, response) => {
    const url = `ws://127.0.0.1:${port()}/runtime`;
    const launch = { sessionToken: 'token', transport: { type: 'websocket', url }, characters: [] };
    response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ launch }));
  });
  arrived = once(server, 'upgrade');
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {});
    if (upgrade === 'ignore') return;
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.on('message', (data) => {
        const message = JSON.parse(data.toString());
        received.push(message.type);
        onMessage(client, message);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
});

const port = () => (server.address() as AddressInfo).port;
const send = (socket: WebSocket, event: object) => socket.send(JSON.stringify(event));
const ready = {
  type: 'ready',
  sessionId: 'ses_1',
  engines: { mind: { name: 'm' }, speech: { kind: 'server', name: 's' }, hearing: { kind: 'none' } },
  audio: { output: { sampleRate: 16_000 } },
};

function talk(...args: string[]) {
  const child = spawn(
    process.execPath,
    [...shortLived, program, 'talk', 'exp_a', '--url', `http://127.0.0.1:${port()}`, '--key', 'k', ...args],
    { env: { PATH: process.env.PATH, HOME: process.env.HOME }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const exited = once(child, 'exit');
  return {
    exited,
    stderr: () => stderr,
    shows: (text: string) => expect.poll(() => output).toContain(text),
    /** Sends SIGINT and returns how the process ended. */
    interrupt: async () => {
      const began = performance.now();
      child.kill('SIGINT');
      const [code, signal] = await exited;
      expectWithin(performance.now() - began, 3000);
      return { code, signal };
    },
  };
}

/** Ends the session on `bye`, as a runtime does. */
function endOnBye(socket: WebSocket, { type }: { type: string }): void {
  if (type === 'bye') socket.close(1000);
}

test('Ctrl-C while the character thinks ends the session and exits with 130', async () => {
  onMessage = (socket, message) => {
    if (message.type === 'hello') for (const event of [ready, mode('thinking')]) send(socket, event);
    endOnBye(socket, message);
  };
  const running = talk('--text', 'Hello');
  await running.shows('[thinking]');
  expect(await running.interrupt()).toEqual({ code: 130, signal: null });
  await expect.poll(() => received).toEqual(['hello', 'bye']);
  expect(running.stderr()).toBe('');
});

test('Ctrl-C at the input prompt ends the session, writes the WAV file and exits with 130', async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const out = join(folder.path, 'said.wav');
  onMessage = (socket, message) => {
    if (message.type === 'hello') for (const event of [ready, mode('listening')]) send(socket, event);
    endOnBye(socket, message);
  };
  const running = talk('--out', out);
  await running.shows('[listening]');
  expect(await running.interrupt()).toEqual({ code: 130, signal: null });
  await expect.poll(() => received).toEqual(['hello', 'bye']);
  expect((await readFile(out)).toString('latin1', 0, 4)).toBe('RIFF');
});

test('Ctrl-C exits with 130 even if the runtime does not confirm the end', async () => {
  onMessage = (socket, { type }) => {
    if (type === 'hello') for (const event of [ready, mode('thinking')]) send(socket, event);
  };
  const running = talk('--text', 'Hello');
  await running.shows('[thinking]');
  expect(await running.interrupt()).toEqual({ code: 130, signal: null });
  await expect.poll(() => received).toEqual(['hello', 'bye']);
});

test('Ctrl-C exits with 130 before the runtime has accepted the connection', async () => {
  upgrade = 'ignore';
  const running = talk('--text', 'Hello');
  await arrived;
  expect(await running.interrupt()).toEqual({ code: 130, signal: null });
});

test('a runtime that ends the session during a question is a failure, not an interrupt', async () => {
  onMessage = (socket, { type }) => {
    if (type !== 'hello') return;
    send(socket, ready);
    socket.close(4400, 'bad');
  };
  const running = talk('--text', 'Hello');
  await expect.poll(running.stderr).toContain('the runtime closed the connection: 4400');
  expect(await running.exited).toEqual([1, null]);
});

const mode = (mode: string) => ({ type: 'mode', mode });

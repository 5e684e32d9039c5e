import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { send } from '@session-launch/testing/http.ts';
import { mintFromBrowser } from '@session-launch/testing/world.ts';
import { WebSocket } from 'ws';

/**
 * An attacker that runs all attacks on a runtime concurrently, from one address. It runs in a worker thread, so that its own CPU time
 * does not delay the measured clients. The message `true` starts the attacks and `false` stops them; the reply to `false` is the number
 * of attempts by attack.
 */
interface Visitor {
  url: string;
  experienceId: string;
  /** The address in X-Forwarded-For, as a trusted proxy sends it. */
  address: string;
}

const { url, experienceId, address } = workerData as Visitor;
const headers = { 'X-Forwarded-For': address };
const runtimeUrl = `${url.replace('http', 'ws')}/runtime`;
const sockets = new Set<WebSocket>();
const attempts: Record<string, number> = {};
let isOn = false;

function open(): WebSocket {
  const ws = new WebSocket(runtimeUrl, 'session.v1', {
    headers: { ...headers, Origin: 'https://app.example.com' },
    perMessageDeflate: false,
  });
  sockets.add(ws);
  ws.on('error', () => {});
  ws.on('close', () => sockets.delete(ws));
  return ws;
}

/** Resolves with the resume ticket, or with `undefined` if the session does not begin. */
function begun(ws: WebSocket, first: object): Promise<string | undefined> {
  return new Promise((resolve) => {
    ws.on('open', () => ws.send(JSON.stringify({ type: 'hello', protocol: 1, client, ...first })));
    ws.on('close', () => resolve(undefined));
    ws.on('message', (data, isBinary) => {
      if (isBinary) return;
      const event = JSON.parse(data.toString());
      if (event.type === 'ready') resolve(event.resumeTicket);
    });
  });
}
const client = { name: 'hostile', version: '1' };

async function session(locale = 'en'): Promise<{ ws: WebSocket; ticket: string } | undefined> {
  const target = { call: (call: Parameters<typeof send>[1]) => send(url, call) };
  const answer = await mintFromBrowser(
    target as Parameters<typeof mintFromBrowser>[0],
    { experienceId, locale },
    headers,
  );
  if (answer.status !== 201) return undefined;
  const ws = open();
  const ticket = await begun(ws, { token: answer.json.launch.sessionToken });
  return ticket === undefined ? undefined : { ws, ticket };
}

let lastId = 0;
const text = (words: string, locale?: string) =>
  JSON.stringify({ type: 'text', id: `t${++lastId}`, text: words, ...(locale ? { locale } : {}) });
const isOpen = (ws: WebSocket) => isOn && ws.readyState === WebSocket.OPEN;

/** Sends the results of `make`, `perSecond` times per second, until the session ends. */
async function stream(ws: WebSocket, perSecond: number, make: () => string | Buffer): Promise<number> {
  let sent = 0;
  while (isOpen(ws)) {
    ws.send(make());
    sent++;
    await sleep(1000 / perSecond);
  }
  return sent;
}

const blanks = (count: number) => ' '.repeat(count);
const soundFrame = Buffer.alloc(8 + 16_000);
soundFrame.writeUInt8(2, 0);

/** Each attack is repeated until the attacks are stopped; it returns its number of attempts. */
const attacks: Record<string, () => Promise<number>> = {
  'texts on which patterns backtrack': async () => {
    const { ws } = (await session()) ?? {};
    if (ws === undefined) return 1;
    const attack = `${blanks(1327)}i'm A${blanks(2653)}x`;
    for (let i = 0; i < 10 && isOpen(ws); i++) ws.send(text(attack));
    return stream(ws, 1, () => text(attack));
  },
  'words of 4,000 letters': async () => {
    const { ws } = (await session()) ?? {};
    return ws === undefined ? 1 : stream(ws, 2, () => text('ferrybx'.repeat(571)));
  },
  'names that are expensive to speak': async () => {
    const { ws } = (await session()) ?? {};
    return ws === undefined ? 1 : stream(ws, 1, () => text(`my name is ${'bcdfg'.repeat(780)}`));
  },
  'made-up locales': async () => {
    const { ws } = (await session(`en-x-a${++lastId}`)) ?? {};
    return ws === undefined ? 1 : stream(ws, 2, () => text('hello', `en-x-b${lastId}`));
  },
  'sockets that never say hello': async () => {
    open();
    await sleep(33);
    return 1;
  },
  'sessions that only hold their places': async () => {
    const { ws } = (await session()) ?? {};
    if (ws !== undefined) void stream(ws, 0.5, () => JSON.stringify({ type: 'interrupt' }));
    await sleep(50);
    return 1;
  },
  'more audio than real time': async () => {
    const { ws } = (await session()) ?? {};
    return ws === undefined ? 1 : stream(ws, 90, () => soundFrame);
  },
  'resume after resume': async () => {
    let { ws, ticket } = (await session()) ?? {};
    let tries = 1;
    while (isOn && ws !== undefined && ticket !== undefined) {
      ws.send(text('hello'));
      const next = open();
      ticket = await begun(next, { resume: { ticket, lastSeq: 0 } });
      ws = next;
      tries++;
    }
    return tries;
  },
  'pings of a client that reads nothing': async () => {
    const { ws } = (await session()) ?? {};
    if (ws === undefined) return 1;
    ws.pause();
    let sent = 0;
    while (isOpen(ws)) {
      for (let i = 0; i < 20; i++) ws.ping(Buffer.alloc(125));
      sent += 20;
      await sleep(20);
    }
    return sent;
  },
  'transcripts, odd frames and texts that are no messages': async () => {
    const { ws } = (await session()) ?? {};
    if (ws === undefined) return 1;
    const odd = [
      JSON.stringify({ type: 'transcript', id: 'i', text: 'so', status: 'interim' }),
      JSON.stringify({ type: 'played', utterance: 1, ms: 1e9 }),
      JSON.stringify({ type: 'text', id: 1 }),
      JSON.stringify({ type: 'nothing', filler: 'x'.repeat(60_000) }),
      Buffer.from([1, 2, 3]),
    ];
    return stream(ws, 40, () => odd[++lastId % odd.length] as string | Buffer);
  },
};

async function repeat(kind: string, attack: () => Promise<number>): Promise<void> {
  while (isOn) {
    attempts[kind] = (attempts[kind] ?? 0) + (await attack());
    await sleep(10);
  }
}

let running: Promise<unknown> = Promise.resolve();
parentPort?.on('message', async (on: boolean) => {
  if (on) {
    isOn = true;
    running = Promise.all(Object.entries(attacks).map(([kind, attack]) => repeat(kind, attack)));
    return;
  }
  isOn = false;
  for (const ws of sockets) ws.terminate();
  await running;
  for (const ws of sockets) ws.terminate();
  parentPort?.postMessage(attempts);
});

import { readFileSync, writeFileSync } from 'node:fs';
import {
  bounds,
  clientMessages,
  closeCodes,
  runtimeErrorCodes,
  runtimeEvents,
  visemes,
} from '@session-launch/contract/runtime/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFlite } from '../../src/speech/flite/flite.ts';
import type { Speech } from '../../src/speech/speech.ts';
import { startWorld } from '../harness/world.ts';

const file = new URL('../../../docs/runtime-protocol.md', import.meta.url);
const page = () => readFileSync(file, 'utf8');
const block = /(?<=<!-- example: written by npm run docs -w runtime -->\n\n```\n).*?(?=\n```)/s;

let flite: Speech;
beforeAll(async () => {
  flite = await openFlite(1);
});
afterAll(() => flite.close());

/** Replaces values that differ on each run with those of the example. */
function settled(event: Record<string, unknown>, messages: Map<string, string>): string {
  const said = { ...event };
  if ('sessionId' in said) said.sessionId = 'ses_01kb2x7m9defgt4zq8s6w3n5vh';
  if ('resumeTicket' in said) said.resumeTicket = 'rt_7f3a.Zm9yIHRoZSBuZXh0IHRpbWU';
  for (const name of ['id', 'messageId']) {
    const id = said[name];
    if (typeof id !== 'string' || !id.startsWith('msg_')) continue;
    if (!messages.has(id)) messages.set(id, `msg_${messages.size + 1}`);
    said[name] = messages.get(id);
  }
  if (said.type === 'metrics') Object.assign(said, { mindMs: 1, speechMs: 48, totalMs: 49 });
  if (said.type === 'ended') said.seconds = 6;
  return JSON.stringify(said);
}

/** Runs the conversation of the example and returns its transcript. */
async function example(): Promise<string> {
  const world = await startWorld({ engines: { speech: flite } });
  const { token } = world.service.mint({
    mind: {
      greeting: { en: 'Ahoy!' },
      topics: [{ id: 'ferries', ask: { en: 'When do the ferries leave?' }, tell: { en: 'At noon.' } }],
    },
    limits: { maxSeconds: 900, idleSeconds: 120 },
  });
  const client = await world.client();
  const messages = new Map<string, string>();
  const lines: string[] = [];
  let told = 0;
  /** Appends the received messages up to a matching event. */
  const write = async (until: (event: Record<string, unknown>) => boolean) => {
    for (;;) {
      const event = client.events[told] as unknown as Record<string, unknown> | undefined;
      if (event === undefined) {
        await client
          .event(client.events.at(-1)?.type ?? 'ready', () => client.events.length > told)
          .catch(() => {});
        continue;
      }
      if (event.type === 'utterance.end') {
        const frames = client.frames.filter((frame) => frame.readUInt16LE(2) === event.utterance);
        lines.push(
          `← (${frames.length} binary frames: utterance ${event.utterance}, ${event.durationMs} ms)`,
        );
      }
      lines.push(`← ${settled(event, messages)}`);
      told++;
      if (until(event)) return;
    }
  };
  const send = (message: Record<string, unknown>) => {
    client.send(message);
    lines.push(`→ ${JSON.stringify(message).replace(token, 'eyJhbGciOiJFZERTQSJ9.…')}`);
  };
  send({ type: 'hello', protocol: 1, token, client: { name: 'example', version: '1.0.0' } });
  await write(({ type }) => type === 'suggestions');
  send({ type: 'text', id: 'q1', text: 'When do the ferries leave?' });
  await write(({ type, mode }) => type === 'mode' && mode === 'listening');
  send({ type: 'bye' });
  await write(({ type }) => type === 'ended');
  lines.push(`← (close ${(await client.closed).code})`);
  await world.close();
  return lines.join('\n');
}

test('the worked example is what a runtime sends (UPDATE=1 rewrites it)', async () => {
  const held = await example();
  if (process.env.UPDATE === '1')
    writeFileSync(
      file,
      page().replace(block, () => held),
    );
  expect(block.exec(page())?.[0]).toBe(held);
});

test('the page names every message, event, close code, error and mouth shape', () => {
  const text = page();
  for (const name of [...Object.keys(clientMessages), ...Object.keys(runtimeEvents)])
    expect(text, name).toContain(`\`${name}\``);
  for (const code of Object.values(closeCodes))
    expect(text, String(code)).toMatch(new RegExp(`\\| ${code} `));
  for (const name of [...runtimeErrorCodes, ...visemes]) expect(text, name).toContain(`\`${name}\``);
});

/** The table row of each limit in the contract. */
const rows: Record<keyof typeof bounds, string> = {
  socketsBeforeHelloPerNetwork: `| ${bounds.socketsBeforeHelloPerNetwork} | client network |`,
  socketsBeforeHello: `\`RUNTIME_MAX_SESSIONS\` + ${bounds.socketsBeforeHello} |`,
  helloBytes: `| ${bounds.helloBytes / 1024} KiB |`,
  helloSeconds: `| ${bounds.helloSeconds} s |`,
  fairShareFromPercent: `once ${bounds.fairShareFromPercent} % of all are taken |`,
  networkPercent: `| ${bounds.networkPercent} % of them |`,
  serverEndpointPercent: `| ${bounds.serverEndpointPercent} % of them, rounded down |`,
  frameBytes: `| ${bounds.frameBytes / 1024} KiB |`,
  fragmentsPerMessage: `| ${bounds.fragmentsPerMessage} |`,
  framesPerSecond: `| ${bounds.framesPerSecond} a second;`,
  frameCredit: `of unused frames at most ${bounds.frameCredit} are kept`,
  textsPerTenSeconds: `sound | ${bounds.textsPerTenSeconds} in 10 s |`,
  textCharacters: `| ${bounds.textCharacters} characters |`,
  soundFrameMs: `| ${bounds.soundFrameMs} ms |`,
  soundAheadMs: `| real time + ${bounds.soundAheadMs / 1000} s;`,
  soundCreditMs: `at most ${bounds.soundCreditMs / 1000} s are kept`,
  resumesPerTenSeconds: `Resumes | ${bounds.resumesPerTenSeconds} in 10 s |`,
  unsentBytes: `| ${bounds.unsentBytes / 1024 / 1024} MiB |`,
  firstWordsSeconds: `until the first words at most ${bounds.firstWordsSeconds} s |`,
  aheadMs: `| ${bounds.aheadMs / 1000} s |`,
  heartbeatSeconds: `| ${bounds.heartbeatSeconds} s |`,
  replayedEvents: `| ${bounds.replayedEvents} |`,
};

test.each(Object.entries(rows))('the table of bounds has the value of %s', (_, row) => {
  const [table] = /(?<=^## Bounds\n).*?(?=^## )/ms.exec(page())!;
  expect(table).toContain(row);
});

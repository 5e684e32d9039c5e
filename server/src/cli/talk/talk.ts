import { access, constants, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { audioFrame } from '@session-launch/contract/runtime/protocol';
import { readWav, resampled, writeWav } from '@session-launch/process/wav';
import type { Command } from 'commander';
import type { AdminClient } from '../client/admin-client.ts';
import type { Context } from '../client/context.ts';
import { CliFailure, Interrupted } from '../terminal/failure.ts';
import { checkId } from '../terminal/ids.ts';
import { type Io, write } from '../terminal/io.ts';
import type { Caller, Launch } from './caller.ts';
import { transcript } from './transcript.ts';

interface TalkOptions {
  project: string;
  key?: string;
  url?: string;
  locale?: string;
  secondaryLocale?: string;
  text?: string[];
  wav?: string;
  out?: string;
  json?: true;
}

/** Lifetime in minutes of the temporary key, in case the process crashes before revoking it. */
const keyMinutes = 10;

export function addTalk(program: Command, { io, admin }: Context): void {
  program
    .command('talk')
    .description('launch an experience and talk to its character: a conversation, or a probe')
    .argument('<experienceId>')
    .option('--project <id>', 'project of the experience', 'prj_demo')
    .option('--key <key>', 'API key to mint with; by default one is created that expires in ten minutes')
    .option('--url <address>', 'public address of the service; by default read from the admin API')
    .option('--locale <tag>', 'language to talk in')
    .option('--secondary-locale <tag>', 'language to learn, in dual experiences')
    .option(
      '--text <text>',
      'text to say; repeat the option for several',
      (text: string, before: string[] = []) => [...before, text],
    )
    .option('--wav <file>', 'recording to say, a WAV file of 16-bit PCM')
    .option('--out <file>', 'write the speech of the character to a WAV file')
    .option('--json', 'print every event as a line of JSON')
    .addHelpText(
      'after',
      '\nWithout --text and --wav it reads lines from standard input.\n\nExample:\n  session-launch talk exp_harbor_guide --text "Hello, who are you?" --out hello.wav',
    )
    .action(async (experienceId: string, options: TalkOptions) => {
      checkId('exp', experienceId);
      const sound = options.wav === undefined ? undefined : await recording(io, options.wav);
      if (options.out !== undefined) await requireWritable(io, options.out);
      const launch = await mint(io, admin, experienceId, options);
      await converse(io, launch, options, sound);
    });
}

async function recording(io: Io, file: string): Promise<Int16Array> {
  const bytes = await readFile(resolve(io.cwd, file)).catch((cause) => {
    throw new CliFailure(`cannot read ${file}: ${(cause as Error).message}`, { cause });
  });
  const sound = readWav(bytes);
  if (sound === undefined) throw new CliFailure(`${file} is not a WAV file of 16-bit PCM`);
  return resampled(sound, audioFrame.inputSampleRate);
}

/** Checks the folder of a file that is written only after the conversation. */
async function requireWritable(io: Io, file: string): Promise<void> {
  await access(dirname(resolve(io.cwd, file)), constants.W_OK).catch(notWritten(file));
}

const notWritten = (file: string) => (cause: NodeJS.ErrnoException) => {
  throw new CliFailure(`cannot write ${file}: ${cause.code}`, { cause });
};

/** Mints with the given key, else with a temporary key that is revoked afterwards. */
async function mint(
  io: Io,
  admin: () => AdminClient,
  experienceId: string,
  options: TalkOptions,
): Promise<Launch> {
  const url = options.url ?? (await admin().json('publicUrl', 'GET /admin/status')).publicUrl;
  if (options.key !== undefined) return launch(url, options.key, experienceId, options);
  const project = checkId('prj', options.project);
  const { key, keyId } = await admin().json('key', 'POST /admin/projects/{projectId}/keys', {
    params: { projectId: project },
    body: {
      mode: 'test',
      scopes: ['sessions:create'],
      name: 'session-launch talk',
      expiresAt: new Date(Date.now() + keyMinutes * 60_000).toISOString(),
    },
  });
  try {
    return await launch(url, key, experienceId, options);
  } finally {
    await admin()
      .text('POST /admin/keys/{keyId}/revoke', { params: { keyId } })
      .catch(() => io.stderr.write(`the key ${keyId} could not be revoked; it expires in ten minutes\n`));
  }
}

async function launch(url: string, key: string, experienceId: string, options: TalkOptions): Promise<Launch> {
  const { locale, secondaryLocale } = options;
  const response = await fetch(`${url.replace(/\/+$/, '')}/v1/sessions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ experienceId, locale, secondaryLocale }),
  }).catch((cause) => {
    throw new CliFailure(`cannot reach the service at ${url}`, { cause });
  });
  const answer = (await response.json().catch(() => ({}))) as {
    launch?: Launch;
    error?: { code: string; message: string };
  };
  if (answer.launch !== undefined) return answer.launch;
  throw new CliFailure(
    `the service did not launch ${experienceId}: ${answer.error?.message ?? response.status}`,
  );
}

async function converse(
  io: Io,
  launch: Launch,
  options: TalkOptions,
  sound: Int16Array | undefined,
): Promise<void> {
  // Imported lazily, so that other commands start without loading WebSockets.
  const { Caller } = await import('./caller.ts');
  const caller = new Caller(launch, transcript(io, launch.characters, options.json === true));
  const interrupt = new AbortController();
  const interrupted = new Promise<never>((_, reject) => {
    interrupt.signal.addEventListener('abort', () => reject(new Interrupted()));
  });
  // Handles one SIGINT: a second Ctrl-C ends the process immediately.
  const onSignal = () => interrupt.abort();
  process.once('SIGINT', onSignal);
  try {
    await Promise.race([talkThrough(io, caller, options, sound, interrupt.signal), interrupted]);
  } finally {
    process.off('SIGINT', onSignal);
    if (interrupt.signal.aborted) await caller.hangUp();
    if (options.out !== undefined) await save(io, caller, options.out);
  }
}

async function talkThrough(
  io: Io,
  caller: Caller,
  options: TalkOptions,
  sound: Int16Array | undefined,
  signal: AbortSignal,
): Promise<void> {
  await caller.untilListening();
  for await (const text of texts(io, options, sound !== undefined, signal)) await caller.say(text);
  if (signal.aborted) return;
  if (sound !== undefined) await caller.speak(sound);
  await caller.leave();
}

/** The texts of the options, or else the lines of standard input until it ends or the signal is aborted. */
async function* texts(
  io: Io,
  { text, json }: TalkOptions,
  hasSound: boolean,
  signal: AbortSignal,
): AsyncIterable<string> {
  if (text !== undefined || hasSound) {
    yield* text ?? [];
    return;
  }
  const isTerminal = io.stdout.isTTY === true && json === undefined;
  const lines = createInterface({ input: io.stdin, signal });
  if (isTerminal) await write(io.stdout, '> ');
  for await (const line of lines) {
    if (line.trim() !== '') yield line.trim();
    if (isTerminal) await write(io.stdout, '> ');
  }
}

async function save(io: Io, caller: Caller, file: string): Promise<void> {
  const sampleRate = caller.ready?.audio.output.sampleRate;
  if (sampleRate === undefined) return;
  const samples = caller.spoken;
  await writeFile(resolve(io.cwd, file), writeWav({ sampleRate, samples })).catch(notWritten(file));
  await write(io.stderr, `${(samples.length / sampleRate).toFixed(1)} s of speech in ${file}\n`);
}

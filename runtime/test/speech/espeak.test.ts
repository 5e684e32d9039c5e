import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSkipped } from '@session-launch/testing/programs.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkEngines } from '../../src/check.ts';
import { installedEspeak } from '../../src/engines.ts';
import { byLanguage } from '../../src/speech/by-language.ts';
import { cached } from '../../src/speech/cached.ts';
import { openEspeak, optionsFor, readable } from '../../src/speech/espeak/espeak.ts';
import { EspeakProcesses } from '../../src/speech/espeak/processes.ts';
import { installedVoices, voiceFor } from '../../src/speech/espeak/voices.ts';
import type { Speech } from '../../src/speech/speech.ts';
import { instantSpeech } from '../harness/engines.ts';
import { startWorld } from '../harness/world.ts';

const never = new AbortController().signal;
const voice = { characterId: 'a', settings: {}, pace: 1 };
const sentence = (text: string, locale: string) => ({ text, locale, voice, session: {} });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-launch-espeak-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A program that replaces eSpeak NG: it lists one voice for `--voices`, and runs `script` for each text. */
async function standIn(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  const list =
    'if [ "$1" = --voices ]; then echo "Pty Language"; echo " 5  de  --/M  German gmw/de"; exit; fi';
  await writeFile(path, `#!/bin/sh\n${list}\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe('voices', () => {
  const listed = ['de', 'en-gb', 'es', 'es-419', 'fr-be', 'fr-fr', 'pt', 'pt-br', 'ru'];
  const voices = installedVoices(
    [
      'Pty Language       Age/Gender VoiceName          File',
      ...listed.map((tag) => ` 5  ${tag}  --/M  X  y`),
    ].join('\n'),
  );

  test.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['es', 'es'],
    ['es-ES', 'es'],
    ['es-MX', 'es-419'],
    ['fr', 'fr-fr'],
    ['fr-BE', 'fr-be'],
    ['pt-BR', 'pt-br'],
    ['pt_PT', 'pt'],
    ['de-Latn-CH', 'de'],
    ['en-GB', undefined],
    ['ru', undefined],
    ['it', undefined],
    ['', undefined],
    ['--help', undefined],
  ])('the locale %s is spoken by %s', (locale, name) => {
    expect(voiceFor(locale, voices)).toBe(name);
  });

  test('voice, pitch and rate of flite select variant, pitch and speed', () => {
    const options = (flite: object, pace = 1) => optionsFor('de', { ...voice, settings: { flite }, pace });
    expect(options({})).toEqual(['-v', 'de+f2', '-s', '160', '-p', '50']);
    expect(options({ voice: 'rms', pitch: 2, rate: 2 }, 2)).toEqual(['-v', 'de+m3', '-s', '400', '-p', '99']);
    expect(options({ voice: 'awb', pitch: 0.5, rate: 0.5 }, 0.5)).toEqual([
      '-v',
      'de+m1',
      '-s',
      '80',
      '-p',
      '0',
    ]);
    const invalid = { voice: '--path=/etc', pitch: '1', rate: Number.NaN };
    expect(options(invalid)).toEqual(options({}));
  });
});

test.each([
  ['[[h@loU]] world', 'h@loU world'],
  ['\u0001\u00015P \u0013 hello\u0000\u200b', '5P hello'],
  ['<speak><audio src="/etc/passwd"/></speak>', 'speak audio src= /etc/passwd / /speak'],
  ['--version\n-f /etc/passwd', '--version -f /etc/passwd'],
  ['Hallo 🙂 Welt\ud800', 'Hallo Welt'],
  [' … 🙂 ', ''],
])('%j is read as %j', (text, said) => {
  expect(readable(text)).toBe(said);
});

describe.skipIf(isSkipped('espeak-ng'))('eSpeak NG', () => {
  let espeak: Speech;
  beforeAll(async () => {
    espeak = (await openEspeak('espeak-ng', 2))!;
  });
  afterAll(() => espeak.close());

  test.each([
    ['es', 'Los transbordadores salen a cada hora en punto.'],
    ['fr', 'Les bateaux partent toutes les heures.'],
    ['de', 'Die Fähren fahren zu jeder vollen Stunde.'],
    ['it', 'I traghetti partono ogni ora.'],
    ['pt', 'As barcas saem de hora em hora.'],
    ['nl', 'De veerboten vertrekken elk uur.'],
    ['pl', 'Promy odpływają co godzinę.'],
  ])('speaks %s, with mouth shapes and words on the timeline of the audio', async (locale, text) => {
    expect(espeak.speaks(locale)).toBe(true);
    const { audio, durationMs, cues, words, source } = await espeak.speak(sentence(text, locale), never);
    expect(source).toBe('text');
    expect(durationMs).toBe(Math.round(audio.length / 16));
    expect(durationMs).toBeGreaterThan(1200);
    expect(durationMs).toBeLessThan(5000);
    const loudness = Math.sqrt(audio.reduce((sum, sample) => sum + sample ** 2, 0) / audio.length);
    expect(loudness).toBeGreaterThan(500);
    const quiet = audio.findIndex((sample) => Math.abs(sample) > 300) / 16;
    expect(quiet).toBeLessThan(60);
    expect(words.map(([, start, end]) => text.slice(start, end))).toEqual(text.match(/\p{L}+/gu));
    expect(cues.at(-1)![1]).toBe('sil');
    expect(cues.at(-1)![0]).toBeLessThanOrEqual(durationMs);
  });

  test('speaks with the pitch and the speed of the character', async () => {
    const text = 'Die Fähren fahren zu jeder vollen Stunde.';
    const lengths = await Promise.all(
      [0.5, 1, 2].map(async (rate) => {
        const settings = { flite: { rate } };
        const spoken = await espeak.speak({ ...sentence(text, 'de'), voice: { ...voice, settings } }, never);
        return spoken.durationMs;
      }),
    );
    expect(lengths[0]).toBeGreaterThan(lengths[1]! * 1.5);
    expect(lengths[1]).toBeGreaterThan(lengths[2]! * 1.5);
  });

  test.each([
    ['SSML', '<speak><prosody rate="x-slow">Hallo</prosody><audio src="/etc/passwd"/></speak>'],
    ['options', '--version --stdout -f /etc/passwd -w /tmp/written.wav'],
    ['phonemes', '[[aI aI aI]] Hallo'],
    ['control characters', '\u0001\u00012S\u0001P Hallo \u0000\u001b[31m Welt'],
    ['a surrogate without its pair', 'Hallo \ud800 Welt'],
    ['digits', '7'.repeat(280)],
  ])('speaks hostile text as text: %s', async (_what, text) => {
    const { audio, durationMs } = await espeak.speak(sentence(text, 'de'), never);
    expect(audio.length).toBeGreaterThan(0);
    expect(durationMs).toBeLessThan(180_000);
  });

  test('a text without letters is silence', async () => {
    expect((await espeak.speak(sentence('…', 'de'), never)).audio).toEqual(new Int16Array(3200));
  });

  test('a text whose audio exceeds the limit is an error, and the next one is spoken', async () => {
    const text = 'Das ist ein langer Satz. '.repeat(20_000);
    await expect(espeak.speak(sentence(text, 'de'), never)).rejects.toThrow(
      /espeak-ng (printed too much|took too long)/,
    );
    expect((await espeak.speak(sentence('Gut.', 'de'), never)).durationMs).toBeGreaterThan(200);
  });

  test('a session in German and Spanish gets its speech from the server, and in English from the other engine', async () => {
    const speech = byLanguage([instantSpeech(), cached(espeak)]);
    const world = await startWorld({ engines: { speech } });
    onTestFinished(() => world.close());
    const mind = { greeting: { de: 'Guten Morgen.', es: 'Buenos días.', en: 'Good morning.' } };
    const client = await world.join({ mind, locale: 'de', secondaryLocale: 'es-MX', plays: true });
    const { engines } = await client.event('ready');
    expect(engines.speech).toEqual({ kind: 'server', name: 'espeak-ng' });
    expect(engines.secondarySpeech).toEqual({ kind: 'server', name: 'espeak-ng' });
    const utterance = await client.event('utterance');
    expect(utterance).toMatchObject({ text: 'Guten Morgen.', locale: 'de', speech: 'server' });
    await client.event('utterance.end');
    expect(client.frames.length).toBeGreaterThan(20);
    const english = await world.join({ mind, locale: 'en', plays: true });
    expect((await english.event('ready')).engines.speech).toEqual({ kind: 'server', name: 'instant' });
  });

  test('doctor lists the languages of each engine', async () => {
    const speech = { kind: 'flite', espeak: { program: 'espeak-ng', isNamed: false } } as const;
    const checks = await checkEngines({ mind: { kind: 'script' }, speech, hearing: { kind: 'page' } });
    expect(checks).toEqual([
      {
        engine: 'SPEECH',
        ms: expect.any(Number),
        languages: { flite: ['en'], 'espeak-ng': ['es', 'fr', 'de', 'it', 'pt', 'nl', 'pl'] },
      },
    ]);
  });
});

describe('a program that fails', () => {
  const open = async (script: string, name: string) => (await openEspeak(await standIn(name, script), 1))!;

  test.each([
    ['exits with an error', 'exit 3', 'espeak-ng ended with 3'],
    ['crashes', 'kill -SEGV $$', 'espeak-ng ended with SIGSEGV'],
    ['prints something else', 'cat', 'espeak-ng did not print a WAV file'],
  ])('%s: the sentence fails, and the next one is tried', async (what, script, message) => {
    const espeak = await open(script, what.replaceAll(' ', '-'));
    for (let n = 0; n < 2; n++)
      await expect(espeak.speak(sentence('Hallo.', 'de'), never)).rejects.toThrow(message);
    await espeak.close();
  });

  test('that hangs is ended after its deadline, and queued texts run', async () => {
    const program = await standIn(
      'hangs',
      'read -r line; [ "$line" = hang ] && sleep 600; echo said "$line"',
    );
    const processes = new EspeakProcesses(program, 1);
    const hanging = processes.run([], 'hang\n', {}, never, 100);
    const next = processes.run([], 'Hallo\n', {}, never);
    await expect(hanging).rejects.toThrow('espeak-ng took too long');
    expect((await next).toString()).toBe('said Hallo\n');
    await processes.close();
  });

  test('is ended when the sentence is cancelled; a queued sentence is never started', async () => {
    const log = join(folder, 'started');
    const program = await standIn('waits', `read -r line; echo "$line $$" >> ${log}; exec sleep 600`);
    const processes = new EspeakProcesses(program, 1);
    const stops = [new AbortController(), new AbortController(), new AbortController()];
    const runs = stops.map(({ signal }, n) => processes.run([], `${n}\n`, {}, signal));
    const started = async () => (await readFile(log, 'utf8').catch(() => '')).trim().split('\n');
    stops[1]!.abort(new Error('left'));
    await expect(runs[1]).rejects.toThrow('left');
    await expect.poll(started).toEqual([expect.stringMatching(/^0 \d+$/)]);
    stops[0]!.abort(new Error('left'));
    await expect(runs[0]).rejects.toThrow('left');
    await expect.poll(started).toEqual([expect.anything(), expect.stringMatching(/^2 \d+$/)]);
    await processes.close();
    await expect(runs[2]).rejects.toThrow('closed');
    for (const line of await started()) {
      const pid = Number(line.split(' ')[1]);
      await expect.poll(() => isAlive(pid)).toBe(false);
    }
    await expect(processes.run([], 'x', {}, never)).rejects.toThrow('closed');
  });

  test('serves sessions round-robin, with at most the given number of processes', async () => {
    const log = join(folder, 'log');
    const program = await standIn(
      'order',
      `read -r line; echo "+$line" >> ${log}; sleep 0.05; echo "-$line" >> ${log}`,
    );
    const processes = new EspeakProcesses(program, 1);
    const [a, b] = [{}, {}];
    const texts: [object, string][] = [
      [a, 'a1'],
      [a, 'a2'],
      [a, 'a3'],
      [b, 'b1'],
    ];
    await Promise.all(texts.map(([session, text]) => processes.run([], `${text}\n`, session, never)));
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    expect(lines).toEqual(['a1', 'a2', 'b1', 'a3'].flatMap((text) => [`+${text}`, `-${text}`]));
  });

  test('at the start leaves its languages to the page, and is reported', async () => {
    const espeak = (program: string, isNamed: boolean) =>
      installedEspeak({ kind: 'flite', espeak: { program, isNamed } });
    const missing = join(folder, 'missing');
    expect(await espeak(missing, false)).toEqual({ espeak: undefined });
    expect(await espeak(missing, true)).toEqual({ problem: `ESPEAK: ${missing} was not found` });
    const broken = join(folder, 'broken');
    await writeFile(broken, '#!/bin/sh\nexit 1\n');
    await chmod(broken, 0o755);
    expect(await espeak(broken, false)).toEqual({
      problem: `ESPEAK: ${broken} does not work: espeak-ng ended with 1`,
    });
    await chmod(broken, 0o644);
    expect((await espeak(broken, false)).problem).toContain('does not work');
  });

  test('gets no variable of the runtime besides PATH', async () => {
    process.env.SPEECH_API_KEY = 'secret';
    onTestFinished(() => {
      delete process.env.SPEECH_API_KEY;
    });
    const processes = new EspeakProcesses(await standIn('env', 'env'), 1);
    const printed = (await processes.run([], 'x', {}, never)).toString();
    expect(printed).toContain('PATH=');
    expect(printed).not.toContain('secret');
    await processes.close();
  });
});

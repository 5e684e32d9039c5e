// Writes the samples that the console plays for the voices of the included speech engine: 16 kHz, mono, 8-bit mu-law without a header, and
// their mouth shapes. Run it after a change of the voices with: npm run build && node scripts/voice-samples.mjs
import { writeFileSync } from 'node:fs';
import { fliteVoices } from '../contract/dist/project-file/voice.js';
import { cuesOf, readPhones } from '../runtime/dist/speech/phones.js';
import { compileFlite } from '../runtime/src/speech/flite/program.js';
import { runProgram } from '../runtime/src/speech/flite/wasi.js';

const text = 'Hello! This is how I sound.';
const folder = new URL('../console/src/voices/', import.meta.url);
const wavHeader = 44;

/** Encodes a sample as G.711 mu-law. */
function muLaw(sample) {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), 32_635) + 0x84;
  const exponent = 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

const module = await compileFlite();
const cues = {};
for (const voice of fliteVoices) {
  const { code, file, printed } = runProgram(module, [
    ...['flite', '-voice', voice, '-psdur', '-t', text, '-o', '/spoken.wav'],
  ]);
  if (code !== 0) throw new Error(`flite ended with ${code}`);
  const samples = new Int16Array(file.buffer.slice(wavHeader, file.length - (file.length % 2)));
  writeFileSync(new URL(`${voice}.ulaw`, folder), Uint8Array.from(samples, muLaw));
  cues[voice] = cuesOf(readPhones(printed));
  console.log(`${voice}: ${samples.length} bytes, ${cues[voice].length} mouth shapes`);
}
const lines = Object.entries(cues).map(([voice, list]) => `  "${voice}": ${JSON.stringify(list)}`);
writeFileSync(new URL('cues.json', folder), `{\n${lines.join(',\n')}\n}\n`);

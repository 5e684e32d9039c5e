import { readFile } from 'node:fs/promises';
import { hinted } from './hints.js';

/** Samples per second of the model's input. */
const sampleRate = 16_000;
/** Token ids of the tokenizer. Ids from `words` on are none of its pieces. */
const ids = { start: 1, end: 2, words: 32_000 };
/** Maximum tokens per second of audio, as recommended for the model: it would otherwise repeat itself on some inputs. */
const tokensPerSecond = 6.5;
/** The model was trained with shorter audio than this many seconds; longer turns are transcribed in parts. */
const longestSeconds = 24;
/** Seconds before the end of a part in which the quietest place is searched. */
const searchSeconds = 6;
/** Layers, heads and dimensions of the decoder's cache. */
const shape = { layers: 6, heads: 8, dimensions: 36 };
/**
 * Subtracted from the score of an empty text. The model often prefers it by less than this for short sentences, and by more than 5 for
 * sounds without words.
 */
const emptyPenalty = 3.5;
/** Maximum absolute sample value, of 32,767, of silence: the model hears words in digital silence. */
const silence = 60;
/** Maximum hints whose tokens are cached. */
const maxKnownHints = 2000;
/** Minimum samples that the encoder accepts; shorter audio holds no word. */
const fewest = sampleRate / 10;

/**
 * Loads the model. The function that it returns transcribes: the text is empty if the audio contains no words, or if `isCancelled`, which
 * is called after each token, returns true. `hints` are phrases that are likely to be said.
 *
 * @param {{ encoder: string, decoder: string }} files
 * @returns {Promise<(samples: Int16Array, hints: string[], isCancelled: () => boolean) => Promise<string>>}
 */
export async function loadMoonshine({ encoder: encoderFile, decoder: decoderFile }) {
  const { InferenceSession, Tensor } = (await import('onnxruntime-node')).default;
  const { default: tokenizer } = await import('llama-tokenizer-js');
  // One thread: the other cores are for the service and for speech. With several, threads that wait would occupy them.
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, enableCpuMemArena: false };
  const encoder = await InferenceSession.create(await readFile(encoderFile), options);
  const decoder = await InferenceSession.create(await readFile(decoderFile), options);

  const known = new Map();
  const tokensOf = (hint) => {
    if (known.size >= maxKnownHints) known.clear();
    const tokens = known.get(hint) ?? [ids.start, ...tokenizer.encode(hint, false, true)];
    known.set(hint, tokens);
    return tokens;
  };

  const emptyCache = () => {
    const cache = {};
    for (let layer = 0; layer < shape.layers; layer++)
      for (const part of ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'])
        cache[`past_key_values.${layer}.${part}`] = new Tensor('float32', new Float32Array(0), [
          0,
          shape.heads,
          1,
          shape.dimensions,
        ]);
    return cache;
  };

  const transcribePart = async (audio, bonusAfter, isCancelled) => {
    const { last_hidden_state: heard } = await encoder.run({
      input_values: new Tensor('float32', audio, [1, audio.length]),
    });
    const cache = emptyCache();
    const tokens = [ids.start];
    let last = ids.start;
    for (let left = Math.ceil((audio.length / sampleRate) * tokensPerSecond); left > 0; left--) {
      if (isCancelled()) return '';
      const isFirst = last === ids.start;
      const output = await decoder.run({
        input_ids: new Tensor('int64', BigInt64Array.of(BigInt(last)), [1, 1]),
        encoder_hidden_states: heard,
        use_cache_branch: new Tensor('bool', [!isFirst], [1]),
        ...cache,
      });
      const bonuses = bonusAfter(tokens);
      if (isFirst) bonuses.set(ids.end, -emptyPenalty);
      last = largest(output.logits.data, bonuses);
      if (last === ids.end) break;
      if (last < ids.words) tokens.push(last);
      // The encoder's part of the cache is only computed in the first step.
      for (const name of Object.keys(cache))
        if (isFirst || name.includes('decoder'))
          cache[name] = output[name.replace('past_key_values', 'present')];
    }
    return tokenizer.decode(tokens.slice(1), false, true).trim();
  };

  return async (samples, hints, isCancelled) => {
    const bonusAfter = hinted(hints.map(tokensOf));
    const texts = [];
    for (const part of partsOf(samples)) {
      if (isCancelled()) return '';
      const text = await transcribePart(
        Float32Array.from(part, (sample) => sample / 32_768),
        bonusAfter,
        isCancelled,
      );
      if (text !== '') texts.push(text);
    }
    return isCancelled() ? '' : texts.join(' ');
  };
}

/** Adds the bonuses and returns the index of the largest value. @param {Float32Array} values @param {Map<number, number>} bonuses */
function largest(values, bonuses) {
  for (const [at, bonus] of bonuses) values[at] += bonus;
  let index = 0;
  for (let at = 1; at < values.length; at++) if (values[at] > values[index]) index = at;
  return index;
}

/**
 * Cuts long audio at its quietest places.
 *
 * @param {Int16Array} samples
 */
export function partsOf(samples) {
  const longest = longestSeconds * sampleRate;
  const parts = [];
  let rest = samples;
  while (rest.length > longest) {
    const end = quietest(rest, longest - searchSeconds * sampleRate, longest);
    parts.push(rest.subarray(0, end));
    rest = rest.subarray(end);
  }
  parts.push(rest);
  return parts.filter((part) => part.length >= fewest && part.some((sample) => Math.abs(sample) > silence));
}

/** The middle of the quietest 100 ms between two samples. @param {Int16Array} samples @param {number} from @param {number} until */
function quietest(samples, from, until) {
  const step = sampleRate / 10;
  let best = from;
  let least = Number.POSITIVE_INFINITY;
  for (let at = from; at + step <= until; at += step) {
    let sum = 0;
    for (const sample of samples.subarray(at, at + step)) sum += Math.abs(sample);
    if (sum >= least) continue;
    least = sum;
    best = at;
  }
  return best + step / 2;
}

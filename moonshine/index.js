import { existsSync } from 'node:fs';

const included = new URL('model/', import.meta.url);
// A checkout has the npm package from which `copy.mjs` copies the files.
const source = new URL(
  '../node_modules/@moonshine-ai/moonshine-js/dist/model/tiny/quantized/',
  import.meta.url,
);

export const modelFolder = existsSync(included) ? included : source;

export const modelFiles = {
  'encoder_model.onnx': 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
  'decoder_model_merged.onnx': 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
};

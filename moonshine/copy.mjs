// Copies the model's files into this package, verified, before it is packed.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const target = new URL('model/', import.meta.url);
rmSync(target, { recursive: true, force: true });
// Imported after the removal, so that `modelFolder` is the folder of the npm package.
const { modelFiles, modelFolder } = await import('./index.js');
const files = Object.entries(modelFiles).map(([name, sha256]) => {
  const bytes = readFileSync(new URL(name, modelFolder));
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error(`${name} is damaged`);
  return [name, bytes];
});
mkdirSync(target);
for (const [name, bytes] of files) writeFileSync(new URL(name, target), bytes);

import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

/** Paths of the model's files. */
export interface ModelFiles {
  encoder: string;
  decoder: string;
}

/** The optional packages that local hearing consists of. */
const packages = ['@session-launch/moonshine', 'onnxruntime-node', 'llama-tokenizer-js'] as const;

/** Why local hearing cannot run: a package is missing, or has no build for this platform. `undefined` if it is installed. */
export function installProblem(
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): string | undefined {
  const { platform, arch } = process;
  for (const name of packages) {
    try {
      const file = resolve(name);
      if (
        name === 'onnxruntime-node' &&
        !existsSync(join(dirname(file), '..', 'bin', 'napi-v6', platform, arch))
      )
        return `${name} has no build for ${platform} ${arch}`;
    } catch {
      return `the optional package ${name} is not installed`;
    }
  }
  return undefined;
}

/** Returns the paths of the model's files. Throws an error that names the problem if a file is missing or damaged. */
export async function verifiedModel(): Promise<ModelFiles> {
  const model = await import('@session-launch/moonshine');
  const folder = fileURLToPath(model.modelFolder);
  await verifyFiles(folder, model.modelFiles);
  return {
    encoder: join(folder, 'encoder_model.onnx'),
    decoder: join(folder, 'decoder_model_merged.onnx'),
  };
}

/** Throws unless each file of the folder has its SHA-256. */
export async function verifyFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(Object.entries(files).map(([name, sha256]) => verify(join(folder, name), sha256)));
}

async function verify(file: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (hash.digest('hex') !== sha256) throw new Error(`${file} is damaged: its SHA-256 differs`);
}

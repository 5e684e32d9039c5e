import type { MintFields, SessionManifest } from '../types.ts';
import { ExperienceError, expired } from './experience-error.ts';
import { type Fresh, readLaunch } from './manifest.ts';
import { type MintDeps, mint } from './mint.ts';
import type { CheckedSource } from './options.ts';

/** Provides the launches of an experience: mints them, or returns the one of the `launch` option, once. */
export class Launches {
  /** Manifest of the `launch` option; available before the start. */
  readonly given: SessionManifest | undefined;
  readonly canMint: boolean;
  readonly #deps: MintDeps;
  readonly #source: CheckedSource;
  readonly #createdAt: number;
  #isUsed = false;

  constructor(deps: MintDeps, source: CheckedSource) {
    this.canMint = source.kind !== 'launch';
    this.#deps = deps;
    this.#source = source;
    this.#createdAt = deps.now();
    try {
      if (source.kind === 'launch') this.given = readLaunch(source.launch, 0).manifest;
    } catch {
      // `next` parses the launch again and rejects with the error.
    }
  }

  /** See `mint` for `late`. */
  async next(request: MintFields, signal: AbortSignal, late: (fresh: Fresh) => void): Promise<Fresh> {
    const source = this.#source;
    if (source.kind !== 'launch') return mint(this.#deps, source, request, signal, late);
    if (this.#isUsed) throw new ExperienceError('SESSION_USED', 'A launch starts once.');
    this.#isUsed = true;
    const given = readLaunch(source.launch, this.#createdAt);
    if (Date.parse(given.manifest.expiresAt) <= Date.now()) throw expired();
    return given;
  }

  /** Allows another start with the given launch, because the runtime has not consumed its token. */
  reuse(): void {
    this.#isUsed = false;
  }
}

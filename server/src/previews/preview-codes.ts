import { ApiError } from '../primitives/errors.ts';
import { type LookUpClient, LookUps } from '../store/cache/look-ups.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { previewCodeDigits } from './code.ts';
import { findPreviews, type Preview } from './previews.ts';

/**
 * Finds previews by their codes, from a cache that is at most five seconds behind the database. It keeps invented codes cheap; whether
 * a preview still starts a session is decided by `redeem`.
 */
export class PreviewCodes {
  readonly #known: LookUps<Preview>;

  constructor(database: Database, changes: Changes) {
    this.#known = new LookUps(1_000, (digits) => findPreviews(database, digits));
    changes.onChange((change) => {
      if (change === undefined || change.kind === 'preview')
        this.#known.forget(change && (({ id }) => id === change.id));
    });
  }

  /** Throws 404 if no preview has this code. */
  async find(code: string, client: LookUpClient): Promise<Preview> {
    const digits = previewCodeDigits(code);
    const preview = digits === undefined ? null : await this.#known.get(digits, client);
    if (preview === null) throw new ApiError('PREVIEW_NOT_FOUND');
    return preview;
  }
}

import { signal } from '@preact/signals';
import { adminUrl, request } from '../../api/client.ts';

interface Created {
  previewId: string;
  url: string;
  expiresAt: string;
}

/** How long the editor's own preview can start sessions. It is replaced when it expires. */
const expiresInSeconds = 1_800;
/** A preview is replaced when less than this time is left. */
const spareMs = 60_000;

/** The preview that the editor itself uses. Created for the first conversation, and deleted when the editor closes. */
export class OwnPreview {
  readonly #experienceId: string;
  #isClosed = false;
  readonly #current = signal<(Created & { revision: number }) | undefined>(undefined);

  constructor(experienceId: string) {
    this.#experienceId = experienceId;
  }

  /** Undefined until a conversation was started. */
  get previewId(): string | undefined {
    return this.#current.value?.previewId;
  }

  /** The code of a preview of this revision. */
  async codeFor(revision: number): Promise<string> {
    let current = this.#current.value;
    if (current?.revision !== revision || Date.parse(current.expiresAt) - Date.now() < spareMs) {
      this.withdraw();
      const params = { experienceId: this.#experienceId };
      current = {
        ...(await request('POST /admin/experiences/{experienceId}/previews', {
          params,
          body: { revision, expiresInSeconds },
        })),
        revision,
      };
      this.#current.value = current;
      if (this.#isClosed) this.withdraw();
    }
    return new URL(current.url).hash.slice(1);
  }

  /** Forgets a preview that was deleted elsewhere. */
  forget(): void {
    this.#current.value = undefined;
  }

  /** Deletes the preview, and any that is still being created. */
  close(): void {
    this.#isClosed = true;
    this.withdraw();
  }

  /** Deletes the preview. The request is sent even if the page is being closed; if it fails, the preview expires. */
  withdraw(): void {
    if (this.#current.value === undefined) return;
    const url = adminUrl('DELETE /admin/previews/{previewId}', {
      params: { previewId: this.#current.value.previewId },
    });
    this.#current.value = undefined;
    fetch(url, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      keepalive: true,
    }).catch(() => undefined);
  }
}

import { galleryTexts } from '../../../texts/editor/gallery.ts';
import type { Draft } from '../../saving/draft.ts';
import { artUrl } from './art.ts';

/** Widths for which the thumbnail element of applications asks the service, for each size. */
const sizes = { large: 640, medium: 320, small: 160 } as const;

/** The card in three sizes, drawn as the thumbnail element of applications draws it. */
export function Cards({ draft }: { draft: Draft }) {
  const { title, description, galleryThumb } = draft.document.value;
  return (
    <section class="part">
      <h2>{galleryTexts.card}</h2>
      <div class="sizes">
        {(Object.keys(sizes) as (keyof typeof sizes)[]).map((size) => (
          <figure key={size} class={size}>
            <div class="card-picture">
              {galleryThumb?.backgroundImage === undefined ? null : (
                <img class="background" src={artUrl(galleryThumb.backgroundImage, sizes[size])} alt="" />
              )}
              {galleryThumb?.avatarImage === undefined ? null : (
                <img class="avatar" src={artUrl(galleryThumb.avatarImage, sizes[size])} alt="" />
              )}
              {galleryThumb === undefined ? <span class="initials">{initialsOf(title)}</span> : null}
            </div>
            <strong>{title}</strong>
            {size === 'large' && description !== undefined ? <span class="soft">{description}</span> : null}
            <figcaption class="soft">{galleryTexts.cardSizes[size]}</figcaption>
          </figure>
        ))}
      </div>
    </section>
  );
}

/** As in the SDK. */
export function initialsOf(title: string): string {
  return title
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();
}

import './gallery/gallery.css';
import { Button } from '../../parts/button.tsx';
import { galleryTexts } from '../../texts/editor/gallery.ts';
import { DraftText } from '../fields/fields.tsx';
import type { Draft } from '../saving/draft.ts';
import { Cards } from './gallery/card.tsx';
import { Readiness } from './gallery/readiness.tsx';
import { Slot } from './gallery/slot.tsx';
import { UseCases } from './gallery/use-cases.tsx';

/** How galleries show the experience: pictures, description, categories. */
export function Gallery({ draft }: { draft: Draft }) {
  const { slots } = galleryTexts;
  return (
    <>
      <Readiness draft={draft} />
      <section class="part">
        <h2>{galleryTexts.pictures}</h2>
        <p class="soft">{galleryTexts.picturesText}</p>
        <div class="slots">
          <Slot
            draft={draft}
            path={['thumbnailPath']}
            label={slots.thumbnailPath}
            kind="avatar"
            shape="square"
          />
          <Slot
            draft={draft}
            path={['galleryThumb', 'avatarImage']}
            label={slots.avatarImage}
            kind="avatar"
            shape="portrait"
          />
          <Slot
            draft={draft}
            path={['galleryThumb', 'backgroundImage']}
            label={slots.backgroundImage}
            kind="location"
            shape="card"
          />
        </div>
        <AvatarId draft={draft} />
      </section>
      <Cards draft={draft} />
      <section class="part">
        <h2>{galleryTexts.about}</h2>
        <DraftText draft={draft} path={['description']} label={galleryTexts.description} rows={3} />
        <h3>{galleryTexts.taxonomy}</h3>
        <UseCases draft={draft} />
        <div class="categories">
          {(Object.keys(galleryTexts.categories) as (keyof typeof galleryTexts.categories)[]).map((name) => (
            <DraftText
              key={name}
              draft={draft}
              path={['taxonomy', name]}
              label={galleryTexts.categories[name]}
            />
          ))}
        </div>
      </section>
    </>
  );
}

/** The id of the avatar, with those of the characters to choose from. */
function AvatarId({ draft }: { draft: Draft }) {
  const now = draft.at(['avatarId']);
  const ids = draft.document.value.runtime.characters
    .map(({ avatar }) => (avatar as { avatarId?: unknown } | undefined)?.avatarId)
    .filter((id): id is string => typeof id === 'string' && id !== now);
  return (
    <div class="stack" data-path="avatarId">
      <DraftText draft={draft} path={['avatarId']} label={galleryTexts.avatarId} />
      {draft.isEditable && ids.length > 0 ? (
        <div class="row">
          {ids.map((id) => (
            <Button key={id} onPress={() => draft.change(['avatarId'], id)}>
              {galleryTexts.useAvatar(id)}
            </Button>
          ))}
        </div>
      ) : null}
    </div>
  );
}

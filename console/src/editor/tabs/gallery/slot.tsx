import { useSignal } from '@preact/signals';
import { Button } from '../../../parts/button.tsx';
import { galleryTexts } from '../../../texts/editor/gallery.ts';
import type { Path } from '../../document/path.ts';
import { pathText } from '../../document/path.ts';
import { helpAt } from '../../document/schema.ts';
import { useField } from '../../fields/fields.tsx';
import type { Draft } from '../../saving/draft.ts';
import { type ArtKind, artUrl } from './art.ts';
import { Chooser } from './chooser.tsx';
import type { Shape } from './cropping.ts';
import { mentionsOf } from './mentions.ts';

interface SlotProps {
  draft: Draft;
  path: Path;
  label: string;
  kind: ArtKind;
  shape: Shape;
}

/** A picture of the experience, with the buttons that change it. */
export function Slot({ draft, path, label, kind, shape }: SlotProps) {
  const { value, problem } = useField(draft, path);
  const isChoosing = useSignal(false);
  const dropped = useSignal<File | undefined>(undefined);
  const picture = typeof value === 'string' ? value : undefined;
  const choose = (file?: File) => {
    dropped.value = file;
    isChoosing.value = true;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid item in every browser
    <div
      class="slot"
      data-path={pathText(path)}
      role="group"
      aria-label={label}
      tabIndex={-1}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const [file] = event.dataTransfer?.files ?? [];
        if (file !== undefined && draft.isEditable) choose(file);
      }}
    >
      <h3>{label}</h3>
      <div class="place">
        {picture === undefined ? (
          <p class="soft">
            {galleryTexts.none}
            {draft.isEditable ? <span>{galleryTexts.drop}</span> : null}
          </p>
        ) : (
          <img src={artUrl(picture, 320)} alt={label} />
        )}
      </div>
      <p class="soft help">{helpAt(path)}</p>
      {problem === undefined ? null : <p class="bad help">{problem}</p>}
      {draft.isEditable ? (
        <div class="row">
          <Button label={galleryTexts.chooseOf(label)} onPress={() => choose()}>
            {galleryTexts.choose}
          </Button>
          {picture === undefined ? null : (
            <Button
              label={galleryTexts.removeOf(label)}
              onPress={() => changePicture(draft, path, undefined)}
            >
              {galleryTexts.remove}
            </Button>
          )}
        </div>
      ) : null}
      {isChoosing.value ? (
        <Chooser
          projectId={draft.projectId}
          slot={label}
          kind={kind}
          shape={shape}
          chosen={picture}
          isUsed={mentionsOf(draft)}
          dropped={dropped.value}
          onChoose={(chosen) => {
            changePicture(draft, path, chosen);
            isChoosing.value = false;
          }}
          onClose={() => {
            isChoosing.value = false;
          }}
        />
      ) : null}
    </div>
  );
}

/** Changes a picture. An object that loses its last picture is removed, because the service wants both or none. */
function changePicture(draft: Draft, path: Path, picture: string | undefined): void {
  draft.change(path, picture);
  const parent = path.slice(0, -1);
  if (parent.length > 0 && Object.keys(Object(draft.at(parent))).length === 0)
    draft.change(parent, undefined);
}

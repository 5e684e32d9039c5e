import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { Confirm, Dialog } from '../../../parts/dialog.tsx';
import { TextField } from '../../../parts/field.tsx';
import { Show } from '../../../parts/notice.tsx';
import { useLoad } from '../../../state/load.ts';
import { toast } from '../../../state/toasts.ts';
import { galleryTexts } from '../../../texts/editor/gallery.ts';
import {
  type ArtKind,
  type ArtRecord,
  artMiB,
  artUrl,
  deleteArt,
  type FaceRecord,
  listArt,
  listFaces,
  nameOf,
  uploadArt,
} from './art.ts';
import { CropStep } from './crop-step.tsx';
import type { Shape } from './cropping.ts';

const chooserTexts = galleryTexts.chooser;
/** Above this number of pictures, they can be searched. */
const searchedFrom = 12;

interface ChooserProps {
  projectId: string;
  slot: string;
  kind: ArtKind;
  shape: Shape;
  chosen: string | undefined;
  /** Whether the experience uses a picture, which then cannot be deleted. The service knows only what is saved. */
  isUsed(path: string): boolean;
  /** A file that was dropped; it is cropped at once. */
  dropped: File | undefined;
  onChoose(path: string): void;
  onClose(): void;
}

/** Chooses a picture of the project, or uploads one. */
export function Chooser(props: ChooserProps) {
  const { projectId, slot, kind, shape, chosen, isUsed, onChoose, onClose } = props;
  const file = useSignal(props.dropped);
  const loaded = useLoad(
    [projectId],
    async (signal) => {
      const [art, faces] = await Promise.all([
        listArt(projectId, signal),
        kind === 'avatar' ? listFaces(projectId, signal) : [],
      ]);
      return { art, faces };
    },
    ['art', 'face'],
  );
  const use = async (picture: Blob, name: string) => {
    const { path } = await uploadArt(projectId, kind, picture, name);
    onChoose(path);
  };
  if (file.value !== undefined)
    return (
      <Dialog title={galleryTexts.crop.title} onClose={onClose}>
        <CropStep
          file={file.value}
          shape={shape}
          onUse={use}
          onBack={() => {
            file.value = undefined;
          }}
        />
      </Dialog>
    );
  return (
    <Dialog title={chooserTexts.title(slot)} onClose={onClose} isWide>
      <Upload
        onFile={(picked) => {
          file.value = picked;
        }}
      />
      <Show loaded={loaded}>
        {({ art, faces }) => (
          <>
            <Pictures
              projectId={projectId}
              art={art.filter((one) => one.kind === kind && !isOfFace(one.path))}
              chosen={chosen}
              isUsed={isUsed}
              onChoose={onChoose}
              onDeleted={loaded.reload}
            />
            <Faces faces={faces} shape={shape} chosen={chosen} onChoose={onChoose} />
          </>
        )}
      </Show>
    </Dialog>
  );
}

function Upload({ onFile }: { onFile(file: File): void }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: the label belongs to the input
    <div
      class="upload"
      role="group"
      aria-label={chooserTexts.upload}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const [file] = event.dataTransfer?.files ?? [];
        if (file !== undefined) onFile(file);
      }}
    >
      <label for={id}>{chooserTexts.upload}</label>
      <input
        id={id}
        type="file"
        accept="image/png,image/jpeg,image/webp,image/avif,image/svg+xml"
        aria-describedby={`${id}-help`}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
        }}
      />
      <p class="soft" id={`${id}-help`}>
        {chooserTexts.uploadHelp(artMiB)}
      </p>
    </div>
  );
}

/** Pictures of faces are listed as faces. */
const isOfFace = (path: string) => path.startsWith('/avatars/fac_');

interface FacesProps {
  faces: readonly FaceRecord[];
  shape: Shape;
  chosen: string | undefined;
  onChoose(path: string): void;
}

/** The faces of the project: their small pictures for a square, else their large ones. */
function Faces({ faces, shape, chosen, onChoose }: FacesProps) {
  if (faces.length === 0) return null;
  return (
    <section class="stack">
      <h3>{chooserTexts.faces}</h3>
      <ul class="pictures">
        {faces.map(({ faceId, name = chooserTexts.face, thumbPath, fullPath }) => {
          const path = shape === 'square' ? thumbPath : fullPath;
          return (
            <li key={faceId}>
              <button
                type="button"
                class="picture"
                aria-label={chooserTexts.select(name)}
                aria-pressed={path === chosen}
                onClick={() => onChoose(path)}
              >
                <img src={artUrl(path, 160)} alt="" loading="lazy" />
              </button>
              <p class="picture-name" title={path}>
                {name}
                {path === chosen ? ` (${chooserTexts.chosen})` : ''}
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface PicturesProps {
  projectId: string;
  art: ArtRecord[];
  chosen: string | undefined;
  isUsed(path: string): boolean;
  onChoose(path: string): void;
  onDeleted(): unknown;
}

function Pictures({ projectId, art, chosen, isUsed, onChoose, onDeleted }: PicturesProps) {
  const search = useSignal('');
  const deleted = useSignal<ArtRecord | undefined>(undefined);
  const wanted = search.value.trim().toLowerCase();
  const shown = art.filter((one) => `${nameOf(one)} ${one.path}`.toLowerCase().includes(wanted));
  return (
    <section class="stack">
      <h3>{chooserTexts.own}</h3>
      {art.length > searchedFrom ? (
        <TextField
          label={chooserTexts.search}
          type="search"
          value={search.value}
          onInput={(text) => {
            search.value = text;
          }}
        />
      ) : null}
      {art.length === 0 ? <p>{chooserTexts.empty}</p> : null}
      {art.length > 0 && shown.length === 0 ? <p>{chooserTexts.noMatch}</p> : null}
      <ul class="pictures">
        {shown.map((one) => (
          <li key={one.path}>
            <button
              type="button"
              class="picture"
              aria-label={chooserTexts.select(nameOf(one))}
              aria-pressed={one.path === chosen}
              onClick={() => onChoose(one.path)}
            >
              <img src={artUrl(one.path, 160)} alt="" loading="lazy" />
            </button>
            <p class="picture-name" title={one.path}>
              {nameOf(one)}
              {one.path === chosen
                ? ` (${chooserTexts.chosen})`
                : isUsed(one.path)
                  ? ` (${chooserTexts.used})`
                  : ''}
            </p>
            <p class="soft number">{chooserTexts.facts(one.width, one.height, one.bytes)}</p>
            {one.artId === undefined || isUsed(one.path) ? null : (
              <Button
                look="plain"
                label={chooserTexts.deleteOf(nameOf(one))}
                onPress={() => {
                  deleted.value = one;
                }}
              >
                {chooserTexts.delete}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {deleted.value === undefined ? null : (
        <Confirm
          title={chooserTexts.deleteTitle}
          action={chooserTexts.delete}
          isDangerous
          onConfirm={async () => {
            const one = deleted.value!;
            await deleteArt(projectId, one.artId!);
            toast(chooserTexts.deleted(nameOf(one)));
            void onDeleted();
          }}
          onClose={() => {
            deleted.value = undefined;
          }}
        >
          <p>{chooserTexts.deleteText(nameOf(deleted.value))}</p>
        </Confirm>
      )}
    </section>
  );
}

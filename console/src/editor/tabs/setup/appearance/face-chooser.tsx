import { useSignal } from '@preact/signals';
import type { SavedFace } from '../../../../faces/face-dialog.ts';
import { Button } from '../../../../parts/button.tsx';
import { Confirm, Dialog } from '../../../../parts/dialog.tsx';
import { Show } from '../../../../parts/notice.tsx';
import { toast } from '../../../../state/toasts.ts';
import { facesTexts } from '../../../../texts/editor/faces.ts';
import { artUrl } from '../../gallery/art.ts';
import { deleteFace, type FaceRecord, readRecipe, useFaces } from './project-faces.ts';

const texts = facesTexts.chooser;
const nameOf = ({ name }: FaceRecord) => name ?? texts.unnamed;

interface FaceChooserProps {
  projectId: string;
  /** The name of the character. */
  name: string;
  chosen: string | undefined;
  /** Whether the experience mentions a face, which then cannot be deleted. The service knows only what is saved. */
  isUsed(text: string): boolean;
  onChoose(face: SavedFace): void;
  onClose(): void;
}

/** Chooses a face of the project, and deletes those that nothing uses. */
export function FaceChooser({ projectId, name, chosen, isUsed, onChoose, onClose }: FaceChooserProps) {
  const loaded = useFaces(projectId);
  const deleted = useSignal<FaceRecord | undefined>(undefined);
  const isChoosing = useSignal(false);
  const choose = async (face: SavedFace | FaceRecord) => {
    if (isChoosing.value) return;
    if (face.faceId === chosen) return onClose();
    isChoosing.value = true;
    const recipe = 'rig' in face ? await readRecipe(face) : undefined;
    onChoose({ ...face, recipe });
  };
  const card = (face: SavedFace | FaceRecord, label: string, note: string) => (
    <>
      <button
        type="button"
        class="picture"
        aria-label={texts.use(label)}
        aria-pressed={face.faceId === chosen}
        onClick={() => choose(face)}
      >
        <img src={artUrl(face.thumbPath, 160)} alt="" loading="lazy" />
      </button>
      <p class="picture-name" title={face.faceId}>
        {label}
        {face.faceId === chosen ? ` (${texts.chosen})` : ''}
      </p>
      {note === '' ? null : <p class="soft">{note}</p>}
    </>
  );
  return (
    <Dialog title={texts.title(name)} onClose={onClose} isWide isBusy={isChoosing.value}>
      <Show loaded={loaded}>
        {({ own, others }) => (
          <>
            <section class="stack">
              <h3>{texts.own}</h3>
              {own.length === 0 ? <p>{texts.empty}</p> : null}
              <ul class="pictures">
                {own.map((face) => (
                  <li key={face.faceId}>
                    {card(face, nameOf(face), texts.usedBy(face.usedBy.length))}
                    {face.usedBy.length > 0 || isUsed(face.faceId) ? null : (
                      <Button
                        look="plain"
                        label={texts.deleteOf(nameOf(face))}
                        onPress={() => {
                          deleted.value = face;
                        }}
                      >
                        {texts.delete}
                      </Button>
                    )}
                  </li>
                ))}
              </ul>
            </section>
            {others.length === 0 ? null : (
              <section class="stack">
                <h3>{texts.others}</h3>
                <ul class="pictures">
                  {others.map((face) => (
                    <li key={face.faceId}>{card(face, face.faceId, '')}</li>
                  ))}
                </ul>
              </section>
            )}
          </>
        )}
      </Show>
      {deleted.value === undefined ? null : (
        <Confirm
          title={texts.deleteTitle}
          action={texts.delete}
          isDangerous
          onConfirm={async () => {
            const face = deleted.value!;
            await deleteFace(projectId, face.faceId);
            toast(texts.deleted(nameOf(face)));
            void loaded.reload();
          }}
          onClose={() => {
            deleted.value = undefined;
          }}
        >
          <p>{texts.deleteText(nameOf(deleted.value))}</p>
        </Confirm>
      )}
    </Dialog>
  );
}

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { FaceDialogProps, SavedFace } from '../../../../faces/face-dialog.ts';
import { Button } from '../../../../parts/button.tsx';
import { lazy } from '../../../../parts/lazy.tsx';
import { toast } from '../../../../state/toasts.ts';
import { facesTexts } from '../../../../texts/editor/faces.ts';
import type { Path } from '../../../document/path.ts';
import { useField } from '../../../fields/fields.tsx';
import { sampleVoiceAt } from '../../../fields/sample-voice.ts';
import type { Draft } from '../../../saving/draft.ts';
import { artUrl } from '../../gallery/art.ts';
import { initialsOf } from '../../gallery/card.tsx';
import { mentionsOf } from '../../gallery/mentions.ts';
import { FaceChooser } from './face-chooser.tsx';
import { useFaces } from './project-faces.ts';
import { withFace, withoutFace } from './with-face.ts';

const texts = facesTexts.appearance;
const MakeFace = lazy(async () => (await import('../../../../faces/maker/make-face.tsx')).MakeFace);
const PictureFace = lazy(
  async () => (await import('../../../../faces/picture/picture-face.tsx')).PictureFace,
);

type Opened = 'make' | 'picture' | 'choose';

interface Avatar {
  avatarId?: unknown;
  imagePath?: unknown;
  recipe?: unknown;
}

interface AppearanceProps {
  draft: Draft;
  /** The path of the character. */
  path: Path;
  /** Further fields. */
  children: ComponentChildren;
}

/** The face of a character, and the dialogs that make, choose and remove it. */
export function Appearance({ draft, path, children }: AppearanceProps) {
  const { value } = useField(draft, path);
  const {
    characterId = '',
    name = '',
    avatar = {},
  } = (value ?? {}) as {
    characterId?: string;
    name?: string;
    avatar?: Avatar;
  };
  const opened = useSignal<Opened | undefined>(undefined);
  const close = () => {
    opened.value = undefined;
  };
  const index = path.at(-1) as number;
  const change = (next: typeof draft.document.value, text: string) => {
    const undo = draft.replace(next);
    toast(text, { action: { label: texts.undo, run: undo }, owner: draft });
  };
  const use = (face: SavedFace) => {
    const { document, isInGallery } = withFace(draft.document.value, index, face);
    change(document, isInGallery ? texts.savedAlsoShown(name) : texts.saved(name));
    close();
  };
  const { maker, picture } = Object(avatar.recipe) as { maker?: unknown; picture?: unknown };
  const [isDrawn, isPicture] = [maker === 1, picture === 1];
  const dialog: FaceDialogProps = {
    projectId: draft.projectId,
    character: { characterId, name },
    recipe: avatar.recipe,
    onSaved: use,
    onClose: close,
  };
  const avatarId = typeof avatar.avatarId === 'string' ? avatar.avatarId : undefined;
  return (
    <fieldset class="group">
      <legend>{texts.legend}</legend>
      <div class="appearance">
        <div class="appearance-picture">
          {avatarId === undefined ? (
            <Initials name={name} />
          ) : (
            <Picture projectId={draft.projectId} avatarId={avatarId} name={name} />
          )}
        </div>
        <div class="appearance-actions">
          <p class="soft">
            {avatarId === undefined
              ? texts.none
              : isDrawn
                ? texts.own
                : avatar.recipe !== undefined
                  ? texts.picture
                  : texts.existing(avatarId)}
          </p>
          {draft.isEditable ? (
            <div class="row">
              <Button
                look={avatarId === undefined ? 'primary' : 'normal'}
                onPress={() => {
                  opened.value = 'make';
                }}
              >
                {isDrawn ? texts.edit : texts.make}
              </Button>
              <Button
                onPress={() => {
                  opened.value = 'picture';
                }}
              >
                {isPicture ? texts.editPicture : texts.usePicture}
              </Button>
              <Button
                onPress={() => {
                  opened.value = 'choose';
                }}
              >
                {texts.choose}
              </Button>
              {avatarId === undefined ? null : (
                <Button onPress={() => change(withoutFace(draft.document.value, index), texts.removed(name))}>
                  {texts.remove}
                </Button>
              )}
            </div>
          ) : null}
        </div>
      </div>
      {children}
      {opened.value === 'make' ? (
        <MakeFace {...dialog} voice={sampleVoiceAt(draft, [...path, 'voice', 'flite'])} />
      ) : null}
      {opened.value === 'picture' ? (
        <PictureFace {...dialog} voice={sampleVoiceAt(draft, [...path, 'voice', 'flite'])} />
      ) : null}
      {opened.value === 'choose' ? (
        <FaceChooser
          projectId={draft.projectId}
          name={name}
          chosen={avatarId}
          isUsed={mentionsOf(draft)}
          onChoose={use}
          onClose={close}
        />
      ) : null}
    </fieldset>
  );
}

interface PictureProps {
  projectId: string;
  avatarId: string;
  name: string;
}

/** The small picture of a face that the service lists; a folder that it does not list may have none. */
function Picture({ projectId, avatarId, name }: PictureProps) {
  const { data } = useFaces(projectId);
  const known = [...(data?.own ?? []), ...(data?.others ?? [])].find(({ faceId }) => faceId === avatarId);
  return known === undefined ? (
    <Initials name={name} />
  ) : (
    <img src={artUrl(known.thumbPath, 320)} alt={texts.alt(name)} />
  );
}

const Initials = ({ name }: { name: string }) => <span aria-hidden="true">{initialsOf(name)}</span>;

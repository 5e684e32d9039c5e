import './maker.css';
import { useComputed, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog, Progress } from '../../parts/dialog.tsx';
import { facesTexts } from '../../texts/editor/faces.ts';
import { texts as common } from '../../texts/texts.ts';
import { drawFace } from '../drawing/face.ts';
import { type Recipe, recipeFrom } from '../drawing/recipe.ts';
import { surprise } from '../drawing/surprise.ts';
import type { FaceDialogProps } from '../face-dialog.ts';
import { ColorChoices, PartChoices } from './choices.tsx';
import { GroupTabs } from './group-tabs.tsx';
import { type GroupId, groups } from './groups.ts';
import { begun, changed, type History, redone, undone } from './history.ts';
import { type SampleVoice, useSpeaking } from './speaking.ts';
import { Stage } from './stage.tsx';
import { uploadFace } from './upload-face.ts';

const texts = facesTexts.maker;

const anySeed = () => crypto.getRandomValues(new Uint32Array(1))[0]!;

interface MakeFaceProps extends FaceDialogProps {
  /** The voice of the sample; the default of the included ones if it is missing. */
  voice?: SampleVoice | undefined;
}

/** The dialog that draws a face from parts. */
export function MakeFace(props: MakeFaceProps) {
  const { projectId, character, recipe: stored, onSaved, onClose } = props;
  const { voice = { voice: 'slt', pitch: 1, rate: 1 } } = props;
  const history = useSignal<History<Recipe>>(begun(recipeFrom(stored) ?? surprise(anySeed())));
  const group = useSignal<GroupId>('head');
  const isSaving = useSignal(false);
  const isLeaving = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const { isOn, speech } = useSpeaking(voice);
  const face = useComputed(() => drawFace(history.value.present)).value;
  const panelId = useId();
  const { past, present, future } = history.value;
  const change = (next: Recipe, isSameStep = false) => {
    problem.value = undefined;
    history.value = changed(history.value, next, isSameStep);
  };
  const undo = () => {
    history.value = undone(history.value);
  };
  const redo = () => {
    history.value = redone(history.value);
  };
  const keyDown = (event: KeyboardEvent) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== 'z' && key !== 'y')) return;
    event.preventDefault();
    if (key === 'y' || event.shiftKey) redo();
    else undo();
  };
  const save = async () => {
    problem.value = undefined;
    isSaving.value = true;
    try {
      onSaved(await uploadFace(projectId, character.name, face, present));
    } catch (error) {
      problem.value = messageOf(error);
    } finally {
      isSaving.value = false;
    }
  };
  const leave = () => {
    if (past.length === 0) onClose();
    else isLeaving.value = true;
  };
  const shown = groups.find(({ id }) => id === group.value)!;
  return (
    <Dialog title={texts.title(character.name)} onClose={leave} isWide isBusy={isSaving.value}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys work on all controls inside */}
      <div class="maker" onKeyDown={keyDown}>
        <div class="maker-side">
          <Stage face={face} name={character.name} speech={speech.value} />
          <div class="maker-actions">
            <Button onPress={() => change(surprise(anySeed()))}>{texts.surprise}</Button>
            <button
              type="button"
              class="button normal"
              aria-pressed={isOn.value}
              onClick={() => {
                isOn.value = !isOn.value;
              }}
            >
              {isOn.value ? texts.quiet : texts.speak}
            </button>
            <Button isPaused={past.length === 0} onPress={undo}>
              {texts.undo}
            </Button>
            <Button isPaused={future.length === 0} onPress={redo}>
              {texts.redo}
            </Button>
          </div>
        </div>
        <div class="maker-parts">
          <GroupTabs
            current={group.value}
            panelId={panelId}
            onChange={(id) => {
              group.value = id;
            }}
          />
          <div
            class="maker-panel"
            role="tabpanel"
            id={panelId}
            aria-labelledby={`${panelId}-${shown.id}`}
            tabIndex={-1}
          >
            {shown.colors(present).map((part) => (
              <ColorChoices key={part} part={part} recipe={present} onChange={change} />
            ))}
            {shown.parts.map((part) => (
              <PartChoices key={part} part={part} recipe={present} onChange={change} />
            ))}
          </div>
        </div>
      </div>
      {problem.value === undefined ? null : (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
      <div class="dialog-foot">
        <Progress isShown={isSaving.value} />
        <Button isPaused={isSaving.value} onPress={leave}>
          {common.cancel}
        </Button>
        <Button look="primary" onPress={save}>
          {texts.save}
        </Button>
      </div>
      {isLeaving.value ? (
        <Confirm
          title={texts.leaveTitle}
          action={texts.leave}
          isDangerous
          onConfirm={onClose}
          onClose={() => {
            isLeaving.value = false;
          }}
        >
          <p>{texts.leaveText}</p>
        </Confirm>
      ) : null}
    </Dialog>
  );
}

import './picture.css';
import { useSignal } from '@preact/signals';
import { type PictureRig, pictureRigSchema } from '@session-launch/contract/rig';
import { useEffect, useId, useRef } from 'preact/hooks';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog, Progress } from '../../parts/dialog.tsx';
import { pictureTexts as texts } from '../../texts/editor/picture.ts';
import { texts as common } from '../../texts/texts.ts';
import type { FaceDialogProps } from '../face-dialog.ts';
import { begun, changed, type History, redone, undone } from '../maker/history.ts';
import { type SampleVoice, useSpeaking } from '../maker/speaking.ts';
import { firstGuess } from './first-guess.ts';
import { type Handles, handlesOf, problemOf } from './handles.ts';
import { drawn, type OpenedPicture, openFile, openStored } from './picture-file.ts';
import { Preview } from './preview.tsx';
import { imageIn, savePicture } from './save.ts';
import { Stage } from './stage.tsx';
import { closeView, wholePicture } from './view.ts';

/** Longer side of the picture in which the face is looked for. */
const guessSide = 150;

interface PictureFaceProps extends FaceDialogProps {
  /** The voice of the sample; the default of the included ones if it is missing. */
  voice?: SampleVoice | undefined;
}

interface Opened {
  picture: OpenedPicture;
  /** Where the handles come from. */
  origin: 'guessed' | 'notFound' | 'stored';
  history: History<Handles>;
}

/** The dialog that makes a picture move. */
export function PictureFace(props: PictureFaceProps) {
  const { projectId, character, recipe, onSaved, onClose } = props;
  const { voice = { voice: 'slt', pitch: 1, rate: 1 } } = props;
  const opened = useSignal<Opened | undefined>(undefined);
  const progress = useSignal<string | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const isSaving = useSignal(false);
  const isLeaving = useSignal(false);
  const { isOn, speech } = useSpeaking(voice);
  const openings = useRef(0);
  /** A later call replaces an earlier one that has not finished, such as that of the stored picture on a slow network. */
  const open = async (load: (say: (text: string | undefined) => void) => Promise<Opened>) => {
    const own = ++openings.current;
    const ifCurrent = (work: () => void) => {
      if (own === openings.current) work();
    };
    const say = (text: string | undefined) =>
      ifCurrent(() => {
        progress.value = text;
      });
    problem.value = undefined;
    say(texts.opening);
    try {
      const loaded = await load(say);
      ifCurrent(() => {
        opened.value = loaded;
      });
    } catch (error) {
      ifCurrent(() => {
        problem.value = messageOf(error);
      });
    } finally {
      say(undefined);
    }
  };
  const choose = (file: File) =>
    open(async (say) => {
      const picture = await openFile(file);
      say(texts.looking);
      // The text is shown first, because the search blocks the page for a moment.
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { handles, isFound } = guess(picture.canvas);
      return { picture, origin: isFound ? 'guessed' : 'notFound', history: begun(handles) };
    });
  useEffect(() => {
    const image = imageIn(recipe);
    if (image === undefined) return;
    void open(async () => {
      const url = new URL(`..${image}`, document.baseURI);
      const [picture, rig] = await Promise.all([openStored(url.href), storedRig(new URL('rig.json', url))]);
      return { picture, origin: 'stored', history: begun(handlesOf(rig)) };
    });
  }, []);
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    // Anywhere on the page: the browser would leave the editor for a file that is dropped elsewhere.
    const drop = (event: DragEvent) => {
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      if (file !== undefined && !isSaving.value && !isLeaving.value) void choose(file);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('drop', drop);
    };
  }, []);
  const change = (history: History<Handles>) => {
    problem.value = undefined;
    opened.value = { ...opened.value!, history };
  };
  const save = async () => {
    const { picture, history } = opened.value!;
    const wrong = problemOf(history.present);
    problem.value = wrong === undefined ? undefined : texts.problems[wrong];
    if (wrong !== undefined) return;
    isSaving.value = true;
    try {
      onSaved(await savePicture(projectId, character.name, picture, history.present));
    } catch (error) {
      problem.value = messageOf(error);
    } finally {
      isSaving.value = false;
    }
  };
  const isUnsaved =
    opened.value !== undefined && (opened.value.origin !== 'stored' || opened.value.history.past.length > 0);
  const leave = () => {
    if (isUnsaved) isLeaving.value = true;
    else onClose();
  };
  return (
    <Dialog title={texts.title(character.name)} onClose={leave} isWide isBusy={isSaving.value}>
      <p class="picture-consent">{texts.consent}</p>
      {opened.value === undefined ? (
        <Chooser isFirst onFile={choose} />
      ) : (
        <Placing
          opened={opened.value}
          name={character.name}
          speech={isOn.value ? speech.value : undefined}
          isSpeaking={isOn}
          onChange={change}
          onFile={choose}
        />
      )}
      <p class="soft" role="status">
        {progress.value}
      </p>
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
        <Button look="primary" disabled={opened.value === undefined} onPress={save}>
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

function guess(canvas: HTMLCanvasElement) {
  const { width, height } = canvas;
  const small = drawn(canvas, 0, 0, width, height, Math.min(1, guessSide / Math.max(width, height)));
  return firstGuess(small.getContext('2d')!.getImageData(0, 0, small.width, small.height));
}

async function storedRig(url: URL): Promise<PictureRig> {
  const rig = (await (await fetch(url)).json()) as PictureRig;
  if (rig.rig !== pictureRigSchema.properties.rig.const) throw new Error(texts.problems.gone);
  return rig;
}

/** Takes a file. */
function Chooser({ isFirst, onFile }: { isFirst: boolean; onFile(file: File): void }) {
  const id = useId();
  return (
    <div class={isFirst ? 'picture-drop' : 'picture-drop small'}>
      <label for={id}>{isFirst ? texts.choose : texts.other}</label>
      <input
        id={id}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        aria-describedby={isFirst ? `${id}-help` : undefined}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      {isFirst ? (
        <p class="soft" id={`${id}-help`}>
          {texts.chooseHelp}
        </p>
      ) : null}
    </div>
  );
}

interface PlacingProps {
  opened: Opened;
  name: string;
  speech: Parameters<typeof Preview>[0]['speech'];
  isSpeaking: { value: boolean };
  onChange(history: History<Handles>): void;
  onFile(file: File): void;
}

/** Moves the handles, beside the preview. */
function Placing({ opened, name, speech, isSpeaking, onChange, onFile }: PlacingProps) {
  const { picture, origin, history } = opened;
  const { past, present, future } = history;
  const { canvas } = picture;
  const id = useId();
  const isSliding = useSignal(false);
  const view = useSignal(closeView(present, canvas));
  useEffect(() => {
    view.value = origin === 'notFound' ? wholePicture : closeView(present, canvas);
  }, [canvas]);
  const keyDown = (event: KeyboardEvent) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== 'z' && key !== 'y')) return;
    event.preventDefault();
    onChange(key === 'y' || event.shiftKey ? redone(history) : undone(history));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work on all controls inside
    <div class="picture-face" onKeyDown={keyDown}>
      <div class="picture-side">
        <Preview picture={canvas} view={view.value} handles={present} name={name} speech={speech} />
        <div class="picture-actions">
          <button
            type="button"
            class="button normal"
            aria-pressed={isSpeaking.value}
            onClick={() => {
              isSpeaking.value = !isSpeaking.value;
            }}
          >
            {isSpeaking.value ? texts.quiet : texts.speak}
          </button>
          <Button
            onPress={() => {
              view.value = view.value === wholePicture ? closeView(present, canvas) : wholePicture;
            }}
          >
            {view.value === wholePicture ? texts.closely : texts.whole}
          </Button>
          <Button isPaused={past.length === 0} onPress={() => onChange(undone(history))}>
            {texts.undo}
          </Button>
          <Button isPaused={future.length === 0} onPress={() => onChange(redone(history))}>
            {texts.redo}
          </Button>
        </div>
      </div>
      <div class="picture-points">
        <p>{texts[origin]}</p>
        <Stage
          picture={canvas}
          view={view.value}
          handles={present}
          onChange={(next, isSameStep) => onChange(changed(history, next, isSameStep))}
        />
        <p class="soft">{texts.help}</p>
        <div class="field">
          <label for={id}>{texts.eyeHeight}</label>
          <input
            id={id}
            class="slider"
            type="range"
            min={0.1}
            max={0.5}
            step={0.01}
            value={present.eyeHeight}
            onInput={({ currentTarget }) => {
              const next = { ...present, eyeHeight: Number(currentTarget.value) };
              onChange(changed(history, next, isSliding.value));
              isSliding.value = true;
            }}
            onChange={() => {
              isSliding.value = false;
            }}
          />
        </div>
        <Chooser isFirst={false} onFile={onFile} />
      </div>
    </div>
  );
}

import { languageName } from '../document/language-name.ts';
import './preview.css';
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { may, me } from '../../state/me.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { previewTexts } from '../../texts/editor/preview.ts';
import type { Experience } from '../document/model.ts';
import { isSame } from '../document/same.ts';
import { toastNotSaved } from '../saving/after-closing.ts';
import type { Draft } from '../saving/draft.ts';
import { VisitorChoices } from './choices.tsx';
import { Links } from './links.tsx';
import { looksOf } from './looks.ts';
import { OwnPreview } from './own-preview.ts';
import { PreviewFrame, type PreviewFrameHandle } from './preview-frame.tsx';
import { type Grant, resolveLanguages, SecondLanguageNeeded, visitor, visitorOf } from './visitor.ts';

/** The session in the frame: its revision, its languages, and the reason for the languages. */
interface Shown {
  revision: number;
  locale: string;
  secondaryLocale?: string;
  because: string;
}

/** The preview beside the form, for a conversation with the draft. */
export function Preview({ draft }: { draft: Draft }) {
  const own = useMemo(() => new OwnPreview(draft.experienceId), [draft.experienceId]);
  const reason = whyNot(draft);
  return (
    <section class="preview" aria-labelledby="preview-title">
      <h2 id="preview-title" tabIndex={-1}>
        {previewTexts.title}
      </h2>
      {reason === undefined ? <Talking draft={draft} own={own} /> : <p class="soft">{reason}</p>}
      <Links draft={draft} isOwn={(previewId) => previewId === own.previewId} />
    </section>
  );
}

function whyNot(draft: Draft): string | undefined {
  if (!may('edit-experiences'))
    return `${previewTexts.forbidden} ${previewTexts.forbiddenRole(me.value?.operator.role ?? '')}`;
  return (draft.saved.value.experience as Experience).status === 'archived'
    ? previewTexts.archived
    : undefined;
}

function Talking({ draft, own }: { draft: Draft; own: OwnPreview }) {
  const choices = useRef<HTMLDetailsElement>(null);
  const frame = useRef<PreviewFrameHandle | undefined>(undefined);
  const shown = useSignal<Shown | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  // A message about the document does not apply to a changed one.
  useSignalEffect(() => {
    void draft.document.value;
    problem.value = undefined;
  });
  useEffect(() => {
    const withdraw = () => own.withdraw();
    addEventListener('pagehide', withdraw);
    return () => {
      removeEventListener('pagehide', withdraw);
      own.close();
    };
  }, [own]);

  const grant = async (): Promise<Grant | undefined> => {
    problem.value = undefined;
    try {
      const { latestRevision: revision, experience } = draft.saved.value;
      const asking = visitorOf(experience as Experience);
      const [code, { because, ...languages }] = await Promise.all([
        own.codeFor(revision),
        resolveLanguages(draft.experienceId, revision, asking),
      ]);
      shown.value = { revision, because, ...languages };
      return { code, ...languages, speechOnly: asking.speechOnly };
    } catch (error) {
      problem.value = previewTexts.failed(messageOf(error));
      if (error instanceof SecondLanguageNeeded) choices.current?.setAttribute('open', '');
      return undefined;
    }
  };
  const restart = async () => {
    problem.value = undefined;
    try {
      await draft.saveIfChanged();
      frame.current?.start();
    } catch (error) {
      if (draft.isClosed.value) return toastNotSaved(draft, error);
      const count = draft.problems.value.length;
      problem.value = previewTexts.notSaved(
        count > 0 ? `${frameTexts.problems.title(count)}.` : messageOf(error),
      );
    }
  };
  return (
    <>
      <PreviewFrame
        looks={looksOf(draft.saved.value.experience as Experience, visitor.value.speechOnly)}
        onStart={grant}
        onWithdrawn={() => own.forget()}
        handle={(made) => {
          frame.current = made;
        }}
      />
      <State draft={draft} shown={shown.value} />
      {problem.value === undefined ? null : (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
      <div class="row">
        <Button look={draft.isChanged.value ? 'primary' : 'normal'} onPress={restart}>
          {previewTexts.restart}
        </Button>
      </div>
      <details ref={choices} class="visitor">
        <summary>{previewTexts.choices}</summary>
        <VisitorChoices
          draft={draft}
          onChange={() => {
            if (frame.current?.isTalking) frame.current.start();
          }}
        />
      </details>
    </>
  );
}

/** The revision that talks, its languages and the reason for them, and whether the form is newer. */
function State({ draft, shown }: { draft: Draft; shown: Shown | undefined }) {
  // Settings such as origins are not part of a revision, so they do not change the preview.
  const isOlder = useComputed(() => {
    const saved = draft.saved.value.experience as Experience;
    const { title, runtime } = draft.document.value;
    return !isSame([title, runtime], [saved.title, saved.runtime]);
  });
  const latest = useComputed(() => draft.saved.value.latestRevision);
  return (
    <p class="preview-state" role="status">
      {sentence()}
    </p>
  );

  function sentence() {
    if (shown === undefined)
      return isOlder.value ? previewTexts.beforeChanged(latest.value) : previewTexts.before(latest.value);
    if (isOlder.value) return <strong class="warn">{previewTexts.outdated(shown.revision)}</strong>;
    if (shown.revision !== latest.value)
      return <strong class="warn">{previewTexts.newer(shown.revision, latest.value)}</strong>;
    const [first, second] = [shown.locale, shown.secondaryLocale].map((tag) => tag && languageName(tag));
    const languages = second === undefined ? first! : previewTexts.and(first!, second);
    return (
      <>
        {previewTexts.shows(shown.revision, languages)} <span class="soft">{shown.because}</span>
      </>
    );
  }
}

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button, LinkButton } from '../parts/button.tsx';
import { Empty } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { Time } from '../parts/time.tsx';
import { may, me } from '../state/me.ts';
import { hashOf } from '../state/route.ts';
import { toast } from '../state/toasts.ts';
import { frameTexts } from '../texts/editor/frame.ts';
import { yamlTexts } from '../texts/editor/yaml.ts';
import { texts } from '../texts/texts.ts';
import { createAgain } from './saving/create-again.ts';
import { discardUnsaved } from './saving/discard-unsaved.ts';
import { type FoundUnsaved, findClosed } from './saving/keep-draft.ts';

interface MissingProps {
  projectId: string;
  experienceId: string;
  /** Called with the id of the experience that was created instead. */
  onCreated(id: string): unknown;
}

/** Says that there is no such experience. If the operator has unsaved changes to it, because it was deleted since, offers these. */
export function Missing({ projectId, experienceId, onCreated }: MissingProps) {
  const found = useSignal<readonly FoundUnsaved[]>([]);
  const [first] = found.value;
  useEffect(() => {
    findClosed(experienceId, me.value?.operator.operatorId ?? '').then(
      (unsaved) => {
        found.value = unsaved;
      },
      // The browser keeps nothing.
      () => undefined,
    );
  }, []);
  const back = <LinkButton href={hashOf([projectId, 'experiences'])}>{frameTexts.back}</LinkButton>;
  if (first === undefined)
    return (
      <Screen title={frameTexts.missing.title}>
        <Empty title={frameTexts.missing.text}>{back}</Empty>
      </Screen>
    );
  const { title } = first.value.document;
  return (
    <Screen title={frameTexts.missing.deleted} intro={frameTexts.missing.deletedText} actions={back}>
      <Empty title={frameTexts.missing.unsaved(title || experienceId)}>
        <p>
          {frameTexts.missing.lastChanged} <Time at={first.value.at} />. {frameTexts.missing.kept}{' '}
          {may('edit-experiences')
            ? frameTexts.missing.createText
            : frameTexts.missing.ask(me.value?.operator.role ?? '')}
        </p>
        <div class="row">
          {may('edit-experiences') ? (
            <Button
              look="primary"
              onPress={async () => onCreated(await createAgain(projectId, experienceId, first))}
            >
              {frameTexts.missing.create}
            </Button>
          ) : null}
          <Button onPress={() => copy(first)}>{frameTexts.missing.copy}</Button>
          <Button onPress={() => discardUnsaved(found, first)}>{frameTexts.missing.discard}</Button>
        </div>
      </Empty>
    </Screen>
  );
}

/** Copies the document, or the text as it was typed if that is newer and cannot be read. */
async function copy({ value: { document, text } }: FoundUnsaved): Promise<void> {
  const { asItem } = await import('./yaml/text.ts');
  await navigator.clipboard.writeText(text?.text ?? asItem(document));
  toast(text === undefined ? yamlTexts.copied : texts.copied);
}

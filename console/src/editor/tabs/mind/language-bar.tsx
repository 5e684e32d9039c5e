import { computed, useSignal } from '@preact/signals';
import type { Mind } from '@session-launch/contract/project-file/mind';
import { useMemo } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Select, TextField } from '../../../parts/field.tsx';
import { useRemovalFocus } from '../../../parts/removal-focus.ts';
import { set } from '../../../state/set.ts';
import { toast } from '../../../state/toasts.ts';
import { itemTexts } from '../../../texts/editor/items.ts';
import { mindTexts } from '../../../texts/editor/mind.ts';
import { languageName } from '../../document/language-name.ts';
import type { Draft } from '../../saving/draft.ts';
import {
  isTag,
  languagesOf,
  type MissingTexts,
  mindPath,
  missingIn,
  withLanguageBack,
  withoutLanguage,
} from './mind-languages.ts';

const texts = mindTexts.languages;

/** Chooses the languages whose columns are shown, lists the missing texts of each, and adds and removes languages. */
export function LanguageBar({ draft }: { draft: Draft }) {
  const { all, shown, chosen } = languagesOf(draft);
  const isAdding = useSignal(false);
  const ref = useRemovalFocus<HTMLDivElement>('.language button', '.languages > button');
  return (
    <div ref={ref} class="language-bar">
      <fieldset class="languages">
        <legend>{texts.shown}</legend>
        {all.value.map((tag) => (
          <Language
            key={tag}
            draft={draft}
            tag={tag}
            isShown={shown.value.includes(tag)}
            isOnly={all.value.length === 1}
            onShow={(isShown) => {
              const others = shown.value.filter((one) => one !== tag);
              chosen.value = new Set(isShown ? [...others, tag] : others);
            }}
          />
        ))}
        {draft.isEditable ? <Button onPress={() => set(isAdding, true)}>{texts.add}</Button> : null}
      </fieldset>
      <p class="soft">{texts.used}</p>
      {isAdding.value ? <AddLanguage draft={draft} onClose={() => set(isAdding, false)} /> : null}
    </div>
  );
}

interface LanguageProps {
  draft: Draft;
  tag: string;
  isShown: boolean;
  isOnly: boolean;
  onShow(isShown: boolean): void;
}

function Language({ draft, tag, isShown, isOnly, onShow }: LanguageProps) {
  const missing = useMemo(
    () => computed(() => partsOf(missingIn((draft.at(mindPath) ?? {}) as Mind, tag)).join(', ')),
    [draft, tag],
  ).value;
  const name = languageName(tag);
  const remove = () => {
    const { added } = languagesOf(draft);
    const before = (draft.at(mindPath) ?? {}) as Mind;
    const addedBefore = added.value;
    added.value = addedBefore.filter((one) => one !== tag);
    draft.change(mindPath, withoutLanguage(before, tag));
    toast(texts.removed(name), {
      owner: draft,
      action: {
        label: itemTexts.undo,
        run: () => {
          added.value = [...new Set([...added.value, ...addedBefore])];
          draft.change(mindPath, withLanguageBack((draft.at(mindPath) ?? {}) as Mind, before, tag));
        },
      },
    });
  };
  return (
    <span class="language">
      <label>
        <input
          type="checkbox"
          checked={isShown}
          onChange={({ currentTarget }) => onShow(currentTarget.checked)}
        />
        <span>{name}</span>
      </label>
      <span class={missing === '' ? 'soft' : 'warn'}>
        {missing === '' ? texts.complete : texts.missing([missing])}
      </span>
      {isOnly || !draft.isEditable ? null : (
        <button type="button" class="button plain icon" aria-label={texts.remove(name)} onClick={remove}>
          ✕
        </button>
      )}
    </span>
  );
}

/** What a language lacks, in words. */
function partsOf({ greeting, fallback, topics, sections }: MissingTexts): string[] {
  return [
    greeting ? texts.greeting : '',
    fallback ? texts.fallback : '',
    topics === 0 ? '' : texts.topics(topics),
    sections === 0 ? '' : texts.sections(sections),
  ].filter((one) => one !== '');
}

/** Languages to choose from: those with the most speakers and those with built-in phrases. Others are added by their tag. */
const common =
  'en es fr de pt-BR pt-PT it nl pl sv da nb fi cs hu ro el uk ru tr ar he fa hi bn ur ta id ms vi th ja ko zh-CN zh-TW'.split(
    ' ',
  );

function AddLanguage({ draft, onClose }: { draft: Draft; onClose(): void }) {
  const { all, shown, added, chosen } = languagesOf(draft);
  const options = common.filter((tag) => !all.value.includes(tag));
  const selected = useSignal(options[0] ?? '');
  const other = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const add = (event: Event) => {
    event.preventDefault();
    const written = selected.value === '' ? other.value.trim() : selected.value;
    if (!isTag(written)) {
      problem.value = texts.invalid;
      return;
    }
    const tag = new Intl.Locale(written).toString();
    if (all.value.includes(tag)) {
      problem.value = texts.known(languageName(tag));
      return;
    }
    // The first column stays beside the new one, to translate from.
    chosen.value = new Set([...shown.value.slice(0, 1), tag]);
    added.value = [...added.value, tag];
    onClose();
  };
  return (
    <Dialog title={texts.addTitle} onClose={onClose}>
      <form class="stack" onSubmit={add}>
        <Select
          label={texts.choose}
          value={selected.value}
          problem={selected.value === '' ? undefined : problem.value}
          options={[
            ...options.map((tag) => ({ value: tag, label: languageName(tag) })),
            { value: '', label: texts.other },
          ]}
          onChange={(tag) => set(selected, tag)}
        />
        {selected.value === '' ? (
          <TextField
            label={texts.tag}
            help={texts.tagHelp}
            problem={problem.value}
            value={other.value}
            required
            onInput={(tag) => set(other, tag)}
          />
        ) : null}
        <div class="dialog-foot">
          <Button type="submit" look="primary">
            {texts.addButton}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

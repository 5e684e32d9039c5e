import { useSignal } from '@preact/signals';
import { Button, LinkButton } from '../../../parts/button.tsx';
import { TextField } from '../../../parts/field.tsx';
import { useRemovalFocus } from '../../../parts/removal-focus.ts';
import { may } from '../../../state/me.ts';
import { hashOf } from '../../../state/route.ts';
import { accessTexts } from '../../../texts/editor/access.ts';
import { pathText } from '../../document/path.ts';
import { useField, useHeldText } from '../../fields/fields.tsx';
import type { Draft } from '../../saving/draft.ts';

const path = ['allowedOrigins'];

/** The origins whose pages may start the experience publicly. */
export function OriginList({ draft }: { draft: Draft }) {
  const { value, problem } = useField(draft, path);
  const isPublic = useField(draft, ['public']).value === true;
  const origins = (value as string[] | undefined) ?? [];
  // Saving needs the permission to edit; the service also refuses changed origins without the other one.
  const isEditable = draft.isEditable && may('run-integration');
  const ref = useRemovalFocus<HTMLElement>('.origin-list button', '.add-origin input');
  return (
    <section ref={ref} class="part" data-path={pathText(path)}>
      <h2>{accessTexts.origins}</h2>
      <p class="soft">{accessTexts.originsText}</p>
      {origins.length === 0 ? <p>{accessTexts.noOrigins}</p> : null}
      {origins.length > 0 && !isPublic ? <p class="warn">{accessTexts.notPublic}</p> : null}
      <ul class="origin-list">
        {origins.map((origin, i) => (
          <Origin
            key={origin}
            draft={draft}
            origin={origin}
            index={i}
            onRemove={
              isEditable
                ? () =>
                    draft.change(
                      path,
                      origins.filter((_, j) => j !== i),
                    )
                : undefined
            }
          />
        ))}
      </ul>
      {problem === undefined ? null : <p class="bad">{problem}</p>}
      {isEditable ? <AddOrigin draft={draft} /> : <p>{accessTexts.ownersOnly}</p>}
      <div class="row">
        <span class="soft">{accessTexts.projectOrigins}</span>
        <LinkButton href={hashOf([draft.projectId, 'embeds'])}>{accessTexts.openEmbeds}</LinkButton>
      </div>
    </section>
  );
}

interface OriginProps {
  draft: Draft;
  origin: string;
  index: number;
  onRemove: (() => void) | undefined;
}

function Origin({ draft, origin, index, onRemove }: OriginProps) {
  const { problem } = useField(draft, [...path, index]);
  return (
    <li>
      <span>
        <code>{origin}</code>
        {problem === undefined ? null : <span class="bad">{problem}</span>}
      </span>
      {onRemove === undefined ? null : (
        <Button look="plain" label={accessTexts.remove(origin)} onPress={onRemove}>
          ✕
        </Button>
      )}
    </li>
  );
}

function AddOrigin({ draft }: { draft: Draft }) {
  const added = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const add = () => {
    const origin = added.value.trim();
    if (origin === '') return;
    const origins = (draft.at(path) as string[] | undefined) ?? [];
    if (origins.includes(origin)) {
      problem.value = accessTexts.duplicate(origin);
      return;
    }
    draft.change(path, [...origins, origin]);
    added.value = '';
  };
  useHeldText(draft, add);
  return (
    <form
      class="add-origin"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <TextField
        label={accessTexts.add}
        help={accessTexts.addHelp}
        problem={problem.value}
        value={added.value}
        onInput={(text) => {
          added.value = text;
          problem.value = undefined;
        }}
        onChange={add}
      />
      <Button type="submit">{accessTexts.add}</Button>
    </form>
  );
}

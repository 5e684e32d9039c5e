import { useSignal } from '@preact/signals';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { may } from '../../state/me.ts';
import { set } from '../../state/set.ts';
import { changeProject, type Project } from '../../state/settings.ts';
import { toast } from '../../state/toasts.ts';
import { useTyped } from '../../state/typed.ts';
import { texts } from '../../texts/texts.ts';
import { type Clash, compare, decided, retyped, type Side, type TypedLimits, typedSince } from './changes.ts';
import { ClashDialog, type KnownClash, withAuthors } from './clash-dialog.tsx';
import { type LimitName, limitNames, type Use } from './use.ts';

interface LimitFormProps {
  project: Project;
  use: Record<LimitName, Use>;
  onSaved(): unknown;
}

/** Each limit with its value, which owners change, and its use. */
export function LimitForm({ project, use, onSaved }: LimitFormProps) {
  const typed = useTyped<TypedLimits>(`typed limits ${project.id}`, {});
  const problem = useSignal<string | undefined>(undefined);
  const asking = useSignal<readonly KnownClash[]>([]);
  const isEditable = may('manage-projects');
  const saved = (name: LimitName) => project.limits[name] ?? null;
  const written = (name: LimitName) => typed.value[name]?.text ?? String(saved(name) ?? '');
  const isNumber = (name: LimitName) => /^\d*$/.test(written(name).trim());
  const { clashes } = compare(typed.value, project.limits);
  const problemOf = (name: LimitName) => {
    if (!isNumber(name)) return texts.limits.notANumber;
    const clash = clashes.find((one) => one.name === name);
    return clash && texts.limits.changedTo(texts.limits.shown(clash.theirs));
  };
  const helpOf = (name: LimitName) =>
    typed.value[name] === undefined || problemOf(name) !== undefined
      ? undefined
      : texts.limits.savedValue(texts.limits.shown(saved(name)));
  const save = async () => {
    problem.value = undefined;
    if (!limitNames.every(isNumber)) return;
    const sent = typed.value;
    let found: readonly Clash[] = [];
    try {
      await changeProject(project.id, ({ limits }) => {
        const { changes, clashes } = compare(sent, limits);
        found = clashes;
        return clashes.length > 0 ? undefined : { limits: changes };
      });
      // Before the typed limits are forgotten: the fields would show the earlier ones for a moment.
      await onSaved();
      if (found.length > 0) asking.value = await withAuthors(project.id, found);
      else {
        typed.set(typedSince(sent, typed.value));
        toast(texts.limits.saved);
      }
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const decide = (choices: Record<string, Side>) => {
    typed.set(decided(typed.value, asking.value, choices));
    asking.value = [];
    return save();
  };
  const value = (name: LimitName) =>
    isEditable ? (
      <TextField
        label={texts.limits.names[name]}
        isLabelHidden
        placeholder={texts.limits.unlimited}
        value={written(name)}
        help={helpOf(name)}
        problem={problemOf(name)}
        onInput={(text) => typed.set({ [name]: retyped(typed.value[name], text, saved(name)) })}
      />
    ) : (
      texts.limits.shown(saved(name))
    );
  return (
    <>
      <Form look="stack limits" onSubmit={save}>
        {isEditable ? null : <p class="soft">{texts.limits.readOnly}</p>}
        <Table
          caption={texts.limits.caption}
          rows={limitNames}
          keyOf={(name) => name}
          columns={[
            { title: texts.limits.name, isName: true, cell: (name) => texts.limits.names[name] },
            { title: texts.limits.value, cell: value },
            { title: texts.limits.used, cell: (name) => use[name].used },
            { title: texts.limits.refused, isNumber: true, cell: (name) => use[name].refused ?? '–' },
          ]}
        />
        {problem.value === undefined ? null : (
          <p class="bad" role="alert">
            {problem.value}
          </p>
        )}
        {isEditable ? (
          <div class="row">
            <Button type="submit" look="primary">
              {texts.limits.save}
            </Button>
            {limitNames.every((name) => typed.value[name] === undefined) ? null : (
              <Button onPress={typed.forget}>{texts.limits.discard}</Button>
            )}
          </div>
        ) : null}
      </Form>
      {asking.value.length === 0 ? null : (
        <ClashDialog clashes={asking.value} onDecide={decide} onClose={() => set(asking, [])} />
      )}
    </>
  );
}

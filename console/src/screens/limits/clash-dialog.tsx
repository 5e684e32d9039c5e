import { useSignal } from '@preact/signals';
import { request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choices } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts/texts.ts';
import type { Clash, Side } from './changes.ts';

/** A clash with who changed the limit, if that is among the newest entries of the audit. */
export interface KnownClash extends Clash {
  by?: string;
  at?: string;
}

export async function withAuthors(projectId: string, clashes: readonly Clash[]): Promise<KnownClash[]> {
  const { entries } = await request('GET /admin/audit', { query: { projectId } }).catch(() => ({
    entries: [],
  }));
  return clashes.map((clash) => {
    const entry = entries.find(({ changes }) =>
      changes.some(({ path, after }) => path === `limits.${clash.name}` && after === clash.theirs),
    );
    return entry === undefined ? clash : { ...clash, by: entry.actor.name, at: entry.at };
  });
}

interface ClashDialogProps {
  clashes: readonly KnownClash[];
  onDecide(choices: Record<string, Side>): Promise<void>;
  onClose(): void;
}

/** Lets the operator choose between two values of each limit that another operator also changed. */
export function ClashDialog({ clashes, onDecide, onClose }: ClashDialogProps) {
  const choices = useSignal<Record<string, Side>>({});
  const { clash: words, names, shown } = texts.limits;
  return (
    <Dialog title={words.title} onClose={onClose}>
      <p>{words.intro}</p>
      <Form onSubmit={() => onDecide(choices.value)}>
        {clashes.map(({ name, base, mine, theirs, by = words.unknown, at }) => (
          <Choices
            key={name}
            label={names[name]}
            type="radio"
            options={[
              { value: 'mine', label: words.mine(shown(mine)) },
              { value: 'theirs', label: words.theirs(shown(theirs)) },
            ]}
            help={
              <>
                {words.before(shown(base))} {words.changed(by)} {at === undefined ? null : <Time at={at} />}
              </>
            }
            chosen={[choices.value[name] ?? '']}
            onChange={([side]) => {
              choices.value = { ...choices.value, [name]: side as Side };
            }}
          />
        ))}
        <div class="dialog-foot">
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button
            type="submit"
            look="primary"
            disabled={clashes.some(({ name }) => choices.value[name] === undefined)}
          >
            {texts.limits.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

import { useSignal } from '@preact/signals';
import type { ProjectSettings } from '@session-launch/contract/admin/project-settings';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useRemovalFocus } from '../../parts/removal-focus.ts';
import { may } from '../../state/me.ts';
import { changeProject, type Project } from '../../state/settings.ts';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts/texts.ts';
import { EmbedsSwitch } from './embeds-switch.tsx';

interface OriginsProps {
  project: Project;
  onChanged(): unknown;
}

/** The allowed origins of the project, and the switch for embeds. */
export function Origins({ project, onChanged }: OriginsProps) {
  const { id, allowedOrigins, browserEmbeds } = project;
  const added = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const isEditable = may('run-integration');
  const ref = useRemovalFocus<HTMLElement>('.origins button', 'form input');
  const set = async (change: (now: Project) => ProjectSettings) => {
    await changeProject(id, change);
    await onChanged();
  };
  const add = async () => {
    problem.value = undefined;
    const origin = added.value.trim();
    try {
      await set((now) => ({ allowedOrigins: [...now.allowedOrigins, origin] }));
      toast(texts.overview.allowed(origin));
      added.value = '';
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const remove = async (origin: string) => {
    await set((now) => ({ allowedOrigins: now.allowedOrigins.filter((one) => one !== origin) }));
    const undo = () => set((now) => ({ allowedOrigins: [...now.allowedOrigins, origin] }));
    toast(texts.embeds.removed(origin), { action: { label: texts.undo, run: undo } });
  };
  return (
    <section ref={ref} class="panel">
      <h2>{texts.embeds.origins}</h2>
      <p class="soft">{texts.embeds.originsHelp}</p>
      {allowedOrigins.length === 0 ? <p>{texts.embeds.noOrigins}</p> : null}
      <ul class="origins">
        {allowedOrigins.map((origin) => (
          <li key={origin} class="row spread">
            <code>{origin}</code>
            {isEditable ? (
              <Button look="plain" label={texts.embeds.remove(origin)} onPress={() => remove(origin)}>
                ✕
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {isEditable ? (
        <Form onSubmit={add}>
          <TextField
            label={texts.embeds.add}
            help={texts.embeds.originHelp}
            problem={problem.value}
            value={added.value}
            onInput={(value) => {
              added.value = value;
            }}
            required
          />
          <div class="row">
            <Button type="submit" look="primary">
              {texts.embeds.add}
            </Button>
          </div>
          <EmbedsSwitch isOn={browserEmbeds} onSwitch={(isOn) => set(() => ({ browserEmbeds: isOn }))} />
        </Form>
      ) : (
        <p>{browserEmbeds ? texts.embeds.on : texts.embeds.off}</p>
      )}
    </section>
  );
}

import { useSignal } from '@preact/signals';
import type { Fix as FixOf, Refusal } from '@session-launch/contract/admin/overview';
import type { Permission } from '@session-launch/contract/roles';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { may } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { set } from '../../state/set.ts';
import { changeExperience, changeProject } from '../../state/settings.ts';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts/texts.ts';
import { PublishFix } from './publish-fix.tsx';

interface RefusalsProps {
  projectId: string;
  refusals: readonly Refusal[];
  onChanged(): unknown;
}

/** What was refused, where and why, each with the button that helps. */
export function Refusals({ projectId, refusals, onChanged }: RefusalsProps) {
  if (refusals.length === 0) return <p class="soft">{texts.overview.noRefusals}</p>;
  return (
    <Table
      caption={texts.overview.refusals}
      rows={refusals}
      keyOf={({ code, door, origin = '', experienceId = '' }) => `${code} ${door} ${origin} ${experienceId}`}
      columns={[
        {
          title: texts.overview.reason,
          isName: true,
          cell: ({ code, hint }) => (
            <span>
              {hint ?? code} <code class="soft">{code}</code>
            </span>
          ),
        },
        {
          title: texts.overview.where,
          cell: ({ origin, experienceId }) => <code>{origin ?? experienceId ?? texts.none}</code>,
        },
        { title: texts.overview.count, isNumber: true, cell: ({ count }) => count.toLocaleString('en') },
        { title: texts.overview.last, cell: ({ lastAt }) => <Time at={lastAt} /> },
        {
          title: '',
          cell: ({ fix }) =>
            fix === undefined ? null : (
              <span class="actions fix">
                <Fix projectId={projectId} fix={fix} onChanged={onChanged} />
              </span>
            ),
        },
      ]}
    />
  );
}

interface FixProps {
  projectId: string;
  fix: FixOf;
  onChanged(): unknown;
}

const editing: Permission[] = ['edit-experiences'];

/** The button that helps. Operators who may not change it get none. */
function Fix({ projectId, fix, onChanged }: FixProps) {
  const { overview } = texts;
  switch (fix.kind) {
    case 'allow-origin': {
      const { origin } = fix;
      const experienceId = 'experienceId' in fix ? fix.experienceId : undefined;
      const change = () =>
        experienceId === undefined
          ? changeProject(projectId, (project) => ({ allowedOrigins: [...project.allowedOrigins, origin] }))
          : changeExperience(experienceId, ({ allowedOrigins = [] }) => ({
              allowedOrigins: [...allowedOrigins, origin],
            }));
      return (
        <Ask
          permissions={['run-integration', ...(experienceId === undefined ? [] : editing)]}
          action={overview.allow(origin)}
          title={overview.allowTitle}
          text={
            experienceId === undefined
              ? overview.allowText(origin)
              : overview.allowExperienceText(origin, experienceId)
          }
          done={overview.allowed(origin)}
          change={change}
          onChanged={onChanged}
        />
      );
    }
    case 'enable-embeds':
      return (
        <Ask
          permissions={['run-integration']}
          action={overview.embedsOn}
          title={overview.embedsOnTitle}
          text={overview.embedsOnText}
          done={overview.embedsAreOn}
          change={() => changeProject(projectId, () => ({ browserEmbeds: true }))}
          onChanged={onChanged}
        />
      );
    case 'publish':
      return <PublishFix projectId={projectId} experienceId={fix.experienceId} onChanged={onChanged} />;
    case 'make-public':
      return (
        <Ask
          permissions={editing}
          action={overview.makePublic}
          title={overview.makePublicTitle}
          text={overview.makePublicText(fix.experienceId)}
          done={overview.isPublic(fix.experienceId)}
          change={() => changeExperience(fix.experienceId, () => ({ public: true }))}
          onChanged={onChanged}
        />
      );
    case 'open-languages':
      return (
        <LinkButton href={hashOf([projectId, 'experiences', fix.experienceId, 'languages'])}>
          {overview.languages}
        </LinkButton>
      );
    case 'raise-limit':
      return <LinkButton href={hashOf([projectId, 'limits'])}>{overview.limits}</LinkButton>;
  }
}

interface AskProps {
  /** All of these are needed. */
  permissions: readonly Permission[];
  action: string;
  title: string;
  text: string;
  done: string;
  change(): Promise<void>;
  onChanged(): unknown;
}

/** A button that asks, changes a setting, and shows the next state. */
function Ask({ permissions, action, title, text, done, change, onChanged }: AskProps) {
  const isAsking = useSignal(false);
  if (!permissions.every(may)) return null;
  const confirm = async () => {
    await change();
    toast(done);
    void onChanged();
  };
  return (
    <>
      <Button look="primary" onPress={() => set(isAsking, true)}>
        {action}
      </Button>
      {isAsking.value ? (
        <Confirm title={title} action={action} onConfirm={confirm} onClose={() => set(isAsking, false)}>
          <p>{text}</p>
        </Confirm>
      ) : null}
    </>
  );
}

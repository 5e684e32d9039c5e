import { useSignal } from '@preact/signals';
import type { Overwritten, Planned, ProjectFileProblem } from '@session-launch/contract/admin/apply';
import { useEffect, useId } from 'preact/hooks';
import { ApiFailure, isConflict, messageOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { may } from '../../state/me.ts';
import { loadProjects } from '../../state/projects.ts';
import { goTo, hashOf } from '../../state/route.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { importTexts as texts } from '../../texts/import.ts';
import { shellTexts } from '../../texts/shell.ts';
import { applyFile, type ChosenFile, maxBytes, planFile, unseen } from './plan.ts';
import { AppliedView, PlanView, Problems } from './plan-view.tsx';

interface ImportProps {
  projectId: string;
  /** The experiences of the project, for their titles. */
  experiences: readonly { experienceId: string; title: string }[];
  /** A file that was dropped on the screen. */
  file?: File | undefined;
  onApplied(): unknown;
  onClose(): void;
}

type State =
  | { step: 'choose'; problem?: string }
  | { step: 'reading' }
  | { step: 'problems'; file: ChosenFile; problems: readonly ProjectFileProblem[] }
  | { step: 'plan'; file: ChosenFile; plan: Planned; isOutdated?: true }
  /** The file is applied, and has undone changes that its plan did not list. */
  | { step: 'applied'; file: ChosenFile; projectId: string; overwrote: readonly Overwritten[] };

/** Shows what a project file would change, then applies it. */
export function Import({ projectId, experiences, file: dropped, onApplied, onClose }: ImportProps) {
  const state = useSignal<State>({ step: 'choose' });
  const read = async (chosen: File) => {
    if (chosen.size > maxBytes) return set(state, { step: 'choose', problem: texts.tooLarge });
    set(state, { step: 'reading' });
    const text = await chosen.text().catch(() => undefined);
    if (text === undefined) return set(state, { step: 'choose', problem: texts.unreadable(chosen.name) });
    const file = { name: chosen.name, text };
    try {
      set(state, { step: 'plan', file, plan: await planFile(file) });
    } catch (error) {
      const problems = problemsOf(error);
      set(
        state,
        problems === undefined
          ? { step: 'choose', problem: messageOf(error) }
          : { step: 'problems', file, problems },
      );
    }
  };
  useEffect(() => {
    if (dropped !== undefined) void read(dropped);
  }, [dropped]);
  const apply = async (file: ChosenFile, plan: Planned) => {
    const outdated = (fresh: Planned) => set(state, { step: 'plan', file, plan: fresh, isOutdated: true });
    // The service refuses `expect` if the file undoes changes. The operator agreed to the changes shown, so the version must still be the same.
    const isUndoing = plan.overwrote.length > 0;
    let undone: Overwritten[];
    if (isUndoing) {
      const fresh = await planFile(file);
      if (JSON.stringify(fresh) !== JSON.stringify(plan)) return outdated(fresh);
    }
    try {
      const expect = isUndoing ? undefined : String(plan.version);
      const { pendingDrafts, overwrote } = await applyFile(file, expect);
      undone = unseen(overwrote, plan.overwrote);
      const messages = [
        ...(undone.length === 0 ? [texts.applied(file.name)] : []),
        ...pendingDrafts.map(({ experienceId, revision }) => texts.pending(experienceId, revision)),
      ];
      if (messages.length > 0) toast(messages.join(' '));
    } catch (error) {
      if (!isConflict(error)) throw error;
      return outdated(await planFile(file));
    }
    if (undone.length === 0) return show(plan.projectId);
    set(state, { step: 'applied', file, projectId: plan.projectId, overwrote: undone });
  };
  /** Closes the dialog and shows the project that the file has changed. */
  const show = async (changed: string) => {
    onClose();
    if (changed === projectId) return onApplied();
    await loadProjects();
    goTo(hashOf([changed, 'experiences']));
  };
  const shown = state.value;
  if (shown.step === 'applied') {
    const close = () => show(shown.projectId);
    return (
      <Dialog key="applied" title={texts.appliedTitle(shown.file.name)} onClose={close} isWide>
        <AppliedView experiences={experiences} {...shown} />
        <div class="dialog-foot">
          <Button look="primary" autoFocus onPress={close}>
            {shellTexts.close}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.title} onClose={onClose} isWide>
      {shown.step === 'choose' ? <Choose problem={shown.problem} onChoose={read} /> : null}
      {shown.step === 'reading' ? <p role="status">{texts.reading}</p> : null}
      {shown.step === 'problems' ? <Problems {...shown} /> : null}
      {shown.step === 'plan' ? <PlanView projectId={projectId} experiences={experiences} {...shown} /> : null}
      <div class="dialog-foot">
        {shown.step === 'problems' || shown.step === 'plan' ? (
          <Button look="plain" onPress={() => set(state, { step: 'choose' })}>
            {texts.another}
          </Button>
        ) : null}
        <Button onPress={onClose}>{shellTexts.cancel}</Button>
        {shown.step === 'plan' && isChanging(shown.plan) && may('manage-projects') ? (
          <Button
            look={shown.plan.overwrote.length > 0 ? 'danger' : 'primary'}
            onPress={() => apply(shown.file, shown.plan)}
          >
            {shown.plan.overwrote.length > 0 ? texts.applyAnyway : texts.apply}
          </Button>
        ) : null}
      </div>
    </Dialog>
  );
}

function isChanging({ changes, newRevisions }: Planned): boolean {
  return changes.length > 0 || newRevisions.length > 0;
}

function problemsOf(error: unknown): readonly ProjectFileProblem[] | undefined {
  if (!(error instanceof ApiFailure) || error.code !== 'PROJECT_FILE_INVALID') return undefined;
  return Array.isArray(error.details) ? (error.details as ProjectFileProblem[]) : undefined;
}

function Choose({ problem, onChoose }: { problem: string | undefined; onChoose(file: File): unknown }) {
  const id = useId();
  const isOver = useSignal(false);
  const choose = (files: FileList | null | undefined) => {
    const [file] = files ?? [];
    if (file !== undefined) void onChoose(file);
  };
  return (
    <>
      <p>{texts.intro}</p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a second way for the mouse; the field below does the same */}
      <div
        class={isOver.value ? 'drop-zone over' : 'drop-zone'}
        onDragOver={(event) => {
          event.preventDefault();
          set(isOver, true);
        }}
        onDragLeave={() => set(isOver, false)}
        onDrop={(event) => {
          event.preventDefault();
          event.stopPropagation();
          set(isOver, false);
          choose(event.dataTransfer?.files);
        }}
      >
        <p id={`${id}-help`}>{texts.drop}</p>
        <label class="button" for={id}>
          {texts.choose}
          <input
            id={id}
            class="hidden-text"
            type="file"
            accept=".yaml,.yml,.json,application/yaml,application/json"
            aria-describedby={`${id}-help`}
            onChange={({ currentTarget }) => choose(currentTarget.files)}
          />
        </label>
      </div>
      {problem === undefined ? null : (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

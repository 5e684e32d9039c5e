import type { Applied, ApplyQuery, Overwritten, Planned } from '@session-launch/contract/admin/apply';
import type { FieldChange } from '@session-launch/contract/admin/changes';
import { request } from '../../api/client.ts';

/** A project file that was chosen or dropped. */
export interface ChosenFile {
  name: string;
  text: string;
}

/** The largest project file that the service accepts, in bytes. */
export const maxBytes = 4 * 1024 * 1024;

export async function planFile(file: ChosenFile): Promise<Planned> {
  return (await send(file, { plan: 'true' })) as Planned;
}

export async function applyFile(file: ChosenFile, expect?: string): Promise<Applied> {
  return (await send(file, expect === undefined ? {} : { expect })) as Applied;
}

function send(file: ChosenFile, query: ApplyQuery): Promise<Applied | Planned> {
  const type = /\.json$/i.test(file.name) ? 'application/json' : 'application/yaml';
  return request('POST /admin/projects', {
    query: { source: sourceOf(file), ...query },
    file: new Blob([file.text], { type }),
  });
}

/** The label of the file: its name, without characters that the service refuses. */
function sourceOf({ name }: ChosenFile): string {
  return name.replace(/\p{Cc}/gu, '').slice(0, 200) || 'file';
}

/** The changes of the project itself, or of one experience. */
export interface ChangeGroup {
  /** Absent for the project. */
  experienceId?: string;
  /** The title, if the change shows it. */
  title?: string;
  isNew: boolean;
  revision?: { revision: number; publishes: boolean };
  /** With paths inside the experience or the project. */
  changes: FieldChange[];
}

/** Groups the changes of a plan by experience, in their order. */
export function groups({ changes, newRevisions }: Planned): ChangeGroup[] {
  const found = new Map<string, ChangeGroup>();
  const groupOf = (experienceId: string | undefined) => {
    const key = experienceId ?? '';
    const known = found.get(key);
    if (known !== undefined) return known;
    const made: ChangeGroup = { ...(experienceId && { experienceId }), isNew: false, changes: [] };
    found.set(key, made);
    return made;
  };
  for (const { path, ...values } of changes) {
    const [, experienceId, rest = ''] = /^experiences\[([^\]]+)\]\.?(.*)$/s.exec(path) ?? [];
    const group = groupOf(experienceId);
    if (experienceId !== undefined && rest === '' && values.before === undefined) {
      const { title } = (values.after ?? {}) as { title?: unknown };
      group.isNew = true;
      if (typeof title === 'string') group.title = title;
    } else
      group.changes.push({
        path: experienceId === undefined ? path.replace(/^project\.?/, '') : rest,
        ...values,
      });
  }
  for (const { experienceId, revision, publishes } of newRevisions)
    groupOf(experienceId).revision = { revision, publishes };
  return [...found.values()];
}

/** What one person changed of an experience, or of the project, and a file undoes. */
export interface OverwrittenBy {
  experienceId?: string;
  by: string;
  /** The time of the latest of these changes. */
  at: string;
  paths: string[];
}

export function overwritten(overwrote: readonly Overwritten[]): OverwrittenBy[] {
  const found = new Map<string, OverwrittenBy>();
  for (const { experienceId, path, by, at } of overwrote) {
    const key = JSON.stringify([experienceId, by]);
    const known = found.get(key);
    found.set(key, {
      ...(experienceId && { experienceId }),
      by,
      at: known !== undefined && known.at > at ? known.at : at,
      paths: [...(known?.paths ?? []), path],
    });
  }
  return [...found.values()];
}

/** The changes that applying a file has undone and that its plan did not list. A later change of the same value is another change. */
export function unseen(undone: readonly Overwritten[], planned: readonly Overwritten[]): Overwritten[] {
  const idOf = ({ experienceId, path, by, at }: Overwritten) => JSON.stringify([experienceId, path, by, at]);
  const known = new Set(planned.map(idOf));
  return undone.filter((one) => !known.has(idOf(one)));
}

/** A path in words: `runtime.mind.topics[1].ask.en` becomes `mind › topics 2 › ask › en`. */
export function inWords(path: string): string {
  return path
    .replace(/^runtime\./, '')
    .split('.')
    .map((step) =>
      step
        .replace(/\[(\d+)\]/g, (_, index: string) => ` ${Number(index) + 1}`)
        .replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`),
    )
    .join(' › ');
}

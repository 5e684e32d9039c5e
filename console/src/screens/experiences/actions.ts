import type { ExperienceState, ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import { isConflict, request, requestText } from '../../api/client.ts';
import { download } from '../../parts/csv.ts';
import { createExperience } from '../../state/create-experience.ts';
import { type StatusChange as Change, requestStatus } from '../../state/experience-status.ts';
import { goTo, hashOf } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { experiencesTexts as texts } from '../../texts/experiences.ts';

/** Publishes, withdraws or archives an experience, and offers to undo it. `onChanged` shows the new state. */
export async function changeStatus(
  one: ExperienceSummary,
  change: Change,
  message: string,
  onChanged: () => unknown,
): Promise<void> {
  const state = await send(one, change, one.version, undefined, onChanged);
  if (state === undefined) return;
  const undo = async () => {
    const [back, revision] = wayBack(one);
    if ((await send(one, back, state.version, revision, onChanged)) === undefined) return;
    toast(texts.undone);
    await onChanged();
  };
  toast(message, { action: { label: texts.undo, run: undo } });
  void onChanged();
}

/** What brings an experience back into the state that the list showed. */
function wayBack({ status, publishedRevision }: ExperienceSummary): [Change, number | undefined] {
  if (publishedRevision !== undefined) return ['publish', publishedRevision];
  return [status === 'archived' ? 'archive' : 'unpublish', undefined];
}

/** Returns `undefined` after a version conflict, which it shows as a toast. */
async function send(
  { experienceId, title }: ExperienceSummary,
  change: Change,
  version: number,
  revision: number | undefined,
  onChanged: () => unknown,
): Promise<ExperienceState | undefined> {
  try {
    const body = revision === undefined ? {} : { revision };
    return await requestStatus(experienceId, change, version, body);
  } catch (error) {
    if (!isConflict(error)) throw error;
    toast(texts.conflict(title, error.details.by), { tone: 'bad' });
    await onChanged();
    return undefined;
  }
}

/** The longest title that an experience may have. */
const longestTitle = 200;

/** Fields that a copy does not take over: its place and state, and who may embed it, which only a developer decides. */
const own = ['id', 'slug', 'title', 'sortOrder', 'status', 'public', 'allowedOrigins'] as const;

/** Creates a draft with the content of the newest revision of an experience. */
export async function duplicate(
  projectId: string,
  { experienceId }: ExperienceSummary,
  all: readonly ExperienceSummary[],
): Promise<void> {
  const { experience } = await request('GET /admin/experiences/{experienceId}', { params: { experienceId } });
  const { title } = experience as { title: string };
  const copied = texts.copyOf(title).slice(0, longestTitle);
  const fields = Object.fromEntries(
    Object.entries(experience).filter(([name]) => !(own as readonly string[]).includes(name)),
  );
  const created = await createExperience(projectId, copied, fields, all);
  const { id } = created.experience as { id: string };
  const open = () => goTo(hashOf([projectId, 'experiences', id, 'setup']));
  toast(texts.isDuplicated(copied), { action: { label: texts.open, run: open } });
}

/** Downloads the newest revision of an experience in the format of a project file. */
export async function downloadExperience({ experienceId, slug }: ExperienceSummary): Promise<void> {
  const text = await requestText('GET /admin/experiences/{experienceId}', {
    params: { experienceId },
    query: { format: 'yaml' },
    accept: 'application/yaml',
  });
  download(`${slug}.yaml`, 'application/yaml', text);
}

/** Downloads a project as a project file. */
export async function downloadProject(projectId: string): Promise<void> {
  const text = await requestText('GET /admin/projects/{projectId}', {
    params: { projectId },
    query: { format: 'yaml' },
    accept: 'application/yaml',
  });
  download(`${projectId}.yaml`, 'application/yaml', text);
}

import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { ApiFailure, request } from '../api/client.ts';
import { idFrom } from './ids.ts';

/** The names that experiences of the project have. */
export interface Taken {
  experienceId: string;
  slug: string;
}

const maxTries = 3;

/**
 * Creates an experience. Its id and slug are those of the fields; if they have none or these are taken, they come from the title, with a
 * number or random letters after them if necessary.
 */
export async function createExperience(
  projectId: string,
  title: string,
  { id, slug, ...fields }: { id?: string; slug?: string; [field: string]: unknown },
  taken: readonly Taken[],
): Promise<ExperienceState> {
  for (let tries = 1; ; tries++) {
    const isNamed = id !== undefined && slug !== undefined && tries === 1;
    const names = isNamed ? { id, slug } : namesFrom(title, taken, tries);
    const experience = { ...names, title, ...fields };
    try {
      return await request('POST /admin/projects/{projectId}/experiences', {
        params: { projectId },
        body: { experience },
      });
    } catch (error) {
      if (tries === maxTries || !isTaken(error)) throw error;
    }
  }
}

/** Ids are unique in the whole service, and another operator may just have taken a slug: further tries get random letters. */
function namesFrom(title: string, taken: readonly Taken[], tries: number): { id: string; slug: string } {
  const id = idFrom('exp', title);
  const slug = id.slice('exp_'.length).replaceAll('_', '-');
  const ids = new Set(taken.map(({ experienceId }) => experienceId));
  const slugs = new Set(taken.map((one) => one.slug));
  for (let number = 1; ; number++) {
    const end = tries > 1 ? randomLetters() : number === 1 ? '' : String(number);
    const names = end === '' ? { id, slug } : { id: `${id}_${end}`, slug: `${slug}-${end}` };
    if (!ids.has(names.id) && !slugs.has(names.slug)) return names;
  }
}

function randomLetters(): string {
  return Math.random().toString(36).slice(2, 6);
}

function isTaken(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false;
  if (error.code === 'SLUG_TAKEN') return true;
  const problems = Array.isArray(error.details) ? (error.details as { path?: string }[]) : [];
  return error.status === 400 && problems.some(({ path }) => path === 'experience.id');
}

import type { ProjectSettings } from '@session-launch/contract/admin/project-settings';
import type { DocumentThread } from '../documents/document-thread.ts';
import type { Requester } from '../documents/fair-queue.ts';
import { ProjectFileError, type ProjectFileProblem } from '../documents/problem.ts';
import type { Experience } from '../documents/project-file.ts';
import { ApiError, invalidRequest } from '../primitives/errors.ts';

/** Checks and normalises an experience by the rules of project files. `path` is its place in the request. */
export async function checkExperience(
  documents: DocumentThread,
  requester: Requester,
  written: Record<string, unknown>,
  path: string,
): Promise<Experience> {
  const project = { id: 'prj_checked', name: 'Checked' };
  try {
    const { experiences } = await documents.check(requester, { project, experiences: [written] });
    return experiences[0]!;
  } catch (error) {
    if (!(error instanceof ProjectFileError)) throw error;
    throw invalidDocument(error.problems.map((problem) => moved(problem, 'experiences[0]', path)));
  }
}

/** Checks and normalises settings of a project by the rules of project files. */
export async function checkSettings(
  documents: DocumentThread,
  requester: Requester,
  written: ProjectSettings,
): Promise<ProjectSettings> {
  try {
    const { project } = await documents.check(requester, {
      project: { id: 'prj_checked', name: 'Checked', ...written },
    });
    const { allowedOrigins } = project;
    return written.allowedOrigins === undefined ? written : { ...written, allowedOrigins };
  } catch (error) {
    if (!(error instanceof ProjectFileError)) throw error;
    throw invalidRequest(error.problems.map((problem) => moved(problem, 'project.', '')));
  }
}

/** 400 with the problems of a document. */
export function invalidDocument(problems: ProjectFileProblem[]): ApiError {
  const error = new ProjectFileError(problems);
  return new ApiError('PROJECT_FILE_INVALID', { message: error.message, details: error.problems });
}

/** A problem as seen by the author of the request. */
function moved({ path, message }: ProjectFileProblem, from: string, to: string): ProjectFileProblem {
  const shown = (text: string) => text.replaceAll(from, to);
  return { path: shown(path), message: shown(message) };
}

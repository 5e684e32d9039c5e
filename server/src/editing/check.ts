import { ApiError } from '../primitives/errors.ts';
import { prepareBytes } from '../projects/file-tasks.ts';
import { ProjectFileError, type ProjectFileProblem } from '../projects/problem.ts';
import type { Experience, Project } from '../projects/project-file.ts';

/** Checks and normalises an experience by the rules of project files. `path` is its place in the request. */
export async function checkExperience(written: Record<string, unknown>, path: string): Promise<Experience> {
  const project = { id: 'prj_checked', name: 'Checked' };
  try {
    const { batches } = await prepareJson({ project, experiences: [written] });
    const [experience] = JSON.parse(batches[0] ?? '[]') as [Experience];
    return experience;
  } catch (error) {
    if (!(error instanceof ProjectFileError)) throw error;
    throw invalidDocument(error.problems.map((problem) => moved(problem, 'experiences[0]', path)));
  }
}

/** Checks and normalises the settings of a project. Problems have paths without `project`. */
export async function checkProject(written: Project): Promise<Project | ProjectFileProblem[]> {
  try {
    return (await prepareJson({ project: written })).project;
  } catch (error) {
    if (!(error instanceof ProjectFileError)) throw error;
    return error.problems.map((problem) => moved(problem, 'project.', ''));
  }
}

/** 400 with the problems of a document. */
export function invalidDocument(problems: ProjectFileProblem[]): ApiError {
  const error = new ProjectFileError(problems);
  return new ApiError('PROJECT_FILE_INVALID', { message: error.message, details: error.problems });
}

function prepareJson(file: object) {
  return prepareBytes(Buffer.from(JSON.stringify(file)), 'json');
}

/** A problem as seen by the author of the request, who did not write the lines of the checked file. */
function moved({ path, message }: ProjectFileProblem, from: string, to: string): ProjectFileProblem {
  const shown = (text: string) => text.replaceAll(from, to);
  return { path: shown(path), message: shown(message).replaceAll(/ \(line \d+\)/g, '') };
}

import type { ProjectFileProblem } from '@session-launch/contract/admin/apply';

export type { ProjectFileProblem } from '@session-launch/contract/admin/apply';

/** Maximum problems reported for one file; a hostile file can have millions. */
export const maxProblems = 1_000;

/** Maximum nesting depth of maps and lists. */
export const maxLevels = 32;
export const tooDeep = `is nested more than ${maxLevels} levels deep; flatten it`;

/** An invalid project file. It lists every problem found, so that one edit can fix them all. */
export class ProjectFileError extends Error {
  readonly problems: ProjectFileProblem[];

  constructor(problems: ProjectFileProblem[]) {
    const sorted = [...problems]
      .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
      .slice(0, maxProblems);
    super(summary(sorted));
    this.name = 'ProjectFileError';
    this.problems = sorted;
  }
}

/** Formats a problem as one sentence: `line 12: experiences[1].slug "Café" may only …`. */
export function describeProblem(problem: ProjectFileProblem): string {
  const line = problem.line === undefined ? '' : `line ${problem.line}: `;
  return `${line}${problem.path === '' ? 'the file' : problem.path} ${problem.message}`;
}

function summary([first, ...others]: ProjectFileProblem[]): string {
  const sentence = first === undefined ? 'the project file is not valid' : describeProblem(first);
  if (others.length === 0) return sentence;
  return `${sentence} (and ${others.length} more ${others.length === 1 ? 'problem' : 'problems'})`;
}

export type Path = readonly (string | number)[];

export function pathText(path: Path): string {
  return path.map(segmentText).join('').replace(/^\./, '');
}

function segmentText(segment: string | number): string {
  if (typeof segment === 'number') return `[${segment}]`;
  return /^[\w$-]{1,64}$/.test(segment) ? `.${segment}` : `[${quoted(segment)}]`;
}

const maxShown = 60;

/** Text from the file for use in a message: quoted, escaped and truncated. */
export function quoted(text: string): string {
  const characters = [...text.slice(0, maxShown * 2)];
  const short = text.length > maxShown ? `${characters.slice(0, maxShown).join('')}…` : text;
  return JSON.stringify(short);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

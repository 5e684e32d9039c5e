/** One thing to repair in a project file: where it is, and what is wrong with it, ending in the fix. */
export interface ProjectFileProblem {
  line?: number;
  column?: number;
  /** The place in the data, such as `experiences[1].slug`; empty for the file as a whole. */
  path: string;
  message: string;
}

/** Nobody reads on after so many, and a hostile file can have millions. */
export const maxProblems = 1_000;

/** A project file that cannot be used. It lists everything that is wrong, so that one edit can mend it all. */
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

/** A problem as one sentence for people: `line 12: experiences[1].slug "Café" may only …`. */
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

/** Text from the file as a message shows it: quoted, escaped and not too long. */
export function quoted(text: string): string {
  const characters = [...text.slice(0, maxShown * 2)];
  const short = text.length > maxShown ? `${characters.slice(0, maxShown).join('')}…` : text;
  return JSON.stringify(short);
}

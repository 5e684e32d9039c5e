import type { Experience, Project, ProjectFile } from './project-file.ts';

/**
 * A project file as the statements take it: JSON text, which passes from thread to thread and on to the database
 * without being taken apart on the way.
 */
export interface PreparedFile {
  project: Project;
  /** The id and slug of every experience, in the order of the file. */
  names: string;
  /** The experiences in the same order, some in each piece. */
  pieces: string[];
}

/** What one statement takes: it is over soon, whatever the size of the file. */
const pieceRows = 500;
const pieceLength = 256 * 1024;

export function prepare({ project, experiences }: ProjectFile): PreparedFile {
  const names = JSON.stringify(experiences.map(({ id, slug }) => ({ id, slug })));
  return { project, names, pieces: inPieces(experiences) };
}

function inPieces(experiences: readonly Experience[]): string[] {
  const pieces: string[] = [];
  let rows: string[] = [];
  let length = 0;
  const close = () => {
    if (rows.length > 0) pieces.push(`[${rows.join(',')}]`);
    rows = [];
    length = 0;
  };
  for (const experience of experiences) {
    const row = JSON.stringify(experience);
    if (rows.length === pieceRows || length + row.length > pieceLength) close();
    rows.push(row);
    length += row.length;
  }
  close();
  return pieces;
}

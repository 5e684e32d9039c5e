import type { Experience, Project, ProjectFile } from './project-file.ts';

/** A project file as the SQL statements take it: JSON text, so that no thread on the way has to parse or copy objects. */
export interface PreparedFile {
  project: Project;
  /** JSON array with the id and slug of every experience, in file order. */
  names: string;
  /** JSON arrays of experiences, in the same order. */
  batches: string[];
}

/** Limits for one batch (rows, and characters), so that each statement is short. */
const batchRows = 500;
const batchLength = 256 * 1024;

export function prepare({ project, experiences }: ProjectFile): PreparedFile {
  const names = JSON.stringify(experiences.map(({ id, slug }) => ({ id, slug })));
  return { project, names, batches: inBatches(experiences) };
}

function inBatches(experiences: readonly Experience[]): string[] {
  const batches: string[] = [];
  let rows: string[] = [];
  let length = 0;
  const close = () => {
    if (rows.length > 0) batches.push(`[${rows.join(',')}]`);
    rows = [];
    length = 0;
  };
  for (const experience of experiences) {
    const row = JSON.stringify(experience);
    if (rows.length === batchRows || length + row.length > batchLength) close();
    rows.push(row);
    length += row.length;
  }
  close();
  return batches;
}

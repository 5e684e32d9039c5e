import type { Runtime } from '../projects/project-file.ts';

/** What a creator froze: everything a manifest shows of an experience. Never changes once it exists. */
export interface Revision {
  experienceId: string;
  number: number;
  slug: string;
  title: string;
  runtime: Runtime;
}

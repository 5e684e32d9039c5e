import type { WrittenProjectFile } from '@session-launch/contract/project-file/schema';

type Experience = NonNullable<WrittenProjectFile['experiences']>[number];

/** An experience of a project file without its names: what a new experience starts from. */
export type Content = Omit<Experience, 'id' | 'slug' | 'title'>;

/** Pictures of the demo that a template uses if the service has them. */
interface Art {
  avatarId: string;
  locationId: string;
}

export interface Template {
  art?: Art;
  content: Content;
}

export const transport = { type: 'websocket' } as const;

import { plural } from './plural.ts';

/** What a complete catalog entry still needs, in words. */
const missing: Record<string, string> = {
  avatarId: 'avatar',
  thumbnailPath: 'thumbnail',
  galleryThumb: 'gallery picture',
};

/** Texts of the list of experiences. */
export const experiencesTexts = {
  title: 'Experiences',
  caption: 'Experiences of the project, in the order of the catalog',
  empty: 'No experiences yet',
  emptyText: 'An experience is a character that people talk to. Start from a template; it talks at once.',
  emptyForReaders: 'An experience is a character that people talk to. A creator or an owner can make one.',
  create: 'New experience',
  import: 'Import',
  download: 'Download',

  search: 'Search',
  searchHelp: 'Title, slug or id',
  state: 'State',
  states: {
    '': 'All but archived',
    published: 'Published',
    draft: 'With a draft',
    archived: 'Archived',
  } as Record<string, string>,
  readiness: 'Catalog',
  readinesses: { '': 'Any', ready: 'Ready', missing: 'Something is missing' } as Record<string, string>,
  noMatch: 'No experience matches these filters.',
  clear: 'Clear filters',
  allArchived: 'All experiences are archived.',
  hidden: (count: number) =>
    `${plural(count, 'archived experience is', 'archived experiences are')} not shown.`,
  showArchived: 'Show archived',
  held: 'Another operator changed this list.',
  showNow: 'Show the changes',

  published: (revision: number) => `published r${revision}`,
  draft: (revision: number) => `draft r${revision}`,
  archived: 'archived',
  and: ', ',
  ready: 'Catalog: ready',
  missing: (fields: readonly string[]) =>
    `Catalog: needs ${fields.map((field) => missing[field] ?? field).join(', ')}`,
  today: (count: number, isLowerBound: boolean) =>
    `${isLowerBound ? 'at least ' : ''}${plural(count, 'session today', 'sessions today')}`,
  updated: 'Changed',
  by: (name: string) => `by ${name}`,
  fromFile: (source: string) => `with ${source}`,
  aFile: 'a project file',

  moveUp: 'Move up',
  moveDown: 'Move down',
  moveHelp: 'Alt+arrow keys move it, too.',
  drag: 'Drag to move',
  position: (title: string, position: number, count: number) =>
    `${title} is now number ${position} of ${count}.`,
  atStart: (title: string) => `${title} is the first one.`,
  atEnd: (title: string) => `${title} is the last one.`,
  moved: (title: string) => `Moved ${title}.`,
  undo: 'Undo',
  movedBeside: (by: string) =>
    `${by} changed the order at the same time. Your move is made in the new order.`,
  movedBack: (title: string) => `Moved ${title} back.`,
  movedBackBeside: (by: string, title: string) =>
    `${by} changed the order at the same time. ${title} is moved back in the new order.`,
  gone: (title: string) => `${title} no longer exists, so it was not moved back.`,
  notMoved: 'The move could not be saved. The list shows the current order.',

  actionsOf: (title: string) => `Actions for ${title}`,
  edit: 'Edit',
  publish: (revision: number) => `Publish r${revision}`,
  isPublished: (title: string, revision: number) => `${title} is published as r${revision}.`,
  unpublish: 'Unpublish',
  isUnpublished: (title: string) => `${title} is no longer published.`,
  duplicate: 'Duplicate',
  copyOf: (title: string) => `Copy of ${title}`,
  isDuplicated: (title: string) => `Created ${title} as a draft.`,
  open: 'Open',
  downloadOne: 'Download YAML',
  archive: 'Archive',
  isArchived: (title: string) => `${title} is archived.`,
  restore: 'Restore as a draft',
  isRestored: (title: string) => `${title} is a draft again.`,
  delete: 'Delete',
  isDeleted: (title: string) => `${title} is deleted.`,
  deleteTitle: 'Delete this experience?',
  deleteText: (title: string) =>
    `${title} is deleted with all its revisions and preview links. This cannot be undone.`,
  deleteButton: 'Delete experience',
  changedTitle: 'Delete it anyway?',
  changedText: (title: string, by: string) =>
    `${by} changed ${title} after you opened this list, and nothing was deleted. Look at it before you decide.`,
  changedFields: 'Changed',
  look: 'Look at the experience',
  inUseTitle: 'Archive it instead?',
  inUseText: (title: string) =>
    `Sessions of ${title} were launched, and their records refer to it, so it cannot be deleted. Once archived, it can no longer be launched, and this list hides it.`,
  conflict: (title: string, by: string) =>
    `${by} changed ${title} in the meantime, and nothing was done. The list shows the current state: try again.`,
  undone: 'Undone.',
} as const;

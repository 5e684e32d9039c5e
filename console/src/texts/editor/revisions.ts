/** Texts of the tab with the history of an experience. */
export const revisionTexts = {
  intro:
    'Each saved change of the title, the slug, or anything on Setup, Mind and Languages is a revision. Visitors get the published one. Gallery and Access have no revisions: their changes are live when saved.',
  caption: 'Revisions of the experience, newest first',
  number: (revision: number) => `r${revision}`,
  by: (name: string) => `by ${name}`,
  sessions: (count: number, isLowerBound = false) =>
    `${isLowerBound ? 'at least ' : ''}${count.toLocaleString('en')} ${count === 1 ? 'session' : 'sessions'}`,
  published: 'published',
  publish: 'Publish this one',
  publishTitle: (revision: number) => `Publish r${revision}?`,
  rollBack: 'Visitors get this revision at once. The draft stays as it is.',
  publishButton: 'Publish',
  restore: 'Copy into the draft',
  restoreOf: (revision: number) => `Copy r${revision} into the draft`,
  restoreTitle: (revision: number) => `Copy r${revision} into the draft?`,
  restoreText:
    'It replaces your unsaved changes to the title, the slug, and everything on Setup, Mind and Languages, and YAML text with errors.',
  restored: (revision: number) => `The draft now has the content of r${revision}. It is not saved yet.`,
  compare: 'Compare two revisions',
  from: 'From',
  to: 'To',
  noDifference: 'These revisions are equal.',
  availability: 'Availability',
  unpublish: 'Unpublish',
  unpublishTitle: 'Unpublish this experience?',
  unpublishText:
    'Visitors can no longer start it. Running sessions go on. The draft stays, and you can publish it again.',
  archive: 'Archive',
  archiveTitle: 'Archive this experience?',
  archiveText:
    'It can no longer be started, not even with a test key, and leaves the catalog. You can publish it again.',
  isArchived: 'This experience is archived. Publish a revision to bring it back.',
  isDraft: 'This experience is not published.',
  isPublished: (revision: number) => `Visitors get r${revision}.`,
} as const;

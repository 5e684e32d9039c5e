import { plural } from '../plural.ts';

/** Label of the button that merges the changes of another operator. Other texts refer to it. */
const mergeNewer = 'Merge into my draft';

/** Texts of the editor around its tabs. */
export const frameTexts = {
  back: 'All experiences',
  missing: {
    title: 'There is no such experience',
    text: 'It may have been deleted, or the address may be wrong.',
    deleted: 'This experience no longer exists',
    deletedText: 'It was deleted, or you can no longer see its project.',
    unsaved: (title: string) => `Your unsaved changes to ${title}`,
    lastChanged: 'You last changed it',
    kept: 'This browser has kept the document with your changes.',
    createText: '“Create again” makes a draft of it in this project.',
    ask: (role: string) =>
      `Your role, ${role}, cannot create experiences. Copy the YAML and send it to a creator or an owner.`,
    create: 'Create again',
    created: (title: string) => `Created ${title} again, as a draft.`,
    createdSaved: (title: string) =>
      `Created ${title} again, as it was last saved. Your changes have problems: choose “Continue” to correct them.`,
    noOrigins: 'Its allowed origins are left out, because your role cannot change them.',
    copy: 'Copy as YAML',
    discard: 'Discard',
  },
  toPreview: 'Go to the preview',
  tabs: {
    label: 'Parts of the experience',
    setup: 'Setup',
    mind: 'Mind',
    languages: 'Languages',
    gallery: 'Gallery',
    access: 'Access',
    revisions: 'Revisions',
    yaml: 'YAML',
  },
  preview: 'Preview',
  actions: 'Draft',
  save: 'Save draft',
  publish: 'Review and publish',
  discard: 'Discard',
  state: {
    published: (revision: number) => `Published r${revision}`,
    publishedWithDraft: (revision: number, draft: number) => `Published r${revision}, draft r${draft}`,
    draft: (revision: number) => `Draft r${revision}, not published`,
    archived: (revision: number) => `Archived, newest r${revision}`,
    changed: (name: string) => `changed by ${name}`,
    fromFile: (source: string) => `From ${source}: the next apply may undo what is saved here.`,
    fromSomeFile: 'From a project file: the next apply may undo what is saved here.',
    copyYaml: 'Copy what to put into the file',
  },
  readOnly: (role: string) =>
    `You can read this experience and talk to it. Your role, ${role}, cannot change it; ask an owner for the role creator.`,
  status: {
    saved: 'No unsaved changes',
    checking: 'Unsaved changes, checking…',
    checked: 'Unsaved changes, checked',
    unknown: 'Unsaved changes, not checked: the service did not answer',
    notYaml: 'Unsaved changes, the YAML text has errors',
    saving: 'Saving…',
    problems: (count: number) => plural(count, 'problem', 'problems'),
    unsavedProblems: (count: number) => `Unsaved changes, ${plural(count, 'problem', 'problems')}`,
  },
  problems: {
    title: (count: number) => `${plural(count, 'problem', 'problems')} to fix before saving`,
    hide: 'Hide',
  },
  notYaml: 'The text in the YAML tab has errors. Correct them there, or discard your changes.',
  notSaved: (title: string, reason: string) =>
    `Not saved: ${title}. ${reason} Your changes are kept in this browser: open the experience again and choose “Continue”.`,
  savedDraft: (revision: number) =>
    `Saved as draft r${revision}. Visitors do not see it until you publish it.`,
  savedSettings: 'Saved. These settings are live.',
  discardTitle: 'Discard your unsaved changes?',
  discardText: 'The experience becomes what was last saved.',
  discarded: 'Your changes are discarded.',
  notKept:
    'The browser does not keep unsaved changes, so a reload would lose them. Save often, or leave private browsing.',
  unsaved: {
    text: 'You have unsaved changes from',
    older: 'The experience was changed after that; those changes are kept.',
    continue: 'Continue',
    discard: 'Discard',
    discardLabel: 'Discard the earlier changes',
    discarded: 'The unsaved changes are discarded.',
    notYaml:
      'These changes contain YAML text with errors, which cannot be merged. Save or discard the changes in the draft, then choose “Continue” again.',
    conflict: {
      title: 'The draft and your earlier changes differ',
      changedAt: 'Your earlier changes are from',
      theirs: 'Changed earlier',
      mine: 'Changed in the draft',
      both: 'Changed in both',
      takeTheirs: 'Earlier',
      takeMine: 'In the draft',
    },
  },
  newer: {
    text: (name: string) => `${name} changed this experience`,
    file: (source: string) => `A project file was applied (${source}); it changed this experience`,
    show: 'Show what changed',
    take: mergeNewer,
    shownTitle: (name: string) => `What ${name} changed`,
    takenOver: (name: string) => `${name} changed this experience. You see the new version.`,
    merged: 'Both changes are in your draft. It is not saved yet.',
    deleted: 'This experience was deleted. Copy what you still need from the YAML tab.',
    deletedUnsaved:
      'This experience was deleted. Your unsaved changes are kept: reload the page to create it again with them.',
  },
  outdated: (name: string) =>
    `${name} changed this experience in the meantime, and nothing was done. Look at what changed, then try again.`,
  outdatedDraft: (name: string) =>
    `${name} changed this experience in the meantime, and nothing was done. Choose “${mergeNewer}”, then try again.`,
  conflict: {
    title: (name: string) => `${name} saved this experience while you edited it`,
    intro: 'Nothing is lost: both changes go into the draft. Where both changed the same field, choose.',
    savedAt: 'Saved',
    theirs: (name: string) => `Changed by ${name}`,
    mine: 'Changed by you',
    both: 'Changed by both',
    takeTheirs: (name: string) => `${name}’s`,
    takeMine: 'Yours',
    choose: 'Which one to keep: ',
    save: 'Merge and save',
    take: 'Merge',
    cancelled: 'Not saved. Your changes are still here.',
    changed: (name: string) => `${name} changed this experience in the meantime.`,
  },
  review: {
    title: 'Review and publish',
    first: 'This is the first publication: visitors can start the experience afterwards.',
    unpublishedNow: 'This experience is not published now. After publishing, visitors can start it.',
    changes: (count: number) => `${plural(count, 'change', 'changes')} for visitors`,
    nothing: 'Visitors see no change: what is published equals the draft.',
    savesFirst: 'Your unsaved changes are saved first.',
    settings:
      'Pictures, description, categories, position and access are live as soon as they are saved, before the publication.',
    note: 'Note',
    noteHelp: 'For the history, for example what is new. Optional.',
    publish: 'Publish',
    changed: (name: string) =>
      `${name} changed this experience in the meantime. Nothing is published yet: review the changes again.`,
    again: 'Review again',
    published: (revision: number) => `r${revision} is published.`,
    undone: (revision: number) => `r${revision} is published again.`,
    unpublished: 'The experience is no longer published.',
    archived: 'The experience is archived.',
  },
} as const;

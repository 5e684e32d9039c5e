import { plural } from './plural.ts';

/** Texts of the dialog that applies a project file. */
export const importTexts = {
  title: 'Import a project file',
  intro: 'A project file (YAML or JSON) creates or changes experiences. You see first what it would change.',
  drop: 'Drop a project file here, or choose one.',
  choose: 'Choose a file',
  another: 'Choose another file',
  reading: 'Checking the file…',
  plan: (file: string) => `What ${file} would change`,
  otherProject: (projectId: string) =>
    `This file describes the project ${projectId}, not the one that is open. Applying it changes that project.`,
  newProject: (projectId: string) => `There is no project ${projectId} yet. Applying the file creates it.`,
  nothing: 'No changes: the project already matches the file.',
  changes: (count: number) => plural(count, 'change', 'changes'),
  project: 'Project settings',
  newExperience: 'new experience',
  field: 'Field',
  before: 'Now',
  after: 'In the file',
  none: 'nothing',
  revision: (revision: number, publishes: boolean) =>
    publishes ? `creates r${revision} and publishes it` : `creates r${revision} as a draft`,
  more: (count: number) => `and ${plural(count, 'further change', 'further changes')}`,
  overwrites: 'It would undo changes made in the console',
  overwritesText: 'The values that it replaces stay in the revisions and in Activity.',
  changedBy: ', changed by',
  appliedTitle: (file: string) => `${file} is applied`,
  alsoOverwrote: 'It also undid changes that you have not seen',
  alsoOverwroteText: (file: string) => `They were saved after you had agreed to the plan of ${file}:`,
  restore:
    'Nothing is lost: a replaced revision is under Revisions, where it can be published again. Replaced settings are under Activity.',
  openRevisions: 'Open its revisions',
  openActivity: 'Open the activity of the project',
  problems: (count: number) =>
    count === 1 ? 'The file has a problem' : `The file has ${count.toLocaleString('en')} problems`,
  problemsText: 'Correct the file and choose it again. Nothing was changed.',
  line: (line: number) => `Line ${line}`,
  wholeFile: 'Whole file',
  tooLarge: 'The file is larger than 4 MiB.',
  unreadable: (file: string) =>
    `The browser cannot read ${file}. It may have been moved, changed or deleted: choose it again.`,
  apply: 'Apply file',
  applyAnyway: 'Apply and undo those changes',
  ownerOnly: 'Only an owner can apply a project file.',
  applied: (file: string) => `${file} is applied.`,
  conflict: 'The project has changed since the plan was made. This is the new plan.',
  pending: (id: string, revision: number) =>
    `${id} keeps a draft, r${revision}, that the file does not contain.`,
} as const;

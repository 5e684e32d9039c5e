/** Texts of the editor around its tabs. */
export const frameTexts = {
  back: 'All experiences',
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
  save: 'Save draft',
  publish: 'Review and publish',
  discard: 'Discard',
} as const;

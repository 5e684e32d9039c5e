/** Texts of the dialog that creates an experience. */
export const newExperienceTexts = {
  title: 'New experience',
  name: 'Title',
  titleHelp: 'Shown to visitors. You can change it later.',
  template: 'Template',
  templates: {
    guide: {
      name: 'Guide',
      text: 'Answers questions about a place, in English and Spanish, and tells a story.',
    },
    teacher: {
      name: 'Teacher (dual)',
      text: 'Practises Spanish phrases with the visitor, explained in English.',
    },
    presenter: { name: 'Presenter', text: 'Gives a short talk in sections and takes questions in between.' },
    voice: { name: 'Voice only', text: 'Answers as on the phone, without a face or a place.' },
    empty: { name: 'Empty', text: 'A name and a greeting. You write everything else.' },
  },
  button: 'Create experience',
  created: (title: string) => `Created ${title} as a draft.`,
  noTitle: 'Write a title.',
} as const;

/** Texts of the tab with the document as text. */
export const yamlTexts = {
  intro: 'The same experience as text, in the format of the list “experiences” of a project file.',
  editor: 'YAML of the experience',
  help: 'Tab leaves the editor. Ctrl+[ and Ctrl+] change the indentation. F8 goes to the next problem.',
  problems: 'Problems in the text',
  problemAt: (line: number) => `Line ${line}`,
  notRead:
    'The text has errors. It is kept as you typed it; the other tabs show the last version without errors.',
  notAnExperience: 'must be the fields of one experience, such as “title: …”',
  mustBe: { object: 'must have fields', array: 'must be a list', text: 'must be a single value' },
  copy: 'Copy',
  copied: 'The YAML is copied, as an item of the list “experiences”.',
} as const;

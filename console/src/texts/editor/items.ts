/** Texts of the lists in the editor: characters, topics, phrases and sections. */
export const itemTexts = {
  item: (noun: string, position: number, name: string) => `${noun} ${position}: ${name}`,
  drag: 'Drag to move',
  moveUp: 'Move up',
  moveDown: 'Move down',
  duplicate: 'Duplicate',
  delete: 'Delete',
  undo: 'Undo',
  actionOn: (action: string, name: string) => `${action}: ${name}`,
  moved: (name: string, position: number, count: number) =>
    `Moved “${name}” to position ${position} of ${count}.`,
  removed: (name: string) => `Deleted “${name}”.`,
  duplicated: (name: string) => `Duplicated “${name}”.`,
  full: (count: number) => `The list is full: it can have ${count.toLocaleString('en')} items.`,
  id: 'Id',
  idTaken: (id: string) => `Another one has the id ${id}. Choose another id.`,
  notJson: 'This is not valid JSON.',
  idInvalid: 'Use 1 to 64 letters, digits, "_" or "-".',
} as const;

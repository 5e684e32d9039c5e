/** Attributes whose change creates a new experience. */
export const sourceAttributes = [
  'experience-id',
  'door',
  'relay-url',
  'leave-url',
  'base-url',
  'locale',
  'secondary-locale',
  'learning-locale',
  'mode',
  'speech-input-mode',
  'speech-only',
  'check',
];
export const playerAttributes = ['start-button', 'close-button', 'return-url', 'fit', 'captions', 'poster'];

const flag = (value: string) => value !== 'false';
/** `false` hides a button, `true` or an empty value shows it, and other text is its label. */
const button = (value: string) => value === '' || value === 'true' || (flag(value) && { label: value });

const parsers: Record<string, (value: string) => unknown> = {
  'speech-only': flag,
  check: flag,
  captions: flag,
  'start-button': button,
  'close-button': button,
};

/** Options by name from the attributes. Absent attributes are undefined, so that removing an attribute resets its option. */
export function optionsOf(names: readonly string[], element: Element): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const name of names) {
    const value = element.getAttribute(name) ?? undefined;
    const option = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    options[option] = value !== undefined && parsers[name] ? parsers[name](value) : value;
  }
  return options;
}

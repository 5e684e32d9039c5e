import type { ExperienceOptions, PlayerOptions } from '../types.ts';

const mintAttributes = [
  'locale',
  'secondary-locale',
  'learning-locale',
  'mode',
  'speech-input-mode',
  'speech-only',
];
/** Attributes whose change creates a new experience. */
export const sourceAttributes = [
  'experience-id',
  'door',
  'relay-url',
  'leave-url',
  'base-url',
  ...mintAttributes,
];
export const playerAttributes = ['start-button', 'close-button', 'return-url', 'fit', 'captions', 'poster'];

type Read = (name: string) => string | null;

/** Options of the experience from the attributes. Absent attributes are omitted. */
export function optionsOf(read: Read): Partial<ExperienceOptions> {
  const options: Record<string, unknown> = {};
  for (const attribute of sourceAttributes) {
    const value = read(attribute);
    if (value === null) continue;
    const name = attribute.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    options[name] = attribute === 'speech-only' ? value !== 'false' : value;
  }
  return options;
}

/** Options of the player from the attributes. Absent attributes are undefined, so that removing an attribute resets its option. */
export function playerOptionsOf(read: Read): PlayerOptions {
  const button = (value: string) =>
    value === 'false' ? false : value === '' || value === 'true' ? true : { label: value };
  const found: Record<string, unknown> = {};
  const put = (name: string, attribute: string, of: (value: string) => unknown) => {
    const value = read(attribute);
    found[name] = value === null ? undefined : of(value);
  };
  put('startButton', 'start-button', button);
  put('closeButton', 'close-button', button);
  put('returnUrl', 'return-url', String);
  put('fit', 'fit', String);
  put('captions', 'captions', (value) => value !== 'false');
  put('poster', 'poster', String);
  return found;
}

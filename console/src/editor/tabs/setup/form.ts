import { setupTexts } from '../../../texts/editor/setup.ts';
import type { FormField } from '../../fields/fields.tsx';

const { basics: basic, characters, location: place, limits: limit, transport: connection } = setupTexts;

/** The fields of the tab Setup. Paths begin at the experience. */
export const basics: readonly FormField[] = [
  { path: ['title'], label: basic.title, as: 'text' },
  { path: ['slug'], label: basic.slug, as: 'text' },
  { path: ['runtime', 'mode'], label: basic.mode, as: 'select', labels: basic.modes },
  {
    path: ['runtime', 'speechInputMode'],
    label: basic.speechInput,
    as: 'select',
    labels: basic.speechInputs,
  },
];

export const location: readonly FormField[] = [
  { path: ['runtime', 'location', 'locationId'], label: place.id, as: 'text' },
  { path: ['runtime', 'location', 'assets'], label: place.assets, as: 'lines' },
];

export const transport: readonly FormField[] = [
  { path: ['runtime', 'transport', 'type'], label: connection.type, as: 'select', labels: connection.types },
];

export const ofWebsocket: readonly FormField[] = [
  { path: ['runtime', 'transport', 'url'], label: connection.url, as: 'text', help: connection.runtimeHelp },
];

export const ofLivekit: readonly FormField[] = [
  {
    path: ['runtime', 'transport', 'url'],
    label: connection.url,
    as: 'text',
    help: connection.livekitHelp,
    example: connection.livekitExample,
  },
  {
    path: ['runtime', 'transport', 'agentName'],
    label: connection.agentName,
    as: 'text',
    help: connection.agentHelp,
  },
];

export const limits: readonly FormField[] = [
  { path: ['runtime', 'limits', 'maxSeconds'], label: limit.maxSeconds, as: 'number' },
  { path: ['runtime', 'limits', 'idleSeconds'], label: limit.idleSeconds, as: 'number' },
];

/** The fields of a character. Paths begin at the character. */
export const ofCharacter = {
  /** Changed through `IdField`. */
  id: 'characterId',
  name: [{ path: ['name'], label: characters.name, as: 'text' }],
  voice: [
    { path: ['voice', 'flite', 'voice'], label: characters.flite, as: 'select', labels: characters.voices },
    { path: ['voice', 'flite', 'pitch'], label: characters.pitch, as: 'number' },
    { path: ['voice', 'flite', 'rate'], label: characters.rate, as: 'number' },
    { path: ['voice', 'openai', 'voice'], label: characters.openai, as: 'text' },
  ],
  avatar: [
    { path: ['avatar', 'avatarId'], label: characters.avatarId, as: 'text' },
    { path: ['avatar', 'modelPath'], label: characters.modelPath, as: 'text' },
  ],
} as const satisfies Record<string, string | readonly FormField[]>;

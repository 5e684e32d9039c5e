import type { Path } from './path.ts';

export const tabNames = ['setup', 'mind', 'languages', 'gallery', 'access', 'revisions', 'yaml'] as const;
export type Tab = (typeof tabNames)[number];

const tabs: Record<string, Tab> = {
  avatarId: 'gallery',
  thumbnailPath: 'gallery',
  galleryThumb: 'gallery',
  description: 'gallery',
  taxonomy: 'gallery',
  public: 'access',
  allowedOrigins: 'access',
  title: 'setup',
  slug: 'setup',
  'runtime.mode': 'setup',
  'runtime.speechInputMode': 'setup',
  'runtime.characters': 'setup',
  'runtime.location': 'setup',
  'runtime.transport': 'setup',
  'runtime.limits': 'setup',
  'runtime.languages': 'languages',
  'runtime.mind': 'mind',
};

/** The tab with the field at a path. Fields without a form are on the YAML tab. */
export function tabOf([first, second]: Path): Tab {
  return tabs[`${first}`] ?? tabs[`${first}.${second}`] ?? 'yaml';
}

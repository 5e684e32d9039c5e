/** Every pattern of the schema. Whoever refuses a text explains it in words, because a pattern is no explanation. */
export const patterns = {
  projectId: '^prj_[A-Za-z0-9_-]{1,64}$',
  experienceId: '^exp_[A-Za-z0-9_-]{1,64}$',
  characterId: '^[A-Za-z0-9_-]{1,64}$',
  /** Ids inside a mind, which `then` names. As a text of its own, so that its explanation can be one, too. */
  mindId: '^[\\w-]{1,64}$',
  slug: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  notBlank: '\\S',
  avatarPath: assetPath('avatars'),
  locationPath: assetPath('locations'),
} as const;

/** Segments after the folder are not empty and hold no `..`, backslash, control character, `?` or `#`. */
function assetPath(folder: string): string {
  return `^/${folder}(?:/(?!\\.(?:/|$))(?:(?!\\.\\.)[^/\\\\?#\\u0000-\\u001f\\u007f])+)+$`;
}

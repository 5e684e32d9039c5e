/** The patterns of the schema. Error messages explain them in words instead of quoting them. */
export const patterns = {
  projectId: '^prj_[A-Za-z0-9_-]{1,64}$',
  experienceId: '^exp_[A-Za-z0-9_-]{1,64}$',
  characterId: '^[A-Za-z0-9_-]{1,64}$',
  /** Ids inside a mind, which `then` references. A separate constant, so that it has its own explanation. */
  mindId: '^[\\w-]{1,64}$',
  slug: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  notBlank: '\\S',
  /** A separate constant, so that it has its own explanation. */
  toolUrl: '^https?://[^\\s/]\\S*$',
  avatarPath: assetPath('avatars'),
  locationPath: assetPath('locations'),
} as const;

/** Segments after the folder are not empty, are not `.`, and contain no `..`, backslash, control character, `?` or `#`. */
function assetPath(folder: string): string {
  return `^/${folder}(?:/(?!\\.(?:/|$))(?:(?!\\.\\.)[^/\\\\?#\\u0000-\\u001f\\u007f])+)+$`;
}

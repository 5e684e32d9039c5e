import type { Player } from './session.ts';

/** `avatarId`, `locationId`, `sceneGraph`, `assets`: whatever is named after an avatar, a location or a scene. */
const sceneryField =
  /^(avatar|location|scene|asset|modelPath$)|[a-z0-9_-](Avatar|Location|Scene|Asset)|[_-](avatar|location|scene|asset)/;

/**
 * Voice and transport belong to the runtime and may hold anything: a voice-only session gets them without
 * whatever belongs to an avatar or a location.
 */
export function withoutScenery(value: unknown): unknown {
  return pruned(value, (field, item) => sceneryField.test(field) || namesAsset(field) || namesAsset(item));
}

/** What the caller sent for the player keeps its fields, since a button has a location, too; only art is left out. */
export function withoutAssets(player: Player): unknown {
  const { returnUrl, ...buttons } = player;
  const kept = pruned(buttons, (field, item) => namesAsset(field) || namesAsset(item)) as object;
  return returnUrl === undefined ? kept : { ...kept, returnUrl };
}

/** A copy without the fields and items that `leaveOut` names, at any depth. */
function pruned(value: unknown, leaveOut: (field: string, item: unknown) => boolean): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => !namesAsset(item)).map((item) => pruned(item, leaveOut));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field, item]) => !leaveOut(field, item))
      .map(([field, item]) => [field, pruned(item, leaveOut)]),
  );
}

/** The service's own paths, and the same behind a host. */
function namesAsset(value: unknown): boolean {
  return typeof value === 'string' && /(^|\/)(avatars|locations)\//.test(value);
}

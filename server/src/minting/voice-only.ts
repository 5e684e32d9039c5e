import type { Player } from '../sessions/session.ts';

/** Matches field names that belong to an avatar, a location or a scene, such as `avatarId`, `sceneGraph` or `assets`. */
const sceneryField =
  /^(avatar|location|scene|asset|modelPath$)|[a-z0-9_-](Avatar|Location|Scene|Asset)|[_-](avatar|location|scene|asset)/;

/**
 * `voice` and `transport` are free-form. For a voice-only session, removes every field and asset path in them that belongs to an avatar
 * or a location.
 */
export function withoutScenery(value: unknown): unknown {
  return pruned(value, (field, item) => sceneryField.test(field) || namesAsset(field) || namesAsset(item));
}

/** Player settings keep their fields (a button may have a `location` too); only asset paths are removed. */
export function withoutAssets(player: Player): unknown {
  const { returnUrl, ...buttons } = player;
  const kept = pruned(buttons, (field, item) => namesAsset(field) || namesAsset(item)) as object;
  return returnUrl === undefined ? kept : { ...kept, returnUrl };
}

/** A deep copy without the fields and items for which `leaveOut` returns true. */
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

/** Asset paths of the service, with or without a host. */
function namesAsset(value: unknown): boolean {
  return typeof value === 'string' && /(^|\/)(avatars|locations)\//.test(value);
}

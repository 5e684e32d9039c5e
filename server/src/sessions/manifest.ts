import type { Revision } from '../experiences/revision.ts';
import type { Runtime } from '../projects/project-file.ts';
import type { Session } from './store.ts';

const schemaVersion = 1;

/** The Session Manifest: what a client SDK needs to run the session, with its credential. */
export function sessionManifest(
  session: Session,
  revision: Revision,
  sessionToken: string,
): Record<string, unknown> {
  const { runtime } = revision;
  const scenery = !session.speechOnly;
  const location = scenery ? runtime.location : undefined;
  return {
    schemaVersion,
    sessionId: session.id,
    sessionToken,
    expiresAt: new Date(session.tokenExpiresAt * 1000).toISOString(),
    livemode: session.livemode,
    experience: {
      experienceId: session.experienceId,
      slug: revision.slug,
      title: revision.title,
      revision: revision.number,
    },
    mode: session.mode,
    speechInputMode: session.speechInputMode,
    speechOnly: session.speechOnly,
    locale: session.locale,
    ...(session.secondaryLocale === null ? {} : { secondaryLocale: session.secondaryLocale }),
    capabilities: capabilities(session, revision),
    characters: runtime.characters.map((character) => ({
      characterId: character.characterId,
      name: character.name,
      ...(character.voice === undefined
        ? {}
        : { voice: scenery ? character.voice : withoutScenery(character.voice) }),
      ...(scenery && character.avatar !== undefined ? { avatar: character.avatar } : {}),
    })),
    ...(location === undefined ? {} : { location }),
    transport: scenery ? runtime.transport : withoutSceneryBeside(runtime.transport),
    player: scenery ? (session.player ?? {}) : withoutAssets(session.player ?? {}),
    ...(session.userId === null ? {} : { user: { userId: session.userId } }),
    ...(session.processorId === null ? {} : { processorId: session.processorId }),
  };
}

function capabilities(session: Session, { runtime }: Revision): string[] {
  const found = ['speech-output'];
  if (session.speechInputMode !== 'off') found.push('speech-input');
  if (session.speechOnly) return found;
  if (runtime.characters.some((character) => character.avatar !== undefined)) found.push('avatar');
  if (runtime.location !== undefined) found.push('location');
  return found;
}

/** `avatarId`, `locationId`, `sceneGraph`, `assets`: whatever is named after an avatar, a location or a scene. */
const sceneryField =
  /^(avatar|location|scene|asset|modelPath$)|[a-z0-9_-](Avatar|Location|Scene|Asset)|[_-](avatar|location|scene|asset)/;

/**
 * Voice and transport belong to the runtime and may hold anything: a voice-only session gets them without
 * whatever belongs to an avatar or a location.
 */
function withoutScenery(value: unknown): unknown {
  return pruned(value, (field, item) => sceneryField.test(field) || namesAsset(field) || namesAsset(item));
}

/** What the caller sent for the player keeps its fields, since a button has a location, too; only art is left out. */
function withoutAssets(player: Record<string, unknown>): unknown {
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

/** Where to connect stays whatever it looks like. */
function withoutSceneryBeside({ type, url, ...others }: Runtime['transport']): object {
  return { type, url, ...(withoutScenery(others) as object) };
}

/** The service's own paths, and the same behind a host. */
function namesAsset(value: unknown): boolean {
  return typeof value === 'string' && /(^|\/)(avatars|locations)\//.test(value);
}

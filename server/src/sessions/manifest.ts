import type { Revision } from '../experiences/revision.ts';
import { isoWriter } from '../iso-time.ts';
import type { Runtime } from '../projects/project-file.ts';
import type { Session } from './store.ts';

const schemaVersion = 1;
const isoTime = isoWriter();

/**
 * The Session Manifest as JSON: what a client SDK needs to run the session, with its credential. What a revision gives
 * to all its sessions is rendered once.
 */
export function renderManifest(session: Session, revision: Revision, sessionToken: string): string {
  const { experience, scene } = sharedParts(session, revision);
  const player = session.player ?? {};
  return (
    `{"schemaVersion":${schemaVersion},"sessionId":"${session.id}","sessionToken":"${sessionToken}",` +
    `"expiresAt":"${isoTime(session.tokenExpiresAt * 1000)}","livemode":${session.livemode},` +
    `"experience":${experience},"mode":${JSON.stringify(session.mode)},` +
    `"speechInputMode":${JSON.stringify(session.speechInputMode)},"speechOnly":${session.speechOnly},` +
    `"locale":${JSON.stringify(session.locale)}${optional('secondaryLocale', session.secondaryLocale)},${scene},` +
    `"player":${JSON.stringify(session.speechOnly ? withoutAssets(player) : player)}` +
    `${session.userId === null ? '' : `,"user":{"userId":${JSON.stringify(session.userId)}}`}` +
    `${optional('processorId', session.processorId)}}`
  );
}

function optional(field: string, value: string | null): string {
  return value === null ? '' : `,"${field}":${JSON.stringify(value)}`;
}

interface SharedParts {
  experience: string;
  /** The fields from `capabilities` to `transport`. */
  scene: string;
}

const rendered = new WeakMap<Revision, Map<string, SharedParts>>();

function sharedParts(session: Session, revision: Revision): SharedParts {
  let variants = rendered.get(revision);
  if (variants === undefined) {
    variants = new Map();
    rendered.set(revision, variants);
  }
  const variant = `${session.speechOnly} ${session.speechInputMode}`;
  let parts = variants.get(variant);
  if (parts === undefined) {
    parts = renderSharedParts(session, revision);
    variants.set(variant, parts);
  }
  return parts;
}

function renderSharedParts(session: Session, revision: Revision): SharedParts {
  const { runtime, slug, title, number } = revision;
  const scenery = !session.speechOnly;
  const scene = {
    capabilities: capabilities(session, revision),
    characters: runtime.characters.map((character) => ({
      characterId: character.characterId,
      name: character.name,
      ...(character.voice === undefined
        ? {}
        : { voice: scenery ? character.voice : withoutScenery(character.voice) }),
      ...(scenery && character.avatar !== undefined ? { avatar: character.avatar } : {}),
    })),
    ...(scenery && runtime.location !== undefined ? { location: runtime.location } : {}),
    transport: scenery ? runtime.transport : withoutSceneryBeside(runtime.transport),
  };
  return {
    experience: JSON.stringify({ experienceId: session.experienceId, slug, title, revision: number }),
    scene: JSON.stringify(scene).slice(1, -1),
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

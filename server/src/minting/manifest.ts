import { defaults } from '@session-launch/contract/project-file/fields';
import type { Connected } from '@session-launch/contract/runtime/lifecycle';
import { manifestVersion } from '@session-launch/contract/wire';
import type { Revision } from '../documents/revision.ts';
import { isoTime } from '../primitives/iso-time.ts';
import type { Session } from '../sessions/session.ts';
import { knownTransport } from '../transports/known.ts';
import { withoutAssets, withoutScenery } from './voice-only.ts';

/**
 * Renders the Session Manifest as JSON: everything that a client SDK needs to run the session, including its token. The part that all
 * sessions of a revision share is rendered once. `access` has the fields of the transport that belong to this session.
 */
export function renderManifest(
  session: Session,
  revision: Revision,
  sessionToken: string,
  access?: object,
): string {
  const { experience, scene, transport, limits } = sharedParts(session, revision);
  const { given, userId } = session;
  const player = given.player ?? {};
  return (
    `{"schemaVersion":${manifestVersion},"sessionId":"${session.id}","sessionToken":"${sessionToken}",` +
    `"expiresAt":"${isoTime(session.expiresAt)}","livemode":${session.livemode},` +
    `"experience":${experience},"mode":"${given.mode}",` +
    `"speechInputMode":"${given.speechInputMode}","speechOnly":${given.speechOnly},` +
    `"locale":"${given.locale}"${optional('secondaryLocale', given.secondaryLocale)},${scene},` +
    `"transport":${access === undefined ? transport : withAccess(transport, access)},"limits":${limits},` +
    `"links":{"leave":${JSON.stringify(leaveLink(session))}},` +
    `"player":${JSON.stringify(given.speechOnly ? withoutAssets(player) : player)}` +
    `${userId === null ? '' : `,"user":{"userId":${JSON.stringify(userId)}}`}` +
    `${optional('processorId', given.processorId)}}`
  );
}

/** The URL to which a client reports that it left. Built from the public URL of the mint, so that replays contain the same URL. */
function leaveLink({ id, given }: Session): string {
  return `${given.token.issuer}/v1/sessions/${id}/leave`;
}

function optional(field: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${field}":${JSON.stringify(value)}`;
}

function withAccess(transport: string, access: object): string {
  return JSON.stringify({ ...(JSON.parse(transport) as object), ...access });
}

/** The manifest for a runtime: without the tokens. */
export function runtimeManifest(session: Session, revision: Revision): Connected['manifest'] {
  const { sessionToken: _credential, ...manifest } = JSON.parse(renderManifest(session, revision, ''));
  return manifest;
}

interface SharedParts {
  experience: string;
  /** The fields from `capabilities` to `location`. */
  scene: string;
  transport: string;
  limits: string;
}

const rendered = new WeakMap<Revision, Map<string, SharedParts>>();

function sharedParts(session: Session, revision: Revision): SharedParts {
  let variants = rendered.get(revision);
  if (variants === undefined) {
    variants = new Map();
    rendered.set(revision, variants);
  }
  const variant = `${session.given.speechOnly} ${session.given.speechInputMode} ${session.given.address ?? ''}`;
  let parts = variants.get(variant);
  if (parts === undefined) {
    parts = renderSharedParts(session, revision);
    variants.set(variant, parts);
  }
  return parts;
}

function renderSharedParts(session: Session, revision: Revision): SharedParts {
  const { runtime, slug, title, number } = revision;
  const scenery = !session.given.speechOnly;
  const scene = {
    capabilities: capabilities(session, revision),
    characters: runtime.characters.map((character) => ({
      characterId: character.characterId,
      name: character.name,
      ...(character.voice === undefined
        ? {}
        : { voice: scenery ? character.voice : withoutScenery(character.voice) }),
      ...(scenery && character.avatar !== undefined ? { avatar: withoutRecipe(character.avatar) } : {}),
    })),
    ...(scenery && runtime.location !== undefined ? { location: runtime.location } : {}),
  };
  const transport = knownTransport(runtime.transport).render(
    runtime.transport,
    (others) => (scenery ? others : (withoutScenery(others) as object)),
    session.given.address,
  );
  return {
    experience: JSON.stringify({ experienceId: session.experienceId, slug, title, revision: number }),
    scene: JSON.stringify(scene).slice(1, -1),
    transport: JSON.stringify(transport),
    limits: JSON.stringify(runtime.limits ?? defaults.sessionLimits),
  };
}

/** The choices from which a face was made are for the editor only. */
function withoutRecipe({ recipe: _forEditor, ...avatar }: Record<string, unknown>): object {
  return avatar;
}

function capabilities({ given }: Session, { runtime }: Revision): string[] {
  const found = ['speech-output'];
  if (given.speechInputMode !== 'off') found.push('speech-input');
  if (given.speechOnly) return found;
  if (runtime.characters.some((character) => character.avatar !== undefined)) found.push('avatar');
  if (runtime.location !== undefined) found.push('location');
  return found;
}

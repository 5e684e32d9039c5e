import { RtviClient, type RtviOptions } from '@session-launch/testing/rtvi-client.ts';
import type { World } from './world.ts';

/** Connects to the RTVI endpoint of a world. */
export async function openRtvi(world: World, token: string, options?: RtviOptions): Promise<RtviClient> {
  return new RtviClient(`${world.listener.url}/rtvi?token=${encodeURIComponent(token)}`, options).opened();
}

/** Connects to a new session and waits for `bot-ready`. */
export async function joinRtvi(
  world: World,
  session: Parameters<World['service']['mint']>[0] = {},
): Promise<RtviClient & { sessionId: string }> {
  const { sessionId, token } = world.service.mint(session);
  const client = await openRtvi(world, token, session.origin === undefined ? {} : { origin: session.origin });
  client.ready();
  await client.message('bot-ready');
  return Object.assign(client, { sessionId });
}

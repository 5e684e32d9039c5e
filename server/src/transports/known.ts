import { livekit } from './livekit.ts';
import type { Transport, TransportType } from './transport.ts';
import { websocket } from './websocket.ts';

const types: readonly TransportType[] = [
  websocket as unknown as TransportType,
  livekit as unknown as TransportType,
];

export function transportType(type: unknown): TransportType | undefined {
  return types.find((candidate) => candidate.type === type);
}

/** Returns the type of a transport that was validated when its project file was applied. */
export function knownTransport({ type }: Transport): TransportType {
  const found = transportType(type);
  if (found === undefined) throw new Error(`the transport ${type} is not known to this version`);
  return found;
}

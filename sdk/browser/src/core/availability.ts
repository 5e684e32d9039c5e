import type { Availability } from '../types.ts';
import type { CheckedSource } from './options.ts';
import { type RequestDeps, type ServiceRequest, send } from './request.ts';

export async function availability(deps: RequestDeps, source: CheckedSource): Promise<Availability> {
  return send(deps, availabilityRequest(source));
}

/** Throws a TypeError if the page does not mint itself: the service does not know the rules of a relay or of a `mint` function. */
export function availabilityRequest(source: CheckedSource): ServiceRequest {
  const { to, availabilityUrl: url } = source as Extract<CheckedSource, { to: unknown }>;
  if (!url) throw new TypeError('pass experienceId (with door) to ask for availability');
  return { url, to };
}

import type { RendererFactory, TransportFactory } from '../types.ts';
import { ExperienceError } from './experience-error.ts';

const transports: TransportFactory[] = [];
const renderers: RendererFactory[] = [];

/** Registers a transport or renderer for all experiences that start later. The last registered one takes precedence. */
export function register(plugIn: TransportFactory | RendererFactory): void {
  if ('type' in plugIn) transports.push(plugIn);
  else renderers.unshift(plugIn);
}

/** Returns the transport for `type`; throws UNSUPPORTED_TRANSPORT if there is none. Called before the microphone prompt. */
export function transportFor(
  type: string,
  own: readonly TransportFactory[] = [],
  builtIn: readonly TransportFactory[],
) {
  const known = [...builtIn, ...transports, ...own];
  const found = known.findLast((transport) => transport.type === type);
  if (found) return found;
  const names = known.map((transport) => transport.type).join(', ');
  throw new ExperienceError(
    'UNSUPPORTED_TRANSPORT',
    `The session needs the transport "${type}"; known are ${names}.`,
    { hint: 'Add it with register().' },
  );
}

/** All renderers in order of precedence. */
export function allRenderers(own: readonly RendererFactory[] = [], builtIn: readonly RendererFactory[]) {
  return [...own, ...renderers, ...builtIn];
}

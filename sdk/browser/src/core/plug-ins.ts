import type { RendererFactory, TransportFactory } from '../types.ts';
import { ExperienceError } from './experience-error.ts';

const transports = new Map<string, TransportFactory>();
const renderers: RendererFactory[] = [];

/** Registers a transport or renderer for all experiences that start later. The last registered one takes precedence. */
export function register(plugIn: TransportFactory | RendererFactory): void {
  if ('type' in plugIn) transports.set(plugIn.type, plugIn);
  else renderers.unshift(plugIn);
}

/** Returns the transport for `type`; throws UNSUPPORTED_TRANSPORT if there is none. Called before the microphone prompt. */
export function transportFor(type: string, own: readonly TransportFactory[] = [], builtIn: TransportFactory) {
  const known = new Map([
    [builtIn.type, builtIn],
    ...transports,
    ...own.map((one) => [one.type, one] as const),
  ]);
  const found = known.get(type);
  if (found !== undefined) return found;
  const names = [...known.keys()].join(', ');
  throw new ExperienceError(
    'UNSUPPORTED_TRANSPORT',
    `The session needs the transport "${type}"; known are ${names}.`,
    { hint: 'Add it by transports or register().' },
  );
}

/** All renderers in order of precedence. */
export function allRenderers(own: readonly RendererFactory[] = [], builtIn: readonly RendererFactory[]) {
  return [...own, ...renderers, ...builtIn];
}

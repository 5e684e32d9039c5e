import type { RendererFactory, TransportFactory } from '../types.ts';
import { ExperienceError } from './experience-error.ts';

const transports = new Map<string, TransportFactory>();
const renderers: RendererFactory[] = [];

/** For every experience of the page that is started from now on. The last one of a kind wins. */
export function register(plugIn: TransportFactory | RendererFactory): void {
  if ('type' in plugIn) transports.set(plugIn.type, plugIn);
  else renderers.unshift(plugIn);
}

/** Before anybody is asked for anything. */
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

/** In the order in which they are asked. */
export function allRenderers(own: readonly RendererFactory[] = [], builtIn: readonly RendererFactory[]) {
  return [...own, ...renderers, ...builtIn];
}

// Entry of the module that the service serves. Derives the service's URL from the module's own URL.
import { cameFrom } from './core/home.ts';

export * from './index.ts';

cameFrom(import.meta.url);

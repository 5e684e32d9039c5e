// The module as the service serves it: it knows its own address, and with it that of the service.
import { cameFrom } from './core/home.ts';

export * from './index.ts';

cameFrom(import.meta.url);

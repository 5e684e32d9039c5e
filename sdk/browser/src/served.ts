// Entry of the module that the service serves. Derives the service's URL from the module's own URL.
import { setScriptUrl } from './core/service-url.ts';

export * from './index.ts';

setScriptUrl(import.meta.url);

import { experienceId, launchUrl } from './config.js';

// The service serves the SDK, too.
const { defineElements } = await import(`${launchUrl}/sdk/v2/session-launch.mjs`);
defineElements();

// No key: the service admits the page by its origin, which stands in allowedOrigins of the project file.
const player = document.createElement('session-experience');
player.setAttribute('experience-id', experienceId);
player.setAttribute('base-url', launchUrl);
document.body.append(player);

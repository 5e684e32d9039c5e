import { experienceId, launchUrl } from './config.js';

// The service also serves the SDK.
const { defineElements } = await import(`${launchUrl}/sdk/v2/session-launch.mjs`);
defineElements();

// No API key: the service checks the page's origin against allowedOrigins of the project file.
const player = document.createElement('session-experience');
player.setAttribute('experience-id', experienceId);
player.setAttribute('base-url', launchUrl);
document.body.append(player);

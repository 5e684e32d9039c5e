import { experienceId, launchUrl } from './config.js';

const status = document.querySelector('p');

document.querySelector('button').onclick = async () => {
  // No key: the service admits the page by its origin, which stands in allowedOrigins of the project file.
  const answer = await fetch(`${launchUrl}/v1/browser-sessions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
    body: JSON.stringify({ experienceId, locale: navigator.language }),
  });
  const { launch, error } = await answer.json();
  // A client SDK takes the launch from here. This page shows the part of it without the token.
  status.textContent = answer.ok ? `Launched: ${launch.experience.title}` : error.message;
};

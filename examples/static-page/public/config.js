// The service, and the experience that the page shows.
export const launchUrl = 'http://127.0.0.1:8080';
export const experienceId = 'exp_harbor_guide';

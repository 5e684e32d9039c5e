/** Marks requests that the console sends without user input. They do not extend the login. */
export const backgroundHeader = 'x-console-background';

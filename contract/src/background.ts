/** The header of a request that the console sends by itself, while nobody uses it. Such a request does not extend the login. */
export const backgroundHeader = 'x-console-background';

/** Where the served SDK came from; unknown to one that was installed as a package. */
let home: string | undefined;

/** `url` is the address of the script or module itself: `…/sdk/v2/session-launch.js`. */
export function cameFrom(url: string | undefined): void {
  home = /^(https?:.*)\/sdk\/[^/]+\/[^/]*$/.exec(url ?? '')?.[1];
}

/** The address of the service without a slash at its end. */
export function serviceUrl(given: string | undefined): string | undefined {
  const url = given ?? home;
  return url?.replace(/\/+$/, '');
}

export function requiredServiceUrl(given: string | undefined): string {
  const url = serviceUrl(given);
  if (url === undefined) throw new TypeError('baseUrl is missing: the address of the service');
  return url;
}

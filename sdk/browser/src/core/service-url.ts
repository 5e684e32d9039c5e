/** URL of the service that served the SDK; undefined if the SDK was installed as a package. */
let scriptService: string | undefined;

/** Derives the service's URL from that of the script or module itself: `…/sdk/v2/session-launch.js`. */
export function setScriptUrl(url: string | undefined): void {
  scriptService = /^(https?:.*)\/sdk\/[^/]+\/[^/]*$/.exec(url ?? '')?.[1];
}

/** URL of the service without a trailing slash. */
export function serviceUrl(given: string | undefined): string | undefined {
  const url = given ?? scriptService;
  return url?.replace(/\/+$/, '');
}

export function requiredServiceUrl(given: string | undefined): string {
  const url = serviceUrl(given);
  if (url === undefined) throw new TypeError('baseUrl is missing: the URL of the service');
  return url;
}

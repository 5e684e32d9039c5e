import { websocketAddress } from '@session-launch/contract/transports/websocket';

const address = new RegExp(websocketAddress, 'u');

/** The problem of a URL that matches the schema but cannot be parsed. */
export function addressProblems(url: unknown): { field: string; message: string }[] {
  // The schema has already rejected values that are not URLs.
  if (typeof url !== 'string' || !address.test(url) || URL.canParse(url)) return [];
  return [
    { field: 'url', message: `${JSON.stringify(url)} is not a valid address; check its host and port` },
  ];
}

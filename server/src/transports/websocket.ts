import { type WebsocketTransport, websocketAddress } from '@session-launch/contract/transports/websocket';
import type { TransportType } from './transport.ts';

const address = new RegExp(websocketAddress, 'u');

export const websocket: TransportType<WebsocketTransport & { [field: string]: unknown }> = {
  type: 'websocket',
  problems: ({ url }) => {
    // The schema has already rejected values that are not URLs.
    if (typeof url !== 'string' || !address.test(url) || URL.canParse(url)) return [];
    return [
      { field: 'url', message: `${JSON.stringify(url)} is not a valid address; check its host and port` },
    ];
  },
  normalise: ({ type, url, ...others }) => ({ type, ...(url === undefined ? {} : { url }), ...others }),
  // The URL is never pruned, even if it looks like an asset path.
  render: ({ type, url, ...others }, prune, address) => ({ type, url: url ?? address, ...prune(others) }),
};

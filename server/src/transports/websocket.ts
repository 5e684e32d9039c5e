import type { WebsocketTransport } from '@session-launch/contract/transports/websocket';
import { addressProblems } from './address.ts';
import type { TransportType } from './transport.ts';

export const websocket: TransportType<WebsocketTransport & { [field: string]: unknown }> = {
  type: 'websocket',
  problems: ({ url }) => addressProblems(url),
  normalise: ({ type, url, ...others }) => ({ type, ...(url === undefined ? {} : { url }), ...others }),
  // The URL is never pruned, even if it looks like an asset path.
  render: ({ type, url, ...others }, prune, address) => ({ type, url: url ?? address, ...prune(others) }),
};

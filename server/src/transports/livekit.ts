import type { LivekitTransport } from '@session-launch/contract/transports/livekit';
import { addressProblems } from './address.ts';
import type { TransportType } from './transport.ts';

/** Fields of the manifest that the service writes itself. */
const ofTheService = ['token', 'roomName'];

export const livekit: TransportType<LivekitTransport & { [field: string]: unknown }> = {
  type: 'livekit',
  problems: (written) => [
    ...(written.url === undefined
      ? [
          {
            field: 'url',
            message: 'is required for livekit: the address of the server, such as wss://livekit.example.com',
          },
        ]
      : addressProblems(written.url)),
    ...(hasMore(written.url)
      ? [{ field: 'url', message: 'must not contain a user name, a password, a query or a fragment' }]
      : []),
    ...ofTheService
      .filter((field) => field in written)
      .map((field) => ({ field, message: 'is written by the service; remove it' })),
  ],
  normalise: ({ type, url, agentName, ...others }) => ({
    type,
    url,
    ...(agentName === undefined ? {} : { agentName }),
    ...others,
  }),
  // The agent's name is part of the token: clients do not need it.
  render: ({ type, url, agentName: _agentName, ...others }, prune) => ({ type, url, ...prune(others) }),
};

/** The service and LiveKit's SDKs append paths to the address. */
function hasMore(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { username, password, search, hash } = new URL(url);
  return [username, password, search, hash].some((part) => part !== '');
}

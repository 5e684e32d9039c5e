import { exampleEndedSession, exampleSession } from './examples.ts';
import { crossOrigin, notStored } from './headers.ts';
import { jsonAnswer, type Operation } from './operation.ts';
import { sessionSchema } from './session.ts';
import Type from './type.ts';

const tag = { name: 'Sessions', description: 'Read and end sessions.' };
const params = Type.Object({
  sessionId: Type.String({
    description: 'Id of the session.',
    examples: ['ses_01kb2x7m9defgt4zq8s6w3n5vh'],
  }),
});
const errors = [
  'API_KEY_INVALID',
  'INSUFFICIENT_SCOPE',
  'SESSION_NOT_FOUND',
  'INTERNAL',
  'UNAVAILABLE',
] as const;

export const readOperation: Operation = {
  operationId: 'getSession',
  method: 'get',
  path: '/v1/sessions/{sessionId}',
  tag,
  summary: 'Read a session',
  description:
    'Returns a session of the project, whichever route minted it. Test keys and live keys may both read it; the key needs the scope `sessions:read`. An unknown id and an id of another project get the same 404.',
  caller: 'api-key',
  scope: 'sessions:read',
  params,
  answers: {
    200: jsonAnswer('The session.', sessionSchema, {
      created: { summary: 'Minted', value: exampleSession },
      ended: { summary: 'Ended', value: exampleEndedSession },
    }),
  },
  errors,
  everyAnswer: notStored,
};

export const endOperation: Operation = {
  operationId: 'endSession',
  method: 'post',
  path: '/v1/sessions/{sessionId}/end',
  tag,
  summary: 'End a session',
  description:
    'Ends a session of the project. Ending it again changes nothing and returns the same `endedAt`. The key needs the scope `sessions:create`. No body is needed; a body is ignored.',
  caller: 'api-key',
  scope: 'sessions:create',
  params,
  answers: {
    200: jsonAnswer('The session, ended.', sessionSchema, {
      ended: { summary: 'Ended', value: exampleEndedSession },
    }),
  },
  errors,
  everyAnswer: notStored,
};

export const leaveOperation: Operation = {
  operationId: 'leaveSession',
  method: 'post',
  path: '/v1/sessions/{sessionId}/leave',
  tag,
  summary: 'Report that the client has left',
  description:
    'Ends a session on behalf of its client, which authenticates with the session token. The token is the body, as text/plain, because a beacon cannot set headers. Leaving again changes nothing. An expired token is accepted too, since it permits nothing but this.\n\nPages at any http or https origin can read the response. The URL is in `links.leave` of the manifest.',
  caller: 'anyone',
  params,
  bodies: {
    'text/plain': {
      schema: Type.String({ description: 'The session token.' }),
      examples: { token: { value: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJzZXNfLi4uIn0.c2lnbmF0dXJl' } },
    },
  },
  answers: { 204: { description: 'The session has ended.' } },
  errors: ['SESSION_TOKEN_INVALID', 'PAYLOAD_TOO_LARGE', 'INTERNAL', 'UNAVAILABLE'],
  everyAnswer: { ...notStored, ...crossOrigin },
};

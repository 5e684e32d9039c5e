import { exampleEndedSession, exampleSession } from './examples.ts';
import { crossOrigin, notStored } from './headers.ts';
import type { Operation } from './operation.ts';
import Type from './type.ts';

const tag = 'Sessions';
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
const schema = Type.Ref('Session#');

export const readOperation: Operation = {
  operationId: 'getSession',
  method: 'get',
  path: '/v1/sessions/{sessionId}',
  tag,
  summary: 'Read a session',
  description:
    'Shows a session of the project, whichever route minted it. A test key and a live key do alike, as long as it has the scope `sessions:read`. An id that does not exist and an id of another project are answered alike.',
  caller: 'api-key',
  scope: 'sessions:read',
  params,
  answers: {
    200: {
      description: 'The session.',
      headers: {},
      content: {
        schema,
        examples: {
          created: { summary: 'Minted', value: exampleSession },
          ended: { summary: 'Ended', value: exampleEndedSession },
        },
      },
    },
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
    'Marks a session of the project as ended. Ending it again changes nothing and answers with the same `endedAt`. The key needs the scope `sessions:create`. No body is needed; one that is sent is not looked at.',
  caller: 'api-key',
  scope: 'sessions:create',
  params,
  answers: {
    200: {
      description: 'The session, ended.',
      headers: {},
      content: { schema, examples: { ended: { summary: 'Ended', value: exampleEndedSession } } },
    },
  },
  errors,
  everyAnswer: notStored,
};

export const leaveOperation: Operation = {
  operationId: 'leaveSession',
  method: 'post',
  path: '/v1/sessions/{sessionId}/leave',
  tag,
  summary: 'Say that the client has left',
  description:
    'Ends a session on behalf of its client, which proves itself by the session token. The token is the body, as text/plain, because a beacon of a page that closes can send nothing else. Leaving again changes nothing, and a token that has expired meanwhile still serves: it opens nothing but this.\n\nA page at any http or https origin can read the answer. The address stands in `links.leave` of the manifest.',
  caller: 'anyone',
  params,
  bodies: {
    'text/plain': {
      schema: Type.String({ description: 'The session token.' }),
      examples: { token: { value: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJzZXNfLi4uIn0.c2lnbmF0dXJl' } },
    },
  },
  answers: { 204: { description: 'The session has ended.', headers: {} } },
  errors: ['SESSION_TOKEN_INVALID', 'PAYLOAD_TOO_LARGE', 'INTERNAL', 'UNAVAILABLE'],
  everyAnswer: { ...notStored, ...crossOrigin },
};

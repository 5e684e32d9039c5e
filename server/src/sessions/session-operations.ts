import Type from 'typebox';
import { cacheable, notStored } from '../http/answer-headers.ts';
import type { Operation } from '../http/operation.ts';
import { exampleEndedSession, exampleKeySet, exampleSession } from './examples.ts';

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

export const keySetOperation: Operation = {
  operationId: 'getJwks',
  tag: 'Verification',
  summary: 'Read the public keys of session tokens',
  description:
    'For runtimes that receive session tokens: verify a token with the key that its `kid` names, accept only `EdDSA`, and check that `aud` is `session-runtime` and `iss` is this service.',
  caller: 'anyone',
  answers: {
    200: {
      description: 'A JSON Web Key Set.',
      headers: cacheable,
      content: {
        schema: Type.Ref('JsonWebKeySet#'),
        examples: { keys: { summary: 'One key', value: exampleKeySet } },
      },
    },
  },
  errors: [],
};

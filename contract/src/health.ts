import { neverStored, retryAfter } from './headers.ts';
import type { Operation } from './operation.ts';
import Type from './type.ts';

export const healthSchema = Type.Object(
  { status: Type.Literal('ok', { description: 'The process answers.' }) },
  { $id: 'Health', description: 'The process is alive.' },
);

/** States of the runtime that the service starts. `off`: there is none, or it is stopping. */
export const runtimeStates = ['starting', 'ready', 'restarting', 'off'] as const;
export type RuntimeState = (typeof runtimeStates)[number];

export const readinessSchema = Type.Object(
  {
    status: Type.Enum(['ready', 'unavailable'], { description: 'Whether sessions can be minted.' }),
    reason: Type.Optional(Type.String({ description: 'What is missing, when it is not ready.' })),
    runtime: Type.Optional(
      Type.Enum([...runtimeStates], {
        description:
          'State of the runtime beside the service. It does not change the status: sessions are minted without it, and clients try again until it is ready.',
      }),
    ),
  },
  { $id: 'Readiness', description: 'Whether the service can mint.' },
);

const tag = 'Health';

export const aliveOperation: Operation = {
  operationId: 'getHealth',
  method: 'get',
  path: '/healthz',
  tag,
  summary: 'Ask whether the process is alive',
  description:
    'Answers as long as the process runs, whatever the state of its database server. Only an embedded engine that has ended takes the process with it.',
  caller: 'anyone',
  answers: {
    200: {
      description: 'It is alive.',
      headers: {},
      content: { schema: Type.Ref('Health#'), examples: { alive: { value: { status: 'ok' } } } },
    },
    503: {
      description: 'Its embedded engine has ended, and the process is about to.',
      headers: {},
      content: {
        schema: Type.Ref('Readiness#'),
        examples: {
          ended: { value: { status: 'unavailable', reason: 'the embedded engine has ended' } },
        },
      },
    },
  },
  errors: [],
  everyAnswer: neverStored,
};

export const readyOperation: Operation = {
  operationId: 'getReadiness',
  method: 'get',
  path: '/readyz',
  tag,
  summary: 'Ask whether sessions can be minted',
  description:
    'For load balancers: not ready while the database cannot be reached or takes no writes, and once a shutdown has begun.',
  caller: 'anyone',
  answers: {
    200: {
      description: 'It can mint.',
      headers: {},
      content: {
        schema: Type.Ref('Readiness#'),
        examples: { ready: { value: { status: 'ready', runtime: 'ready' } } },
      },
    },
    503: {
      description: 'It cannot mint right now.',
      headers: retryAfter,
      content: {
        schema: Type.Ref('Readiness#'),
        examples: {
          away: {
            value: { status: 'unavailable', reason: 'the database cannot be reached', runtime: 'ready' },
          },
        },
      },
    },
  },
  errors: [],
  everyAnswer: neverStored,
};

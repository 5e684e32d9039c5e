import { optional } from './fields.ts';
import { neverStored, retryAfter } from './headers.ts';
import { jsonAnswer, type Operation } from './operation.ts';
import Type from './type.ts';

export const healthSchema = Type.Object(
  { status: Type.Literal('ok', { description: 'Always `ok`.' }) },
  { $id: 'Health', description: 'The process is alive.' },
);

/** States of the runtime that the service starts. `off`: there is none, or it is stopping. */
export const runtimeStates = ['starting', 'ready', 'restarting', 'off'] as const;
export type RuntimeState = (typeof runtimeStates)[number];

export const readinessSchema = Type.Object(
  {
    status: Type.Enum(['ready', 'unavailable'], { description: 'Whether sessions can be minted.' }),
    reason: optional.string({ description: 'Why the service is not ready.' }),
    runtime: optional.oneOf(runtimeStates, {
      description:
        'State of the included runtime. It does not affect the status: sessions are minted without it, and clients retry until it is ready.',
    }),
    hearing: optional.string({
      description:
        'What recognises speech in the included runtime: `moonshine-tiny` (on this machine; other languages than English are left to the browser), `page` (the browser), the name of a model, or `off`. Absent while there is no runtime.',
    }),
  },
  { $id: 'Readiness', description: 'Whether the service can mint.' },
);

const tag = { name: 'Health', description: 'For load balancers and monitors.' };

export const aliveOperation: Operation = {
  operationId: 'getHealth',
  method: 'get',
  path: '/healthz',
  tag,
  summary: 'Check whether the process is alive',
  description:
    'Returns 200 while the process runs, regardless of the state of the database server. If the embedded engine has ended, it returns 503, and the process exits.',
  caller: 'anyone',
  answers: {
    200: jsonAnswer('The process is alive.', healthSchema, { alive: { value: { status: 'ok' } } }),
    503: jsonAnswer('The embedded engine has ended, and the process is about to exit.', readinessSchema, {
      ended: { value: { status: 'unavailable', reason: 'the embedded engine has ended' } },
    }),
  },
  errors: [],
  everyAnswer: neverStored,
};

export const readyOperation: Operation = {
  operationId: 'getReadiness',
  method: 'get',
  path: '/readyz',
  tag,
  summary: 'Check whether sessions can be minted',
  description:
    'For load balancers: not ready while the database is unreachable or does not accept writes, and once a shutdown has begun.',
  caller: 'anyone',
  answers: {
    200: jsonAnswer('The service can mint sessions.', readinessSchema, {
      ready: { value: { status: 'ready', runtime: 'ready', hearing: 'moonshine-tiny' } },
    }),
    503: jsonAnswer(
      'The service cannot mint sessions at the moment.',
      readinessSchema,
      {
        away: {
          value: { status: 'unavailable', reason: 'the database cannot be reached', runtime: 'ready' },
        },
      },
      retryAfter,
    ),
  },
  errors: [],
  everyAnswer: neverStored,
};

import type { Static } from 'typebox';
import { counting, optional } from '../fields.ts';
import { usageCounting } from '../headers.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { projectParams, tag } from './projects.ts';

const day = {
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  errorMessage: 'must be a day such as 2026-03-01',
};

export const usageQuerySchema = Type.Object(
  {
    from: optional.string({
      ...day,
      description: 'The first UTC day. Default: 29 days before `to`.',
      examples: ['2026-03-01'],
    }),
    to: optional.string({
      ...day,
      description:
        'The last UTC day, included. Default: today. At most 3660 days after `from`, counting both.',
      examples: ['2026-03-31'],
    }),
  },
  { additionalProperties: false },
);

export type UsageQuery = Static<typeof usageQuerySchema>;

const usageDay = Type.Object(
  {
    day: Type.String({
      pattern: day.pattern,
      description: 'The UTC day on which the sessions were minted.',
      examples: ['2026-03-01'],
    }),
    experienceId: Type.String({ description: 'The experience.', examples: ['exp_harbor_guide'] }),
    sessions: Type.Integer({
      minimum: 0,
      description:
        'Sessions that were minted, of test and live keys and of pages. Previews and replays do not count.',
    }),
    seconds: Type.Integer({
      minimum: 0,
      description: 'Seconds that clients were connected to these sessions, also on later days.',
    }),
  },
  { description: 'The usage of one experience on one day.' },
);

export type UsageDay = Static<typeof usageDay>;

export const usageSchema = Type.Object(
  {
    days: Type.Array(usageDay, {
      description: 'Sorted by day, then by experience. Days without sessions are absent.',
    }),
    counting: counting('the numbers are lower bounds'),
  },
  { $id: 'Usage', description: 'The usage of a project.' },
);

export type Usage = Static<typeof usageSchema>;

export const usageOperation = {
  operationId: 'getUsage',
  method: 'get',
  path: '/admin/projects/{projectId}/usage',
  tag,
  summary: 'Read the usage of a project',
  description:
    'Sessions and connected seconds per day and experience. The numbers are exact, include sessions that are running, and are kept when sessions are deleted after `SESSION_RETENTION_DAYS`. They are lower bounds if the response has `counting` and the header `Usage-Counting`. The format is CSV if `Accept` names `text/csv`, JSON otherwise.',
  caller: 'operator',
  permission: 'read',
  params: projectParams,
  query: usageQuerySchema,
  answers: {
    200: {
      ...jsonAnswer(
        'The usage.',
        usageSchema,
        {
          oneDay: {
            value: {
              days: [{ day: '2026-03-01', experienceId: 'exp_harbor_guide', sessions: 120, seconds: 15_300 }],
            },
          },
        },
        usageCounting,
      ),
      bodies: {
        'text/csv': {
          schema: Type.String(),
          examples: {
            oneDay: {
              value: 'day,experienceId,sessions,seconds\r\n2026-03-01,exp_harbor_guide,120,15300\r\n',
            },
          },
        },
      },
    },
  },
} satisfies Operation;

export const operations: readonly Operation[] = [usageOperation];

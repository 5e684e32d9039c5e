import type { Static } from 'typebox';
import { optional, timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import { sources } from '../session.ts';
import Type from '../type.ts';
import { projectParams, tag } from './projects.ts';

/** The windows of an overview: how many points they have, and how long each is. */
export const windows = {
  '1h': { points: 60, minutes: 1 },
  '24h': { points: 96, minutes: 15 },
  '7d': { points: 84, minutes: 120 },
} as const;

export type Window = keyof typeof windows;

export const overviewQuerySchema = Type.Object(
  {
    window: optional.oneOf(Object.keys(windows) as Window[], {
      description:
        'The time that the counts cover: 60 minutes, 96 quarters of an hour, or 84 times two hours. Default: 24h.',
      examples: ['24h'],
    }),
  },
  { additionalProperties: false },
);

const counts = {
  mints: Type.Integer({ minimum: 0, description: 'Sessions that were minted.' }),
  replays: Type.Integer({ minimum: 0, description: 'Launches that were replayed by an Idempotency-Key.' }),
  refused: Type.Integer({ minimum: 0, description: 'Mint requests that were refused.' }),
};

const point = Type.Object(
  { at: timestamp('When the interval began.'), ...counts },
  { description: 'The counts of one interval.' },
);

const projectId = Type.String({ description: 'The project to change.', examples: ['prj_demo'] });
const experienceId = Type.String({
  description: 'The experience to change.',
  examples: ['exp_harbor_guide'],
});
const origin = Type.String({
  description: 'The origin to add to allowedOrigins.',
  examples: ['https://shop.example'],
});

export const fixSchema = Type.Union(
  [
    Type.Object(
      { kind: Type.Literal('allow-origin'), origin, projectId },
      { description: 'Add the origin to allowedOrigins of the project.' },
    ),
    Type.Object(
      { kind: Type.Literal('allow-origin'), origin, experienceId },
      { description: 'Add the origin to allowedOrigins of the experience.' },
    ),
    Type.Object(
      { kind: Type.Literal('enable-embeds'), projectId },
      { description: 'Set browserEmbeds of the project.' },
    ),
    Type.Object(
      { kind: Type.Literal('open-languages'), experienceId },
      { description: 'Fix the paired language of the experience, or set its default.' },
    ),
    Type.Object({ kind: Type.Literal('publish'), experienceId }, { description: 'Publish the experience.' }),
    Type.Object(
      { kind: Type.Literal('make-public'), experienceId },
      { description: 'Set public of the experience.' },
    ),
    Type.Object(
      {
        kind: Type.Literal('raise-limit'),
        projectId,
        limit: Type.Enum(['mintsPerMinutePerClient', 'mintsPerMinute', 'sessionsPerDay'], {
          description: 'The limit that was reached.',
        }),
        value: Type.Integer({ minimum: 0, description: 'Its value now.' }),
      },
      { description: 'Raise a limit of the project.' },
    ),
  ],
  { $id: 'Fix', description: 'A change of the settings that would admit such requests.' },
);

export type Fix = Static<typeof fixSchema>;

const refusal = Type.Object(
  {
    code: Type.String({ description: 'The error code.', examples: ['ORIGIN_NOT_ALLOWED'] }),
    door: Type.Enum(sources, { description: 'The mint endpoint: with a key, from a page, or public.' }),
    origin: optional.string({
      description:
        'The Origin of the page. `others` stands for all beyond 50 combinations of origin, cause and experience.',
      examples: ['https://shop.example'],
    }),
    experienceId: optional.string({
      description:
        'The experience that was requested. Absent for all beyond 200 combinations of cause and experience.',
      examples: ['exp_harbor_guide'],
    }),
    count: Type.Integer({ minimum: 1, description: 'How often.' }),
    lastAt: timestamp('When it happened last.'),
    hint: optional.string({ description: 'The cause and what to do about it.' }),
    fix: Type.Optional(fixSchema),
  },
  { $id: 'Refusal', description: 'Refusals with the same cause.' },
);

export type Refusal = Static<typeof refusal>;

export const stepIds = ['experience', 'published', 'origin', 'launch'] as const;

export const overviewSchema = Type.Object(
  {
    ...counts,
    points: Type.Array(point, {
      description: 'All intervals of the window, oldest first. The last one has not ended.',
    }),
    latency: Type.Optional(
      Type.Object(
        {
          p50: Type.Number({ minimum: 0, description: 'Median, in milliseconds.' }),
          p95: Type.Number({ minimum: 0, description: '95th percentile, in milliseconds.' }),
        },
        {
          description: 'Duration of mints and replays, to about 10 %. Absent if there were none.',
        },
      ),
    ),
    quota: Type.Optional(
      Type.Object(
        {
          limit: Type.Integer({ minimum: 0, description: 'sessionsPerDay of the project.' }),
          used: Type.Integer({ minimum: 0, description: 'Sessions of pages today.' }),
          resetsAt: timestamp('When the next UTC day begins.'),
        },
        { description: 'The daily quota. Absent if the project has none.' },
      ),
    ),
    active: Type.Integer({ minimum: 0, description: 'Sessions that are active now.' }),
    refusals: Type.Array(refusal, {
      maxItems: 50,
      description:
        'The most frequent refusals of the window. Only requests that named an experience of the project count.',
    }),
    steps: Type.Array(
      Type.Object(
        {
          id: Type.Enum(stepIds, { description: 'The step.' }),
          done: Type.Boolean({ description: 'Whether it is done.' }),
        },
        { description: 'One step.' },
      ),
      {
        description:
          'Steps to set up a project: create an experience, publish one, allow an origin, launch a session.',
      },
    ),
  },
  { $id: 'Overview', description: 'What happened in a project lately.' },
);

export type Overview = Static<typeof overviewSchema>;

export const overviewOperation = {
  operationId: 'getOverview',
  method: 'get',
  path: '/admin/projects/{projectId}/overview',
  tag,
  summary: 'Read what happened in a project lately',
  description:
    'Counts of mints, replays and refusals, the causes of refusals and what helps, and the state of the project. Each process adds its counts every ten seconds, so the latest ones may be missing. Counts of a process that crashed are lost for that time; the usage of a project is exact. Counts are kept for eight days.',
  caller: 'operator',
  permission: 'read',
  params: projectParams,
  query: overviewQuerySchema,
  answers: {
    200: jsonAnswer('The overview.', overviewSchema, {
      refusedOrigin: {
        value: {
          mints: 41,
          replays: 1,
          refused: 7,
          points: [{ at: '2026-03-01T09:30:00.000Z', mints: 41, replays: 1, refused: 7 }],
          latency: { p50: 3.1, p95: 8.4 },
          quota: { limit: 10_000, used: 41, resetsAt: '2026-03-02T00:00:00.000Z' },
          active: 3,
          refusals: [
            {
              code: 'ORIGIN_NOT_ALLOWED',
              door: 'browser',
              origin: 'https://shop.example',
              experienceId: 'exp_harbor_guide',
              count: 7,
              lastAt: '2026-03-01T09:30:12.345Z',
              hint: 'The project does not allow this origin.',
              fix: { kind: 'allow-origin', origin: 'https://shop.example', projectId: 'prj_demo' },
            },
          ],
          steps: [
            { id: 'experience', done: true },
            { id: 'published', done: true },
            { id: 'origin', done: true },
            { id: 'launch', done: true },
          ],
        },
      },
    }),
  },
} satisfies Operation;

export const operations: readonly Operation[] = [overviewOperation];

import type { Static } from 'typebox';
import { availabilitySchema } from '../availability.ts';
import { id, optional } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';

export const tag = { name: 'Origins', description: 'Which pages can mint sessions.' };

/** What a mint from a page is checked for. */
export const originChecks = [
  'origin-valid',
  'experience-public',
  'experience-published',
  'embeds-on',
  'origin-listed',
] as const;

export const originCheckRequestSchema = Type.Object(
  {
    projectId: id('prj', 'The project.', 'prj_demo'),
    experienceId: Type.Optional(
      id('exp', 'The experience to launch. Needed to check public embeds.', 'exp_harbor_guide'),
    ),
    origin: Type.String({
      maxLength: 2_048,
      description: 'The origin of the page. The URL of a page is accepted, too.',
      examples: ['https://shop.example.com'],
    }),
  },
  { $id: 'OriginCheckRequest', additionalProperties: false, description: 'An origin to check.' },
);

const checkSchema = Type.Object(
  {
    check: Type.Enum(originChecks, { description: 'What was checked.' }),
    ok: Type.Boolean({ description: 'Whether the check passed.' }),
    why: Type.String({ description: 'The result, for people.' }),
  },
  { description: 'One check.' },
);

export type OriginCheck = Static<typeof checkSchema>;

const endpointSchema = (description: string) =>
  Type.Object(
    {
      allowed: Type.Boolean({
        description: 'Whether every check passed, so that a mint would be authorised.',
      }),
      checks: Type.Array(checkSchema, { description: 'The checks.' }),
      now: Type.Optional(availabilitySchema),
    },
    { description },
  );

export const originCheckSchema = Type.Object(
  {
    normalised: optional.string({
      description: 'The origin as browsers send it. Absent if the text names no origin.',
      examples: ['https://shop.example.com'],
    }),
    problem: optional.string({
      description: 'Why the text names no origin, or why this origin cannot be on an allowlist.',
    }),
    doors: Type.Object(
      {
        browser: endpointSchema('`POST /v1/browser-sessions`, which checks the allowlist of the project.'),
        public: endpointSchema('`POST /v1/public-sessions`, which checks the allowlist of the experience.'),
      },
      { description: 'The result for each mint endpoint that pages can call.' },
    ),
  },
  { $id: 'OriginCheck', description: 'Whether a page at an origin can mint sessions.' },
);

export type OriginCheckResult = Static<typeof originCheckSchema>;

export const checkOriginOperation = {
  operationId: 'checkOrigin',
  method: 'post',
  path: '/admin/origins/check',
  tag,
  summary: 'Check whether a page at an origin can mint sessions',
  description:
    'Runs the checks of a mint from a page, and explains each result. `now` is the response of `GET /v1/experiences/{experienceId}/availability` for a visitor of the page whose network has no sessions, so it includes the limits of the project. It is absent without `experienceId`, and if the text names no origin. Creates no session.',
  caller: 'operator',
  permission: 'read',
  body: {
    schema: originCheckRequestSchema,
    examples: {
      page: {
        value: {
          projectId: 'prj_demo',
          experienceId: 'exp_harbor_guide',
          origin: 'https://shop.example.com',
        },
      },
    },
  },
  answers: {
    200: jsonAnswer('The checks.', originCheckSchema, {
      refused: {
        value: {
          normalised: 'https://shop.example.com',
          doors: {
            browser: {
              allowed: false,
              checks: [
                {
                  check: 'origin-valid',
                  ok: true,
                  why: 'Browsers send this origin as https://shop.example.com.',
                },
                { check: 'experience-published', ok: true, why: 'The experience is published.' },
                { check: 'embeds-on', ok: true, why: 'Browser embeds are switched on for the project.' },
                {
                  check: 'origin-listed',
                  ok: false,
                  why: 'The allowlist of the project does not contain this origin.',
                },
              ],
            },
            public: {
              allowed: false,
              checks: [{ check: 'experience-public', ok: false, why: 'The experience is not public.' }],
            },
          },
        },
      },
    }),
  },
  errors: ['EXPERIENCE_NOT_FOUND', 'PROJECT_NOT_FOUND'],
  errorExamples: {
    INVALID_REQUEST: {
      message: 'The request is not valid: origin is required.',
      details: [{ path: 'origin', message: 'is required' }],
    },
  },
} satisfies Operation;

export const operations: readonly Operation[] = [checkOriginOperation];

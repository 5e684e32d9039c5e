import type { Static } from 'typebox';
import { id, optional } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';

export const tag = { name: 'Languages', description: 'Which languages mints would get.' };

const endpoints = ['server', 'browser', 'public'] as const;

const tagText = { format: 'bcp47', errorMessage: 'must be a BCP 47 language tag such as en-US' };

const axis = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Literal('match', { description: 'Use the language that the mint requests.' }),
        Type.Object(
          { fixed: Type.String({ ...tagText, description: 'The language, as a BCP 47 tag.' }) },
          { additionalProperties: false, description: 'Always use this language.' },
        ),
      ],
      { description, errorMessage: 'must be match, or an object with the field fixed' },
    ),
  );

const languagesSchema = Type.Object(
  {
    dual: optional.boolean({ description: 'Whether the experience works with two languages at once.' }),
    default: optional.string({
      ...tagText,
      description: 'The language of a session if nothing else determines it.',
      examples: ['en'],
    }),
    conversation: axis('The language of the conversation.'),
    paired: axis('The second language of a dual experience.'),
  },
  {
    additionalProperties: false,
    description: 'Languages as in a project file. Omitted fields have their defaults.',
  },
);

const caseField = (description: string, example: string) =>
  optional.string({ maxLength: 4_096, description, examples: [example] });

const caseSchema = Type.Object(
  {
    door: Type.Enum(endpoints, {
      description: 'The mint endpoint: /v1/sessions, /v1/browser-sessions or /v1/public-sessions.',
    }),
    locale: caseField('`locale` of the mint request.', 'pt-BR'),
    secondaryLocale: caseField('`secondaryLocale` of the mint request.', 'es-MX'),
    learningLocale: caseField('`learningLocale` of the mint request.', 'es-MX'),
    language: caseField('`language` of the mint request.', 'es'),
    acceptLanguage: caseField(
      'The `Accept-Language` header. Ignored for the endpoint `server`, as in a mint.',
      'es-MX,es;q=0.9',
    ),
  },
  {
    additionalProperties: false,
    description: 'A mint request. Tags that are not valid are answered as the mint would.',
  },
);

export const simulationRequestSchema = Type.Object(
  {
    revision: optional.integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The revision whose languages to use. Default: the newest one.',
    }),
    languages: Type.Optional(languagesSchema),
    cases: Type.Array(caseSchema, { maxItems: 200, description: 'The mint requests; at most 200.' }),
  },
  {
    $id: 'SimulationRequest',
    additionalProperties: false,
    description:
      'Mint requests, and the languages to resolve them with: those of a revision, or the given ones.',
  },
);

export type SimulationRequest = Static<typeof simulationRequestSchema>;
export type SimulatedCase = Static<typeof caseSchema>;
export type WrittenLanguages = Static<typeof languagesSchema>;

const resolvedSchema = Type.Object(
  {
    locale: Type.String({ description: 'Language of the session.', examples: ['pt-BR'] }),
    secondaryLocale: optional.string({ description: 'The paired language. Only dual experiences have it.' }),
    because: Type.String({
      description: 'Why, for people.',
      examples: ['The request asked for pt-BR and the axis is Match.'],
    }),
  },
  { description: 'The languages that the mint would get.' },
);

const refusedSchema = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({ description: 'The error code.', examples: ['SECONDARY_LOCALE_REQUIRED'] }),
        message: Type.String({ description: 'The error message.' }),
      },
      { description: 'The error that the mint would get.' },
    ),
  },
  { description: 'A mint that would be rejected.' },
);

export const simulationSchema = Type.Object(
  {
    results: Type.Array(Type.Union([resolvedSchema, refusedSchema]), {
      description: 'One result for each case, in their order.',
    }),
  },
  { $id: 'Simulation', description: 'What mints would get.' },
);

export type SimulationResult = Static<typeof simulationSchema>['results'][number];

export const simulateOperation = {
  operationId: 'simulate',
  method: 'post',
  path: '/admin/experiences/{experienceId}/simulate',
  tag,
  summary: 'Simulate which languages mints would get',
  description:
    'Resolves the languages of up to 200 mint requests with the code of a mint, and explains each result. Creates no session. Only languages are simulated: the caller, the origin, the limits and whether the experience is published are not checked.',
  caller: 'operator',
  permission: 'read',
  params: Type.Object({ experienceId: id('exp', 'Id of the experience.', 'exp_harbor_guide') }),
  body: {
    schema: simulationRequestSchema,
    examples: {
      newest: {
        summary: 'With the newest revision',
        value: {
          cases: [
            { door: 'browser', acceptLanguage: 'es-MX,es;q=0.9' },
            { door: 'server', locale: 'pt-BR' },
          ],
        },
      },
      unsaved: {
        summary: 'With languages that are not saved yet',
        value: { languages: { dual: true, conversation: { fixed: 'en' } }, cases: [{ door: 'server' }] },
      },
    },
  },
  answers: {
    200: jsonAnswer('One result for each case.', simulationSchema, {
      resolved: {
        value: {
          results: [
            { locale: 'es-MX', because: 'The browser prefers es-MX and the axis is Match.' },
            { locale: 'pt-BR', because: 'The request asked for pt-BR and the axis is Match.' },
          ],
        },
      },
      refused: {
        value: {
          results: [
            {
              error: {
                code: 'SECONDARY_LOCALE_REQUIRED',
                message:
                  'This dual experience lets the request choose the paired language: send secondaryLocale (or learningLocale).',
              },
            },
          ],
        },
      },
    }),
  },
  errors: ['REVISION_NOT_FOUND'],
  errorExamples: {
    INVALID_REQUEST: {
      message: 'The request is not valid: cases is required.',
      details: [{ path: 'cases', message: 'is required' }],
    },
  },
} satisfies Operation;

export const operations: readonly Operation[] = [simulateOperation];

import Type, { type TString } from 'typebox';

/** ISO 8601 in UTC, always with milliseconds. */
export const timestamp = (description: string): TString =>
  Type.String({
    description,
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    examples: ['2026-03-01T09:30:00.000Z'],
  });

const violation = Type.Object(
  {
    path: Type.String({
      description: 'The field, such as integration.returnUrl. Empty for the body itself.',
    }),
    message: Type.String({ description: 'What is wrong with it.' }),
  },
  { description: 'One thing that is wrong with a request.' },
);

/** The envelope of every error. */
export const errorSchema = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({ description: 'What went wrong, for programs: decide by this, not by the text.' }),
        message: Type.String({ description: 'What went wrong, for people. The wording may change.' }),
        details: Type.Optional(
          Type.Union([Type.Array(violation), Type.Object({}, { additionalProperties: true })], {
            description:
              'More about it: every violation of an invalid request, or facts that belong to the code.',
          }),
        ),
        requestId: Type.String({
          pattern: '^req_',
          description: 'Names this request in the logs of the service; also in X-Request-Id.',
        }),
      },
      { description: 'The error.' },
    ),
  },
  { $id: 'Error', description: 'How every error is answered.' },
);

export const healthSchema = Type.Object(
  { status: Type.Literal('ok', { description: 'The process answers.' }) },
  { $id: 'Health', description: 'The process is alive.' },
);

export const readinessSchema = Type.Object(
  {
    status: Type.Enum(['ready', 'unavailable'], { description: 'Whether sessions can be minted.' }),
    reason: Type.Optional(Type.String({ description: 'What is missing, when it is not ready.' })),
  },
  { $id: 'Readiness', description: 'Whether the service can mint.' },
);

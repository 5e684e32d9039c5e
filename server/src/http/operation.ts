import type { FastifySchema } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../keys/store.ts';
import { type AnswerHeaders, requestId } from './answer-headers.ts';
import { type ErrorExamples, errorAnswers, headersTooLarge, missingScope } from './error-answers.ts';

/** The example of a request or of an answer, by a name that says what it shows. */
type Examples = Record<string, { summary?: string; value: unknown }>;

export interface DocumentedAnswer {
  description: string;
  headers: AnswerHeaders;
  /** Absent: the answer has no body. */
  content?: { schema: object; examples: Examples };
}

/** A route as the contract describes it. Its schemas are those that the service validates and renders with. */
export interface Operation {
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  /** Who may call: the holder of an API key, or anyone (browser doors judge the Origin themselves). */
  caller: 'api-key' | 'anyone';
  /** The scope that a key needs for it. */
  scope?: Scope;
  params?: TObject;
  headers?: TObject;
  body?: { schema: TSchema; examples: Examples };
  answers: Record<number, DocumentedAnswer>;
  errors: readonly ErrorCode[];
  /** What this operation says in an error, where that differs from the others. */
  errorExamples?: ErrorExamples;
  /** Headers that every answer of the operation has, errors included. */
  everyAnswer?: AnswerHeaders;
}

/** The schema of a route that the contract does not list. */
export const hidden = { hide: true } as FastifySchema;

/** The operation as the schema of a Fastify route, for @fastify/swagger to read. It decides nothing at run time. */
export function operation(described: Operation): FastifySchema {
  const { everyAnswer = {}, params, headers, body, scope } = described;
  const errorExamples = { ...(scope === undefined ? {} : missingScope(scope)), ...described.errorExamples };
  const answers = {
    ...described.answers,
    ...errorAnswers(described.errors, everyAnswer, errorExamples),
    431: headersTooLarge,
  };
  return {
    operationId: described.operationId,
    tags: [described.tag],
    summary: described.summary,
    description: described.description,
    security: described.caller === 'api-key' ? [{ apiKey: [] }] : [],
    ...(params === undefined ? {} : { params }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: body.schema, 'x-request-examples': body.examples }),
    response: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, rendered(answer, everyAnswer)]),
    ),
  } as FastifySchema;
}

function rendered(answer: DocumentedAnswer, everyAnswer: AnswerHeaders): object {
  const { description, content } = answer;
  const headers =
    answer === headersTooLarge ? answer.headers : { ...requestId, ...everyAnswer, ...answer.headers };
  return content === undefined
    ? { description, headers, type: 'null' }
    : { description, headers, content: { 'application/json': content } };
}

import type { TObject, TSchema } from 'typebox';
import type { ErrorCode, ErrorExamples } from './errors.ts';
import type { AnswerHeaders } from './headers.ts';

/** What a key may do. */
export const scopes = ['sessions:create', 'sessions:read', 'catalog:read'] as const;
export type Scope = (typeof scopes)[number];

/** The example of a request or of an answer, by a name that says what it shows. */
export type Examples = Record<string, { summary?: string; value: unknown }>;

/** A body by its media type. */
export type Bodies = Record<string, { schema: object; examples: Examples }>;

export interface DocumentedAnswer {
  description: string;
  headers: AnswerHeaders;
  /** A JSON body. Absent, like `bodies`: the answer has none. */
  content?: { schema: object; examples: Examples };
  /** Bodies that are not only JSON. */
  bodies?: Bodies;
}

/** A route as the contract describes it. Its schemas are those that the service validates with. */
export interface Operation {
  operationId: string;
  method: 'get' | 'post';
  /** With its parameters in braces: `/v1/sessions/{sessionId}`. */
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** Who may call. Browser doors judge the Origin themselves, so they are open to anyone here. */
  caller: 'api-key' | 'admin-token' | 'metrics-token' | 'runtime-token' | 'anyone';
  /** The scope that a key needs for it. */
  scope?: Scope;
  params?: TObject;
  query?: TObject;
  headers?: TObject;
  body?: { schema: TSchema; examples: Examples };
  /** Bodies that are not only JSON. */
  bodies?: Bodies;
  answers: Record<number, DocumentedAnswer>;
  errors: readonly ErrorCode[];
  /** What this operation says in an error, where that differs from the others. */
  errorExamples?: ErrorExamples;
  /** Headers that every answer of the operation has, errors included. */
  everyAnswer?: AnswerHeaders;
}

/** The path as routers write it: `/v1/sessions/:sessionId`. */
export function routePath({ path }: Operation): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

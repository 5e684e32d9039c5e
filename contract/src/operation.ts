import type { TObject, TSchema } from 'typebox';
import type { ErrorCode, ErrorExamples } from './errors.ts';
import type { AnswerHeaders } from './headers.ts';
import type { FurtherPermission, Permission } from './roles.ts';

/** Scopes of an API key. */
export const scopes = ['sessions:create', 'sessions:read', 'catalog:read'] as const;
export type Scope = (typeof scopes)[number];

/** Examples of a request or response, by a descriptive name. */
export type Examples = Record<string, { summary?: string; value: unknown }>;

/** A body by its media type. */
export type Bodies = Record<string, { schema: object; examples: Examples }>;

export interface DocumentedAnswer {
  description: string;
  /** In addition to the headers of every answer. */
  headers?: AnswerHeaders;
  /** A JSON body. If both this and `bodies` are absent, the response has no body. */
  content?: { schema: object; examples: Examples };
  /** Bodies that are not only JSON. */
  bodies?: Bodies;
}

/** A group of operations in the API reference. */
export interface Tag {
  name: string;
  description: string;
}

/** A route of the contract. The service validates requests with the same schemas. */
export interface Operation {
  operationId: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path with parameters in braces, such as `/v1/sessions/{sessionId}`. */
  path: `/${string}`;
  tag: Tag;
  summary: string;
  description: string;
  /** Who may call. The browser routes check the Origin themselves, so they are `anyone` here. */
  caller: 'api-key' | 'operator' | 'metrics-token' | 'runtime-token' | 'anyone';
  /** Whether the request stays open, so that the limit for the concurrent requests of one operator does not count it. */
  isStream?: true;
  /** What an operator must be allowed to do. Operations for operators always have one. */
  permission?: Permission;
  /** Whether the operation concerns the whole service: operators who are limited to projects may not call it. */
  isOfService?: true;
  /** Permissions that depend on the body or the query. */
  furtherPermissions?: readonly FurtherPermission[];
  /** The action that the audit records. Present if and only if the operation changes something. */
  action?: string;
  /** Whether the request must, or may, name the version that it changes, in `If-Match`. */
  isVersioned?: true | 'if sent';
  /** The scope that an API key needs. */
  scope?: Scope;
  params?: TObject;
  query?: TObject;
  headers?: TObject;
  /** A JSON body. An empty one counts as `{}` if `isOptional` is set. */
  body?: { schema: TSchema; examples: Examples; isOptional?: true };
  /** Bodies that are not only JSON. */
  bodies?: Bodies;
  answers: Record<number, DocumentedAnswer>;
  /** Codes besides those that follow from the other parts of an operation for operators. */
  errors?: readonly ErrorCode[];
  /** Error messages that differ from the defaults for this operation. */
  errorExamples?: ErrorExamples;
  /** Headers of every response, errors included, in addition to those of the API. */
  everyAnswer?: AnswerHeaders;
}

/** A response with a JSON body. */
export function jsonAnswer<Schema extends object>(
  description: string,
  schema: Schema,
  examples: Examples,
  headers: AnswerHeaders = {},
) {
  return { description, headers, content: { schema, examples } };
}

/** The path in router syntax, such as `/v1/sessions/:sessionId`. */
export function routePath({ path }: Operation): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

import Type from '../type.ts';
import { patterns } from './patterns.ts';

/** Default values of optional fields. The schema lists them, and reading a file fills them in. */
export const defaults = {
  limits: {
    mintsPerMinutePerClient: 30,
    mintsPerMinute: 600,
    sessionsPerDay: 10_000,
    concurrentSessions: null,
    concurrentSessionsPerClient: null,
  },
  sessionLimits: { maxSeconds: 900, idleSeconds: 120 },
  sortOrder: 0,
  status: 'draft',
  mode: 'conversation',
  speechInputMode: 'auto',
  languages: { dual: false, default: 'en', conversation: 'match', paired: 'match' },
} as const;

/** Limits of a project on browser and public mints and on concurrent sessions. `null` means unlimited. */
export type Limits = Record<keyof typeof defaults.limits, number | null>;

export const closed = { additionalProperties: false } as const;

/** An optional object with arbitrary fields. `properties` describes those that are well known, and accepts any value for them. */
export function free(options: {
  description: string;
  examples: unknown[];
  properties: Record<string, { description: string; examples: unknown[] }>;
}) {
  return Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options }),
  );
}

/** An optional limit of a project. */
export function limit(description: string, byDefault: number | null, example = byDefault ?? 100) {
  const schema = Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 0,
    maximum: 2_147_483_647,
    description: `${description} Write null for no limit.`,
    default: byDefault,
    examples: [example],
  });
  return Type.Optional(schema);
}

export function shortText(description: string, example: string) {
  return Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: patterns.notBlank,
    description,
    examples: [example],
  });
}

export function assetPath(pattern: string, description: string, example: string) {
  return Type.String({ pattern, maxLength: 1024, description, examples: [example] });
}

const maxOrigins = 1_000;

/** An optional allowlist. */
export function origins(description: string, example: string) {
  const origin = Type.String({
    description:
      'Scheme, host and port of a site. Use https, or http on localhost; https://*.example.com stands for any one label before the host.',
    examples: [example, 'https://*.example.com'],
  });
  return Type.Optional(
    Type.Array(origin, {
      maxItems: maxOrigins,
      description: `${description} At most ${maxOrigins}.`,
      default: [],
      examples: [[example]],
    }),
  );
}

/** An optional language of sessions: the requested one, or a fixed one. */
export function axis(description: string, tag: string) {
  const fixed = Type.String({ description: 'The language, as a BCP 47 tag.', examples: [tag] });
  const schema = Type.Union(
    [
      Type.Literal('match', { description: 'Use the language that the mint requests.' }),
      Type.Object(
        { fixed },
        { ...closed, description: 'Always use this language, regardless of the mint request.' },
      ),
    ],
    {
      description: `${description} Write match, or { fixed: TAG }.`,
      default: 'match',
      examples: ['match', { fixed: tag }],
    },
  );
  return Type.Optional(schema);
}

/** The schema of a stored project or experience: its allowlist may be longer than one that is written now. */
export function stored<T extends { properties: { allowedOrigins: object } }>(schema: T): T {
  const { maxItems: _, ...allowedOrigins } = schema.properties.allowedOrigins as { maxItems?: number };
  return { ...schema, properties: { ...schema.properties, allowedOrigins } };
}

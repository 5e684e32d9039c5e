import type { Static } from 'typebox';
import Type from '../type.ts';
import { closed } from './fields.ts';
import { patterns } from './patterns.ts';

/** Limits of tools and of their calls. */
export const toolBounds = {
  /** Calls in one turn of a conversation. */
  callsPerTurn: 5,
  /** Seconds until a tool must have answered. */
  seconds: 10,
  /** Bytes of a response. */
  responseBytes: 16 * 1024,
  /** Bytes of the arguments of a call, as JSON. */
  argumentBytes: 8 * 1024,
  /** Bytes and levels of the JSON Schema of the parameters. */
  schemaBytes: 8 * 1024,
  schemaLevels: 16,
  /** Members of all `anyOf`, `oneOf` and `allOf` of a schema: each of them is tried for each value. */
  schemaAlternatives: 32,
} as const;

export const toolName = Type.String({
  pattern: patterns.mindId,
  description:
    'Name for the model and for scripts, unique in this list: 1 to 64 letters, digits, "_" or "-".',
  examples: ['book_table'],
});

export const toolUrl = Type.String({
  maxLength: 2000,
  pattern: patterns.toolUrl,
  description:
    'Address to which the service sends a POST request with the arguments, over https. It must not contain a user name, a password or a fragment.',
  examples: ['https://booking.example.com/tools/book'],
});

export const toolParameters = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: `The arguments as a JSON Schema of the type object, at most ${toolBounds.schemaBytes / 1024} KiB. Without it, the tool takes none. Calls whose arguments do not match are not sent.`,
  examples: [
    {
      type: 'object',
      properties: { people: { type: 'integer', minimum: 1, maximum: 12 }, time: { type: 'string' } },
      required: ['people', 'time'],
    },
  ],
});

const tool = Type.Object(
  {
    name: toolName,
    description: Type.String({
      minLength: 1,
      maxLength: 1000,
      pattern: patterns.notBlank,
      description: 'What the tool does and when to call it, for the model.',
      examples: ['Books a table. Ask for the number of people and the time first.'],
    }),
    parameters: Type.Optional(toolParameters),
    url: toolUrl,
  },
  { ...closed, description: 'Something that the characters can do.' },
);

export const tools = Type.Array(tool, {
  maxItems: 20,
  description:
    'What the characters can do: addresses that the service calls when a model, or a topic of a script, asks for it.',
  examples: [
    [
      {
        name: 'book_table',
        description: 'Books a table.',
        parameters: {
          type: 'object',
          properties: { people: { type: 'integer' } },
          required: ['people'],
        },
        url: 'https://booking.example.com/tools/book',
      },
    ],
  ],
});

export type Tool = Static<typeof tool>;

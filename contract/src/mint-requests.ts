import type { Static } from 'typebox';
import { optional } from './fields.ts';
import { metadata, mode, speechInputMode } from './session.ts';
import Type from './type.ts';

/** Accepted values of `language`. */
const selectableLanguages = ['en', 'es'] as const;

export const optionalLocale = (description: string) =>
  optional.string({
    description: `${description} At most 64 characters.`,
    format: 'bcp47',
    errorMessage: 'must be a BCP 47 language tag such as en-US',
    examples: ['en-US'],
  });
const optionalLabel = (description: string) => optional.string({ description, minLength: 1, maxLength: 256 });

const speechOnly = optional.boolean({
  description: 'True creates a voice-only session, without avatar and location.',
});

/** Limits of one button: bytes of its JSON text without white space, and nested objects and arrays, itself included. */
const maxButton = { bytes: 2048, depth: 4 };

const button = (which: string) =>
  Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      maxJson: maxButton,
      errorMessage: `must have at most ${maxButton.bytes} bytes as JSON text and at most ${maxButton.depth} levels`,
      description: `Settings of the player’s ${which} button, passed on unchanged. At most ${maxButton.bytes} bytes as JSON text without white space, and at most ${maxButton.depth} levels of objects and arrays, the first of which is this one.`,
    }),
  );

const common = {
  experienceId: Type.String({
    description: 'The experience to launch.',
    pattern: '^exp_',
    errorMessage: 'must start with exp_',
    examples: ['exp_harbor_guide'],
  }),
  locale: optionalLocale('Language of the user. A creator’s Fixed language wins over it.'),
  secondaryLocale: optionalLocale(
    'The paired language of a dual experience. In other experiences, the language of the conversation.',
  ),
  learningLocale: optionalLocale(
    'Alias of secondaryLocale. If both are sent, they must name the same language.',
  ),
  mode: Type.Optional(mode),
  speechInputMode: Type.Optional(speechInputMode),
  speechOnly,
  language: optional.oneOf(selectableLanguages, {
    description: 'Language selector, used if neither locale nor secondaryLocale applies.',
  }),
  startButton: button('start'),
};

/** The body that a page may send to the two browser routes. */
export const browserMintRequestSchema = Type.Object(common, {
  $id: 'BrowserMintRequest',
  additionalProperties: true,
  description: 'Mint request of a page. Unlisted fields are ignored, including those reserved for backends.',
});

/** The body that the preview page sends. */
export const previewMintRequestSchema = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The code of the preview link: the part of its URL after the #.',
      examples: ['Zm9yIHRoZSBkb2N1bWVudGF0aW9u'],
    }),
    locale: optionalLocale('Language of the user. Default: the locale of the preview link, if it has one.'),
    secondaryLocale: optionalLocale(
      'The paired language of a dual experience. Default: the secondaryLocale of the preview link, if it has one.',
    ),
    speechOnly,
  },
  {
    $id: 'PreviewMintRequest',
    additionalProperties: true,
    description: 'Mint request of the preview page. Unlisted fields are ignored.',
  },
);

/** The body that a backend may send. Unlike a page, it may set the user and the return URL. */
export const serverMintRequestSchema = Type.Object(
  {
    ...common,
    closeButton: button('close'),
    userId: optionalLabel('Your id of the user, stored with the session.'),
    processorId: optionalLabel('The processor that should run the session.'),
    metadata: Type.Optional(metadata),
    integration: Type.Optional(
      Type.Object(
        {
          returnUrl: optional.string({
            description: 'Absolute URL that the player opens when it closes.',
            maxLength: 2048,
            format: 'return-url',
            errorMessage: 'must be an absolute URL, and not a javascript, data, vbscript, blob or file one',
            examples: ['https://app.example.com/lessons'],
          }),
        },
        { description: 'How the session is embedded in your application.', additionalProperties: true },
      ),
    ),
  },
  {
    $id: 'ServerMintRequest',
    additionalProperties: true,
    description: 'Mint request of a backend. Unlisted fields are ignored.',
  },
);

export type PreviewMintRequest = Static<typeof previewMintRequestSchema>;
export type BrowserMintRequest = Static<typeof browserMintRequestSchema>;
export type ServerMintRequest = Static<typeof serverMintRequestSchema>;

import type { Static } from 'typebox';
import { freeForm } from './fields.ts';
import { metadata, modes, speechInputModes } from './session.ts';
import Type from './type.ts';

/** What `language` takes. */
const selectableLanguages = ['en', 'es'] as const;

const text = (description: string, options: Record<string, unknown> = {}) =>
  Type.String({ description, ...options });
const locale = (description: string) =>
  text(description, {
    format: 'bcp47',
    errorMessage: 'must be a BCP 47 language tag such as en-US',
    examples: ['en-US'],
  });
const label = (description: string) => text(description, { minLength: 1, maxLength: 256 });

const common = {
  experienceId: text('The experience to launch.', {
    pattern: '^exp_',
    errorMessage: 'must start with exp_',
    examples: ['exp_harbor_guide'],
  }),
  locale: Type.Optional(locale('Language of the user. A creator’s Fixed language wins over it.')),
  secondaryLocale: Type.Optional(
    locale('Paired language of a dual experience; in any other one, the language to immerse the session in.'),
  ),
  learningLocale: Type.Optional(
    locale('Another name for secondaryLocale. Send one of the two, or the same language in both.'),
  ),
  mode: Type.Optional(Type.Enum([...modes], { description: 'How the characters behave.' })),
  speechInputMode: Type.Optional(
    Type.Enum([...speechInputModes], { description: 'How speech is taken in.' }),
  ),
  speechOnly: Type.Optional(
    Type.Boolean({ description: 'True mints a voice-only session: no avatar, no location.' }),
  ),
  language: Type.Optional(
    Type.Enum([...selectableLanguages], { description: 'Language selector, used when no locale decides.' }),
  ),
  startButton: Type.Optional(freeForm('Settings of the player’s start button, handed on as they are.')),
};

/** What a page may send to the two browser doors. */
export const browserMintRequestSchema = Type.Object(common, {
  $id: 'BrowserMintRequest',
  additionalProperties: true,
  description: 'What a page asks for. Fields that are not listed are ignored, those of backends included.',
});

/** What a backend may send: it is trusted with the user and with where the player returns to. */
export const serverMintRequestSchema = Type.Object(
  {
    ...common,
    closeButton: Type.Optional(freeForm('Settings of the player’s close button, handed on as they are.')),
    userId: Type.Optional(label('Your own id of the user, kept with the session.')),
    processorId: Type.Optional(label('The processor that should run the session.')),
    metadata: Type.Optional(metadata),
    integration: Type.Optional(
      Type.Object(
        {
          returnUrl: Type.Optional(
            text('Where the player leads when it closes: an absolute URL.', {
              maxLength: 2048,
              format: 'return-url',
              errorMessage: 'must be an absolute URL, and not a javascript, data, vbscript, blob or file one',
              examples: ['https://app.example.com/lessons'],
            }),
          ),
        },
        { description: 'How the session is embedded in your application.', additionalProperties: true },
      ),
    ),
  },
  {
    $id: 'ServerMintRequest',
    additionalProperties: true,
    description: 'What a backend asks for. Fields that are not listed are ignored.',
  },
);

export type BrowserMintRequest = Static<typeof browserMintRequestSchema>;
export type ServerMintRequest = Static<typeof serverMintRequestSchema>;

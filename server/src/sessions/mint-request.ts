import { Ajv2020 } from 'ajv/dist/2020.js';
import Type, { type Static, type TObject } from 'typebox';
import { invalidRequest } from '../errors.ts';
import { violationsOf } from '../http/violations.ts';
import { agreedSecondary, canonicalLocale } from './locale.ts';

const text = (description: string, options: Record<string, unknown> = {}) =>
  Type.String({ description, ...options });
const locale = (description: string) =>
  text(description, {
    format: 'bcp47',
    errorMessage: 'must be a BCP 47 language tag such as en-US',
    examples: ['en-US'],
  });
const freeForm = (description: string) => Type.Object({}, { description, additionalProperties: true });
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
  mode: Type.Optional(
    Type.Enum(['conversation', 'presenter'], { description: 'How the characters behave.' }),
  ),
  speechInputMode: Type.Optional(
    Type.Enum(['auto', 'manual', 'off'], { description: 'How speech is taken in.' }),
  ),
  speechOnly: Type.Optional(
    Type.Boolean({ description: 'True mints a voice-only session: no avatar, no location.' }),
  ),
  language: Type.Optional(
    Type.Enum(['en', 'es'], { description: 'Language selector, used when no locale decides.' }),
  ),
  startButton: Type.Optional(freeForm('Settings of the player’s start button, handed on as they are.')),
};

/** What a page may send to the two browser doors. */
export const browserMintBody = Type.Object(common, { additionalProperties: true });

/** What a backend may send: it is trusted with the user and with where the player returns to. */
export const serverMintBody = Type.Object(
  {
    ...common,
    closeButton: Type.Optional(freeForm('Settings of the player’s close button, handed on as they are.')),
    userId: Type.Optional(label('Your own id of the user, kept with the session.')),
    processorId: Type.Optional(label('The processor that should run the session.')),
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
  { additionalProperties: true },
);

/** A mint request after every check that needs nothing but the body. */
export interface MintRequest {
  experienceId: string;
  locale: string | undefined;
  secondaryLocale: string | undefined;
  mode: 'conversation' | 'presenter' | undefined;
  speechInputMode: 'auto' | 'manual' | 'off' | undefined;
  speechOnly: boolean;
  language: 'en' | 'es' | undefined;
  userId: string | undefined;
  processorId: string | undefined;
  player: { startButton?: object; closeButton?: object; returnUrl?: string } | undefined;
}

type MintBody = Static<typeof browserMintBody> & Partial<Static<typeof serverMintBody>>;

const ajv = new Ajv2020({ allErrors: true, strict: true, verbose: true });
ajv.addKeyword({ keyword: 'errorMessage', schemaType: 'string' });
ajv.addFormat('bcp47', (value) => canonicalLocale(value) !== undefined);
ajv.addFormat('return-url', isReturnUrl);

/** The reader of a door's bodies: refuses with every violation at once, and takes no field but the door's own. */
export function mintRequestReader(schema: TObject): (body: unknown) => MintRequest {
  const validate = ajv.compile<MintBody>(schema);
  // What only a backend is trusted with is not even looked at where pages ask.
  const trusted = 'userId' in schema.properties;
  return (body) => {
    if (!validate(body)) throw invalidRequest(violationsOf(validate.errors ?? []));
    const player = trusted
      ? playerOf(body.startButton, body.closeButton, body.integration?.returnUrl)
      : playerOf(body.startButton);
    return {
      experienceId: body.experienceId,
      locale: canonical(body.locale),
      secondaryLocale: agreedSecondary(canonical(body.secondaryLocale), canonical(body.learningLocale)),
      mode: body.mode,
      speechInputMode: body.speechInputMode,
      speechOnly: body.speechOnly ?? false,
      language: body.language,
      userId: trusted ? body.userId : undefined,
      processorId: trusted ? body.processorId : undefined,
      player,
    };
  };
}

/** What the player gets, without what is not there; nothing when there is nothing. */
function playerOf(startButton?: object, closeButton?: object, returnUrl?: string): MintRequest['player'] {
  if (startButton === undefined && closeButton === undefined && returnUrl === undefined) return undefined;
  return {
    ...(startButton === undefined ? {} : { startButton }),
    ...(closeButton === undefined ? {} : { closeButton }),
    ...(returnUrl === undefined ? {} : { returnUrl }),
  };
}

function canonical(tag: string | undefined): string | undefined {
  return tag === undefined ? undefined : canonicalLocale(tag);
}

function isReturnUrl(value: string): boolean {
  // URL drops these before it reads the scheme; whoever gets the text may not.
  if (/^\s|\s$|\p{Cc}/u.test(value) || !URL.canParse(value)) return false;
  return !['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'].includes(new URL(value).protocol);
}

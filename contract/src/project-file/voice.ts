import { optional } from '../fields.ts';
import Type from '../type.ts';

/** The voices of flite. */
export const fliteVoices = ['slt', 'rms', 'awb', 'kal16'] as const;

/** Limits of a factor: voices are unintelligible beyond them. */
export const voiceFactor = { minimum: 0.5, maximum: 2 } as const;

const factor = (of: string, example: number) =>
  Type.Optional(Type.Number({ ...voiceFactor, description: of, default: 1, examples: [example] }));

const flite = Type.Object(
  {
    voice: optional.oneOf(fliteVoices, {
      description: 'slt is a female voice; rms, awb and kal16 are male voices.',
      default: 'slt',
      examples: ['slt'],
    }),
    pitch: factor('Factor of the natural pitch of the voice, 0.5 to 2. rms has a fixed pitch.', 1.1),
    rate: factor('Factor of the usual speed of the voice, 0.5 to 2.', 0.95),
  },
  {
    additionalProperties: true,
    description: 'The voice in the included speech engine. Other fields are ignored.',
    examples: [{ voice: 'slt', pitch: 1.1, rate: 0.95 }],
  },
);

const openai = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  properties: {
    voice: Type.String({ description: 'Name of the voice in that service.', examples: ['coral'] }),
  },
  description: 'The voice in an OpenAI-compatible speech service.',
  examples: [{ voice: 'coral' }],
});

export const voice = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  properties: { flite, openai },
  description:
    'Voice settings. Any fields; passed to the runtime unchanged. The included runtime reads flite and openai.',
  examples: [{ voiceId: 'ines-pt' }],
});

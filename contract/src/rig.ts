import type { Static } from 'typebox';
import Type from './type.ts';

const closed = { additionalProperties: false } as const;
/** The largest number of a rig; drawings are smaller. */
const maximum = 10_000;
const part = (description: string) =>
  Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]*$', maxLength: 64, description });
const pair = (description: string, items: object = { type: 'number', minimum: -maximum, maximum }) =>
  Type.Unsafe<[number, number]>({ type: 'array', items, minItems: 2, maxItems: 2, description });
const above = (exclusiveMinimum: number, description: string) =>
  Type.Number({ exclusiveMinimum, maximum, description });
const color = (description: string) => Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description });

const head = Type.Object(
  {
    parts: Type.Array(part('Moves with the head.'), {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
    }),
    pivot: pair('The point about which the head rotates.'),
    maxTilt: Type.Number({
      minimum: 0,
      maximum: 45,
      description: 'Maximum tilt to either side, in degrees.',
    }),
  },
  closed,
);

const eyes = Type.Object(
  {
    pupils: part('Both pupils. They move with the gaze and shrink to a line in a blink.'),
    shine: Type.Optional(part('The highlights in the pupils, which move with them.')),
    lids: Type.Optional(part('Both upper lids. In a blink they close towards `blink.about`.')),
    blink: Type.Object(
      {
        scaleY: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Height of a closed eye, as a fraction of an open one.',
        }),
        about: Type.Number({
          minimum: -maximum,
          maximum,
          description: 'The y coordinate of a closed eye.',
        }),
      },
      closed,
    ),
    look: pair('Maximum movement of the pupils, horizontally and vertically.', {
      type: 'number',
      minimum: 0,
      maximum,
    }),
  },
  closed,
);

const mouth = Type.Object(
  {
    replace: part('The drawn mouth. The animated mouth is drawn in its place.'),
    at: pair('The centre of the mouth.'),
    width: above(0, 'Distance from the middle to a corner, at rest.'),
    height: above(0, 'Distance between the lips when the mouth is wide open.'),
    smile: Type.Number({
      minimum: 0,
      maximum,
      description: 'Height of the corners above the middle, at rest.',
    }),
    colors: Type.Object(
      {
        lip: color('The lips, or the line.'),
        inside: color('The open mouth.'),
        teeth: color('The teeth.'),
        tongue: color('The tongue.'),
      },
      closed,
    ),
    style: Type.Enum(['soft', 'line'], {
      description: 'soft: lips with teeth and tongue behind them; line: a line that opens into a ring.',
    }),
  },
  closed,
);

const breathe = Type.Object(
  {
    part: part('The part that grows with each breath, from its lower edge.'),
    scaleY: Type.Number({
      minimum: 1,
      maximum: 1.1,
      description: 'Its height after breathing in, as a multiple of its height at rest.',
    }),
    seconds: above(0, 'Seconds from one breath to the next.'),
  },
  closed,
);

/**
 * Animation of a drawn character: `rig.json` in the folder of the image. Parts are element ids in the image. They must not have a
 * `transform` attribute, because players set it; numbers are in the coordinates of the part.
 */
export const rigSchema = Type.Object(
  {
    rig: Type.Literal(1, { description: 'Version of this format.' }),
    image: Type.String({
      pattern: '^[A-Za-z0-9_-]+\\.svg$',
      description: 'File name of the picture, in the same folder.',
    }),
    head,
    eyes,
    brows: Type.Optional(part('Both eyebrows. They rise and fall.')),
    mouth,
    breathe: Type.Optional(breathe),
  },
  { ...closed, $id: 'Rig', description: 'How a drawn character moves.' },
);

export type Rig = Static<typeof rigSchema>;

const place = (description: string) => pair(description, { type: 'number', minimum: 0, maximum: 1 });

/**
 * Animation of a picture of a face, such as a photo: `rig.json` in the folder of the image. Coordinates are fractions of its width and
 * height.
 */
export const pictureRigSchema = Type.Object(
  {
    rig: Type.Literal(2, { description: 'Version of this format.' }),
    image: Type.String({
      pattern: '^[A-Za-z0-9_-]+\\.(png|jpg|webp)$',
      description: 'File name of the picture, in the same folder.',
    }),
    eyes: Type.Object(
      {
        left: place('The pupil on the left of the picture.'),
        right: place('The pupil on its right.'),
        height: Type.Optional(
          Type.Number({
            minimum: 0.05,
            maximum: 0.6,
            description:
              'Height of an open eye, as a fraction of the distance between the eyes; 0.24 if it is missing.',
          }),
        ),
      },
      closed,
    ),
    mouth: Type.Object(
      {
        left: place('The corner on the left of the picture.'),
        middle: place('Where the lips touch, in the middle.'),
        right: place('The corner on the right of the picture.'),
      },
      closed,
    ),
    chin: place('The lowest point of the chin.'),
  },
  { ...closed, $id: 'PictureRig', description: 'How a picture of a face moves.' },
);

export type PictureRig = Static<typeof pictureRigSchema>;

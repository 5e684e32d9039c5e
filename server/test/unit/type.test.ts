import Type from '@session-launch/contract/type';
import TypeBox from 'typebox';
import { expect, test } from 'vitest';

/** Every builder that the contract uses, with and without options, and with an optional field among required ones. */
const built = (t: typeof Type) => [
  t.Object({}),
  t.Object(
    {
      list: t.Array(t.String({ minLength: 1 }), { maxItems: 3 }),
      flag: t.Optional(t.Boolean()),
      choice: t.Enum(['a', 'b'], { description: 'One of two.' }),
      count: t.Optional(t.Integer({ minimum: 0 })),
      one: t.Optional(
        t.Union([t.Literal('match'), t.Literal(7), t.Literal(true), t.Null()], { title: 'Any' }),
      ),
      pair: t.Tuple([t.Number({ minimum: 0 }), t.String()], { description: 'A time and a name.' }),
      share: t.Optional(t.Number()),
      own: t.Unsafe<number | null>({ type: ['integer', 'null'] }),
    },
    { additionalProperties: false },
  ),
  t.Object({ only: t.Optional(t.String()) }),
];

test('schemas equal those of TypeBox, in the same order', () => {
  expect(JSON.stringify(built(Type))).toBe(JSON.stringify(built(TypeBox)));
});

test('a field that is optional in one object stays required in another', () => {
  const name = Type.String();
  expect(Type.Object({ a: Type.Optional(name), b: name })).toMatchObject({ required: ['b'] });
});

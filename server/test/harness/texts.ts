import fc from 'fast-check';

const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0xd7_ff }),
  // Excludes lone surrogates, which are not valid text.
  fc.integer({ min: 0xe0_00, max: 0x10_ff_ff }),
);

const character = codePoint.map(
  (point) => String.fromCodePoint(point),
  (text) => {
    const [first = '', ...more] = text as string;
    if (first === '' || more.length > 0) throw new Error('is no single character');
    return first.codePointAt(0) as number;
  },
);

/** Arbitrary Unicode text. The unit of fast-check builds a table of all code points, which takes a second. */
export function unicodeText(constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}

/** URLs of pages. The generator of fast-check builds the same table. */
export function pageUrl(schemes = ['https', 'http']): fc.Arbitrary<string> {
  const rest = fc.stringMatching(
    /^(\/([\w.~!$&'()*+,;=:@-]|%[0-9A-F]{2}){0,8}){0,3}(\?[\w.~!$&'()*+,;=:@/?-]{0,12})?$/,
  );
  return fc
    .tuple(fc.constantFrom(...schemes), fc.webAuthority(), rest)
    .map(([scheme, authority, path]) => `${scheme}://${authority}${path}`);
}

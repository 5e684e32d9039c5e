import type { Static } from 'typebox';
import type { AnswerHeaders } from '../headers.ts';
import Type from '../type.ts';

/** One difference between two documents. */
export const changeSchema = Type.Object(
  {
    path: Type.String({
      description: 'The field, such as runtime.characters[0].name. Empty for the whole document.',
      examples: ['title'],
    }),
    before: Type.Optional(Type.Unknown({ description: 'The earlier value. Absent: there was none.' })),
    after: Type.Optional(Type.Unknown({ description: 'The later value. Absent: there is none.' })),
  },
  { $id: 'Change', description: 'One difference between two documents.' },
);

export type FieldChange = Static<typeof changeSchema>;

/** The details of VERSION_CONFLICT: the current version, who last changed it and when, and what has changed since the version of the request. */
export interface VersionConflict {
  version: number;
  by: string;
  at: string;
  changes: FieldChange[];
}

const versionPattern = '^"[1-9]\\d{0,9}"$';

const ifMatch = (withoutIt: string) =>
  Type.String({
    pattern: versionPattern,
    description: `The version that the change is based on: the ETag of the document. ${withoutIt}`,
    examples: ['"3"'],
  });

/** The parameter of operations that change a versioned document. */
export const versionHeaders = Type.Object({ 'If-Match': ifMatch('Without it: 428.') });

/** The parameter of operations that check the version only if it is sent. */
export const optionalVersionHeaders = Type.Object({
  'If-Match': Type.Optional(ifMatch('Without it, any version is changed.')),
});

/** The header of answers with a versioned document. */
export const versionEtag: AnswerHeaders = {
  ETag: {
    'x-component': 'Version',
    'x-required': true,
    type: 'string',
    pattern: versionPattern,
    description: 'The version of the document. Send it in If-Match to change that version.',
    example: '"3"',
  },
};

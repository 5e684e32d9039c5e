import type { Static } from 'typebox';
import Type from '../type.ts';
import { patterns } from './patterns.ts';

function category(description: string, example: string) {
  return Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: patterns.notBlank,
    description,
    examples: [example],
  });
}

/** The categories of an experience that have one value. The gallery has a filter for each of them, and one for use cases. */
export const categories = {
  purpose: category('What it is for.', 'practice'),
  interactionMode: category('How visitors take part.', 'conversation'),
  domain: category('The subject.', 'travel'),
  universe: category('The world that it is set in.', 'lantern-street'),
  era: category('The time that it is set in.', 'present'),
};

export const useCase = category('A use case.', 'language-learning');

const fields = {
  useCases: Type.Optional(
    Type.Array(useCase, {
      maxItems: 10,
      description: 'What it can be used for.',
      examples: [['language-learning']],
    }),
  ),
  purpose: Type.Optional(categories.purpose),
  interactionMode: Type.Optional(categories.interactionMode),
  domain: Type.Optional(categories.domain),
  universe: Type.Optional(categories.universe),
  era: Type.Optional(categories.era),
};

const options = {
  description:
    'Categories by which galleries group and filter experiences. They are texts of your choice, compared exactly.',
  examples: [{ useCases: ['language-learning'], purpose: 'practice', domain: 'travel' }],
};

export const taxonomy = Type.Object(fields, { additionalProperties: false, ...options });

/** In responses, where fields may be added. */
export const shownTaxonomy = Type.Object(fields, { $id: 'Taxonomy', ...options });

export type Taxonomy = Static<typeof taxonomy>;

export const description = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: patterns.notBlank,
  description: 'What visitors of a gallery read about the experience.',
  examples: ['Order a coffee and learn the words for it.'],
});

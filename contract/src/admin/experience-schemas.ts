import type { Static } from 'typebox';
import { counting, id, optional, timestamp } from '../fields.ts';
import { stored } from '../project-file/fields.ts';
import { projectFileSchema } from '../project-file/schema.ts';
import Type from '../type.ts';
import { changeSchema } from './changes.ts';

export const experienceParams = Type.Object({
  experienceId: id('exp', 'Id of the experience.', 'exp_cafe'),
});

const ofFile = projectFileSchema.properties.experiences.items;

/** An experience as a response contains it. */
export const experienceSchema = Type.Unsafe<object>({ ...stored(ofFile), $id: 'Experience' });

/**
 * An experience as a request contains it. The checks of project files validate it, because they explain a problem better than the schema.
 */
const written = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'The experience, as in a project file (see the schema Experience).',
});

const note = optional.string({
  minLength: 1,
  maxLength: 500,
  description: 'A note for the history.',
  examples: ['Shorter greeting'],
});

export const newExperienceSchema = Type.Object(
  { experience: Type.Optional(written) },
  {
    $id: 'NewExperience',
    additionalProperties: true,
    description: 'The experience, in the field `experience` or as the body itself.',
  },
);

export const savedExperienceSchema = Type.Object(
  { experience: written, note },
  { $id: 'ExperienceToSave', additionalProperties: false, description: 'The request to save an experience.' },
);

export const publicationSchema = Type.Object(
  {
    revision: optional.integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The revision to publish. Default: the newest.',
    }),
    note,
  },
  { $id: 'Publication', additionalProperties: false, description: 'Which revision to publish.' },
);

export type Publication = Static<typeof publicationSchema>;

const version = Type.Integer({ minimum: 1, description: 'Counts the changes of the experience.' });
const latestRevision = Type.Integer({ minimum: 1, description: 'The newest revision.' });
const publishedRevision = optional.integer({
  minimum: 1,
  description: 'The published revision. Absent while the experience is not published.',
});
const managedBy = Type.Enum(['file', 'console'], {
  description: 'Whether the latest change was made with a project file or through the admin API.',
});
const source = optional.string({ description: 'Label of the project file that was applied last.' });
const updatedAt = timestamp('When it was last changed.');
const updatedBy = Type.String({ description: 'Who changed it last.', examples: ['Ada'] });

export const experienceStateSchema = Type.Object(
  {
    experience: experienceSchema,
    version,
    latestRevision,
    publishedRevision,
    live: Type.Optional(experienceSchema),
    managedBy,
    source,
    updatedAt,
    updatedBy,
  },
  {
    $id: 'ExperienceState',
    description: 'An experience with its newest revision, and its published revision if it has one.',
  },
);

export type ExperienceState = Static<typeof experienceStateSchema>;

export const saveResultSchema = Type.Object(
  {
    experience: experienceSchema,
    version,
    latestRevision,
    publishedRevision,
    newRevision: Type.Boolean({ description: 'True if saving created a revision.' }),
    changes: Type.Array(changeSchema, { description: 'How the document differs from the stored one.' }),
  },
  { $id: 'SavedExperience', description: 'The result of saving an experience.' },
);

export type SavedExperience = Static<typeof saveResultSchema>;

export const catalogFields = ['avatarId', 'thumbnailPath', 'galleryThumb'] as const;

const summarySchema = Type.Object(
  {
    experienceId: Type.String({ description: 'Id of the experience.', examples: ['exp_cafe'] }),
    slug: Type.String({ description: 'Slug of the newest revision.', examples: ['cafe'] }),
    title: Type.String({ description: 'Title of the newest revision.', examples: ['Café in Lisbon'] }),
    sortOrder: Type.Integer({ description: 'Position: lower numbers come first.' }),
    status: Type.Enum(['draft', 'published', 'archived'], { description: 'State of the experience.' }),
    public: Type.Boolean({ description: 'Whether its allowedOrigins may launch it publicly.' }),
    version,
    latestRevision,
    publishedRevision,
    hasDraft: Type.Boolean({ description: 'True if the newest revision is not the published one.' }),
    catalogReady: Type.Boolean({ description: 'True if every field of a catalog entry is set.' }),
    catalogMissing: Type.Array(Type.Enum(catalogFields), {
      description: 'The fields that a complete catalog entry still needs.',
    }),
    thumbnailPath: optional.string({
      description: 'Thumbnail of the avatar.',
      examples: ['/avatars/ines/thumb.svg'],
    }),
    galleryThumb: Type.Optional(
      Type.Object(
        {
          avatarImage: Type.String({
            description: 'Picture of the avatar.',
            examples: ['/avatars/ines/full.svg'],
          }),
          backgroundImage: Type.String({
            description: 'Picture behind the avatar.',
            examples: ['/locations/cafe/wide.svg'],
          }),
        },
        { description: 'The two pictures of a gallery thumbnail.' },
      ),
    ),
    sessionsToday: Type.Integer({ minimum: 0, description: 'Sessions launched on this UTC day.' }),
    managedBy,
    source,
    updatedAt,
    updatedBy,
  },
  { description: 'Summary of an experience.' },
);

export type ExperienceSummary = Static<typeof summarySchema>;

export const experienceListSchema = Type.Object(
  {
    experiences: Type.Array(summarySchema, { description: 'In the order of the catalog.' }),
    counting: counting('`sessionsToday` is a lower bound'),
    version: Type.Integer({ minimum: 1, description: 'Version of the project.' }),
  },
  { $id: 'ExperienceList', description: 'The experiences of a project.' },
);

export type ExperienceList = Static<typeof experienceListSchema>;

const revision = Type.Integer({ minimum: 1, description: 'Number of the revision.' });

export const revisionListSchema = Type.Object(
  {
    revisions: Type.Array(
      Type.Object(
        {
          revision,
          createdAt: timestamp('When it was saved.'),
          createdBy: Type.String({ description: 'Who saved it.', examples: ['Ada'] }),
          note: optional.string({ description: 'The note, if one was given.' }),
          published: Type.Boolean({ description: 'True for the published revision.' }),
          sessions: Type.Integer({
            minimum: 0,
            description: 'Sessions that were launched from it, also those that have been deleted since.',
          }),
        },
        { description: 'A revision without its content.' },
      ),
      { description: 'Newest first.' },
    ),
    counting: counting('`sessions` is a lower bound'),
  },
  { $id: 'RevisionList', description: 'The revisions of an experience.' },
);

export type RevisionList = Static<typeof revisionListSchema>;

export const changeListSchema = Type.Object(
  { changes: Type.Array(changeSchema, { description: 'The differences.' }) },
  { $id: 'ChangeList', description: 'The differences between two documents.' },
);

export const orderSchema = Type.Object(
  {
    experienceIds: Type.Array(Type.String({ examples: ['exp_cafe'] }), {
      description: 'The ids of all experiences of the project, in the wanted order.',
    }),
  },
  { $id: 'Order', additionalProperties: false, description: 'The wanted order of the experiences.' },
);

export const orderedSchema = Type.Object(
  {
    version: Type.Integer({ minimum: 1, description: 'Version of the project.' }),
    moved: Type.Array(
      Type.Object(
        {
          experienceId: Type.String({ description: 'Id of the experience.', examples: ['exp_cafe'] }),
          sortOrder: Type.Integer({ description: 'Its new position.' }),
        },
        { description: 'An experience whose position has changed.' },
      ),
      { description: 'The experiences whose sortOrder has changed.' },
    ),
  },
  { $id: 'Ordered', description: 'The result of ordering the experiences.' },
);

import type { Static } from 'typebox';
import { optional } from '../fields.ts';
import Type from '../type.ts';
import { assetPath, closed, defaults, limit, origins, shortText } from './fields.ts';
import { patterns } from './patterns.ts';
import { runtime } from './runtime.ts';
import { description, taxonomy } from './taxonomy.ts';

const experience = Type.Object(
  {
    id: Type.String({
      pattern: patterns.experienceId,
      description: 'The experienceId of mint requests: "exp_" and 1 to 64 letters, digits, "_" or "-".',
      examples: ['exp_cafe'],
    }),
    slug: Type.String({
      pattern: patterns.slug,
      maxLength: 64,
      description: 'Readable name, unique in the project: words of a-z and 0-9, joined by "-".',
      examples: ['cafe'],
    }),
    title: shortText('Title shown in the catalog.', 'Café in Lisbon'),
    sortOrder: optional.integer({
      minimum: -2_147_483_648,
      maximum: 2_147_483_647,
      description: 'Position in the catalog: lower numbers come first, equal numbers are sorted by id.',
      default: defaults.sortOrder,
      examples: [1],
    }),
    status: optional.oneOf(['draft', 'published', 'archived'], {
      description:
        'Only published experiences are in the catalog and can be launched by pages and live keys. A draft can be launched with a test key; an archived experience cannot be launched.',
      default: defaults.status,
      examples: ['published'],
    }),
    public: optional.boolean({
      description:
        'Whether pages on the allowed origins of this experience may launch it without an API key.',
      default: false,
      examples: [true],
    }),
    allowedOrigins: origins('Sites that may launch this experience publicly.', 'https://www.example.com'),
    avatarId: Type.Optional(shortText('The avatar that the gallery shows.', 'ines')),
    thumbnailPath: Type.Optional(
      assetPath(
        patterns.avatarPath,
        'Thumbnail of the avatar, a path of this service.',
        '/avatars/ines/thumb.svg',
      ),
    ),
    galleryThumb: Type.Optional(
      Type.Object(
        {
          avatarImage: assetPath(
            patterns.avatarPath,
            'Picture of the avatar, a path of this service.',
            '/avatars/ines/full.svg',
          ),
          backgroundImage: assetPath(
            patterns.locationPath,
            'Picture behind the avatar, a path of this service.',
            '/locations/cafe/wide.svg',
          ),
        },
        {
          ...closed,
          description: 'The two pictures of a gallery thumbnail. Set both, or omit galleryThumb.',
          examples: [{ avatarImage: '/avatars/ines/full.svg', backgroundImage: '/locations/cafe/wide.svg' }],
        },
      ),
    ),
    description: Type.Optional(description),
    taxonomy: Type.Optional(taxonomy),
    runtime,
  },
  { ...closed, description: 'An experience that clients can launch.' },
);

const limits = Type.Object(
  {
    mintsPerMinutePerClient: limit(
      'Browser and public mints per minute from one client address.',
      defaults.limits.mintsPerMinutePerClient,
    ),
    mintsPerMinute: limit(
      'Browser and public mints per minute in the whole project.',
      defaults.limits.mintsPerMinute,
    ),
    sessionsPerDay: limit(
      'Browser and public sessions per UTC day in the whole project.',
      defaults.limits.sessionsPerDay,
    ),
    concurrentSessions: limit(
      'Concurrent sessions of the whole project, however they were created.',
      defaults.limits.concurrentSessions,
    ),
    concurrentSessionsPerClient: limit(
      'Concurrent sessions of the project from one client network, which is an IPv4 address or the first 64 bits of an IPv6 address. A school or an office may share one address.',
      defaults.limits.concurrentSessionsPerClient,
      5,
    ),
  },
  {
    ...closed,
    description:
      'Limits for launches from browsers, and for concurrent sessions. Launches with an API key do not count towards the launch limits.',
    default: { ...defaults.limits },
    examples: [
      {
        mintsPerMinutePerClient: 30,
        mintsPerMinute: 600,
        sessionsPerDay: null,
        concurrentSessions: 50,
        concurrentSessionsPerClient: 5,
      },
    ],
  },
);

const project = Type.Object(
  {
    id: Type.String({
      pattern: patterns.projectId,
      description: 'The project to create or update: "prj_" and 1 to 64 letters, digits, "_" or "-".',
      examples: ['prj_demo'],
    }),
    name: shortText('Display name of the project.', 'Demo'),
    browserEmbeds: optional.boolean({
      description: 'Whether pages may create sessions of this project without an API key.',
      default: false,
      examples: [true],
    }),
    allowedOrigins: origins(
      'Sites that may launch every published experience of the project.',
      'http://localhost:5173',
    ),
    limits: Type.Optional(limits),
  },
  {
    ...closed,
    description: 'The project. Omitted fields take their default, not their previous value.',
    examples: [{ id: 'prj_demo', name: 'Demo' }],
  },
);

export const projectFileSchema = Type.Object(
  {
    project,
    experiences: Type.Optional(
      Type.Array(experience, {
        description: 'Experiences to create or update. Omitted experiences are left unchanged.',
        default: [],
        examples: [[]],
      }),
    ),
    $schema: optional.string({
      description: 'Path of this schema for editors. Ignored when the file is applied.',
      examples: ['../project-file.schema.json'],
    }),
  },
  {
    ...closed,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Project file',
    description: 'A project and its experiences, as accepted by `session-launch apply FILE` in YAML or JSON.',
  },
);

/** A project file as written, before defaults are filled in. */
export type WrittenProjectFile = Static<typeof projectFileSchema>;

/** The content of `project-file.schema.json`, with which editors complete and check project files. */
export function projectFileJsonSchema(): string {
  const { $schema, title, description, ...rest } = projectFileSchema as typeof projectFileSchema &
    Record<'$schema' | 'title' | 'description', string>;
  return `${JSON.stringify({ $schema, title, description, ...rest }, null, 2)}\n`;
}

import { always } from './errors.ts';

/** Error codes of every operation on one experience. */
export const ofAnExperience = ['INVALID_REQUEST', 'EXPERIENCE_NOT_FOUND', ...always] as const;
export const ofDocuments = ['PROJECT_FILE_INVALID', 'SLUG_TAKEN'] as const;
export const invalidDocument = {
  PROJECT_FILE_INVALID: {
    message: 'experience.slug "Café" must be words of a-z and 0-9, joined by "-"; try "cafe"',
    details: [
      {
        path: 'experience.slug',
        message: '"Café" must be words of a-z and 0-9, joined by "-"; try "cafe"',
      },
    ],
  },
};
export const conflict = {
  VERSION_CONFLICT: {
    message: 'The current version is 4, last changed by Ada; If-Match has 3.',
    details: {
      version: 4,
      by: 'Ada',
      at: '2026-03-01T09:30:00.000Z',
      changes: [{ path: 'title', before: 'Café', after: 'Café in Lisbon' }],
    },
  },
};

export const exampleExperience = {
  id: 'exp_cafe',
  slug: 'cafe',
  title: 'Café in Lisbon',
  sortOrder: 10,
  status: 'draft',
  public: false,
  allowedOrigins: [],
  runtime: {
    characters: [{ characterId: 'ines', name: 'Inês' }],
    transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
  },
};
export const exampleState = {
  experience: exampleExperience,
  version: 1,
  latestRevision: 1,
  managedBy: 'console',
  updatedAt: '2026-03-01T09:30:00.000Z',
  updatedBy: 'Ada',
};

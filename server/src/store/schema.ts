import {
  boolean,
  customType,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

// Column names and types for the query builder. Keys, checks and indexes are in migrations/; a test compares these columns with the
// database.

const bytes = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (value) => Buffer.from(value),
});
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

export const projects = pgTable('projects', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  browserEmbeds: boolean('browser_embeds').notNull(),
  allowedOrigins: text('allowed_origins').array().notNull(),
  mintsPerMinutePerClient: integer('mints_per_minute_per_client'),
  mintsPerMinute: integer('mints_per_minute'),
  sessionsPerDay: integer('sessions_per_day'),
  concurrentSessions: integer('concurrent_sessions'),
  concurrentSessionsPerClient: integer('concurrent_sessions_per_client'),
  createdAt: instant('created_at').notNull(),
  updatedAt: instant('updated_at').notNull(),
});

export const apiKeys = pgTable('api_keys', {
  id: text('id').primaryKey(),
  projectId: text('project_id').notNull(),
  mode: text('mode', { enum: ['test', 'live'] }).notNull(),
  hash: bytes('hash').notNull(),
  hint: text('hint').notNull(),
  name: text('name'),
  scopes: text('scopes').array().notNull(),
  createdAt: instant('created_at').notNull(),
  expiresAt: instant('expires_at'),
  revokedAt: instant('revoked_at'),
  lastUsedAt: instant('last_used_at'),
});

export const experiences = pgTable('experiences', {
  id: text('id').primaryKey(),
  projectId: text('project_id').notNull(),
  slug: text('slug').notNull(),
  title: text('title').notNull(),
  sortOrder: integer('sort_order').notNull(),
  status: text('status', { enum: ['draft', 'published', 'archived'] }).notNull(),
  public: boolean('public').notNull(),
  allowedOrigins: text('allowed_origins').array().notNull(),
  avatarId: text('avatar_id'),
  thumbnailPath: text('thumbnail_path'),
  galleryAvatarImage: text('gallery_avatar_image'),
  galleryBackgroundImage: text('gallery_background_image'),
  latestRevision: integer('latest_revision').notNull(),
  createdAt: instant('created_at').notNull(),
  updatedAt: instant('updated_at').notNull(),
});

export const revisions = pgTable(
  'revisions',
  {
    experienceId: text('experience_id').notNull(),
    number: integer('number').notNull(),
    slug: text('slug').notNull(),
    title: text('title').notNull(),
    /** The frozen runtime configuration; its type is in `experiences/`. */
    runtime: json('runtime').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.experienceId, t.number] })],
);

export const sessions = pgTable('sessions', {
  id: text('id').primaryKey(),
  projectId: text('project_id').notNull(),
  experienceId: text('experience_id').notNull(),
  revision: integer('revision').notNull(),
  livemode: boolean('livemode').notNull(),
  source: text('source', { enum: ['server', 'browser', 'public'] }).notNull(),
  userId: text('user_id'),
  /** The inputs of the launch; the type is in `sessions/`. */
  given: json('given').notNull(),
  createdAt: instant('created_at').notNull(),
  expiresAt: instant('expires_at').notNull(),
  startedAt: instant('started_at'),
  runtimeId: text('runtime_id'),
  endedAt: instant('ended_at'),
  endReason: text('end_reason'),
  seconds: integer('seconds').notNull(),
});

export const activeSessions = pgTable('active_sessions', {
  sessionId: text('session_id').primaryKey(),
  projectId: text('project_id').notNull(),
  runtimeId: text('runtime_id').notNull(),
  startedAt: instant('started_at').notNull(),
  reportedAt: instant('reported_at').notNull(),
  seconds: integer('seconds').notNull(),
  waiting: boolean('waiting').notNull(),
  client: text('client'),
});

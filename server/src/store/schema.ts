import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  date,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core';
import type { Runtime } from '../projects/project-file.ts';

/** Ids sort bytewise on every engine, whatever the locale of the database. */
const id = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });
const bytes = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (value) => Buffer.from(value),
});
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

export const projects = pgTable(
  'projects',
  {
    id: id('id').primaryKey(),
    name: text('name').notNull(),
    browserEmbeds: boolean('browser_embeds').notNull(),
    allowedOrigins: text('allowed_origins').array().notNull(),
    mintsPerMinutePerClient: integer('mints_per_minute_per_client'),
    mintsPerMinute: integer('mints_per_minute'),
    sessionsPerDay: integer('sessions_per_day'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    check('projects_id_format', sql`${t.id} ~ '^prj_[A-Za-z0-9_-]{1,64}$'`),
    check(
      'projects_limits_not_negative',
      sql`${t.mintsPerMinutePerClient} >= 0 AND ${t.mintsPerMinute} >= 0 AND ${t.sessionsPerDay} >= 0`,
    ),
  ],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: id('id').primaryKey(),
    projectId: id('project_id')
      .notNull()
      .references(() => projects.id),
    mode: text('mode', { enum: ['test', 'live'] }).notNull(),
    /** SHA-256 of the whole key; the key itself is never stored. */
    hash: bytes('hash').notNull().unique('api_keys_hash'),
    hint: text('hint').notNull(),
    name: text('name'),
    scopes: text('scopes').array().notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
    lastUsedAt: instant('last_used_at'),
  },
  (t) => [
    index('api_keys_by_project').on(t.projectId, t.id),
    check('api_keys_id_format', sql`${t.id} ~ '^key_[A-Za-z0-9_-]{1,64}$'`),
    check('api_keys_mode_known', sql`${t.mode} IN ('test', 'live')`),
    check('api_keys_hash_length', sql`octet_length(${t.hash}) = 32`),
    check(
      'api_keys_scopes_known',
      sql`${t.scopes} <@ ARRAY['sessions:create', 'sessions:read', 'catalog:read'] AND cardinality(${t.scopes}) > 0`,
    ),
  ],
);

export const experiences = pgTable(
  'experiences',
  {
    id: id('id').primaryKey(),
    projectId: id('project_id')
      .notNull()
      .references(() => projects.id),
    slug: id('slug').notNull(),
    title: text('title').notNull(),
    sortOrder: integer('sort_order').notNull(),
    status: text('status', { enum: ['draft', 'published', 'archived'] }).notNull(),
    public: boolean('public').notNull(),
    allowedOrigins: text('allowed_origins').array().notNull(),
    avatarId: text('avatar_id'),
    thumbnailPath: text('thumbnail_path'),
    galleryAvatarImage: text('gallery_avatar_image'),
    galleryBackgroundImage: text('gallery_background_image'),
    /** The newest revision. While the experience is published, it is the published one. */
    latestRevision: integer('latest_revision').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    unique('experiences_slug_in_project').on(t.projectId, t.slug),
    unique('experiences_project').on(t.projectId, t.id),
    index('experiences_in_order').on(t.projectId, t.sortOrder, t.id),
    // Without the list of pending entries, which every look-up would have to read.
    index('experiences_by_origin').using('gin', t.allowedOrigins).with({ fastupdate: false }),
    check('experiences_id_format', sql`${t.id} ~ '^exp_[A-Za-z0-9_-]{1,64}$'`),
    check('experiences_slug_format', sql`${t.slug} ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(${t.slug}) <= 64`),
    check('experiences_status_known', sql`${t.status} IN ('draft', 'published', 'archived')`),
    check(
      'experiences_gallery_whole',
      sql`(${t.galleryAvatarImage} IS NULL) = (${t.galleryBackgroundImage} IS NULL)`,
    ),
    check('experiences_revision_positive', sql`${t.latestRevision} >= 1`),
  ],
);

/** Immutable: rows are inserted, never updated (a trigger holds that). */
export const revisions = pgTable(
  'revisions',
  {
    experienceId: id('experience_id')
      .notNull()
      .references(() => experiences.id),
    number: integer('number').notNull(),
    slug: text('slug').notNull(),
    title: text('title').notNull(),
    /** `json`, not `jsonb`: keeps the order in which the creator wrote it. */
    runtime: json('runtime').$type<Runtime>().notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({ name: 'revisions_pkey', columns: [t.experienceId, t.number] }),
    check('revisions_number_positive', sql`${t.number} >= 1`),
  ],
);

export const sessions = pgTable(
  'sessions',
  {
    id: id('id').primaryKey(),
    projectId: id('project_id').notNull(),
    experienceId: id('experience_id').notNull(),
    revision: integer('revision').notNull(),
    livemode: boolean('livemode').notNull(),
    source: text('source', { enum: ['server', 'browser', 'public'] }).notNull(),
    origin: text('origin'),
    userId: text('user_id'),
    processorId: text('processor_id'),
    mode: text('mode').notNull(),
    speechInputMode: text('speech_input_mode').notNull(),
    speechOnly: boolean('speech_only').notNull(),
    locale: text('locale').notNull(),
    secondaryLocale: text('secondary_locale'),
    /** What the caller sent for the player, in the caller's own order. */
    player: json('player').$type<Record<string, unknown>>(),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at'),
    /** Enough to sign the very same token again; the token itself is never stored. */
    tokenIssuedAt: bigint('token_issued_at', { mode: 'number' }).notNull(),
    tokenExpiresAt: bigint('token_expires_at', { mode: 'number' }).notNull(),
    tokenIssuer: text('token_issuer').notNull(),
    tokenKeyId: text('token_key_id').notNull(),
  },
  (t) => [
    // Its experience, revision and project are held by a trigger: see the migrations.
    index('sessions_by_project').on(t.projectId, t.id),
    index('sessions_by_experience').on(t.projectId, t.experienceId, t.id),
    index('sessions_by_source').on(t.projectId, t.source, t.id),
    index('sessions_by_user').on(t.projectId, t.userId, t.id).where(sql`${t.userId} IS NOT NULL`),
    index('sessions_running').on(t.projectId, t.id).where(sql`${t.endedAt} IS NULL`),
    index('sessions_ended').on(t.projectId, t.id).where(sql`${t.endedAt} IS NOT NULL`),
    // No pattern here: it would be the most expensive part of a mint, and only the service makes these ids.
    check('sessions_id_format', sql`starts_with(${t.id}, 'ses_') AND octet_length(${t.id}) <= 68`),
    check('sessions_source_known', sql`${t.source} IN ('server', 'browser', 'public')`),
    check('sessions_origin_of_browsers', sql`(${t.source} = 'server') = (${t.origin} IS NULL)`),
    check('sessions_mode_known', sql`${t.mode} IN ('conversation', 'presenter')`),
    check('sessions_speech_input_known', sql`${t.speechInputMode} IN ('auto', 'manual', 'off')`),
    check('sessions_end_after_start', sql`${t.endedAt} >= ${t.createdAt}`),
    check('sessions_token_lives', sql`${t.tokenExpiresAt} > ${t.tokenIssuedAt}`),
  ],
);

/** One row for each launch that an Idempotency-Key can replay. Scope and key are stored as one hash. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    hash: bytes('hash').primaryKey(),
    fingerprint: bytes('fingerprint').notNull(),
    sessionId: id('session_id')
      .notNull()
      .references(() => sessions.id),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    index('idempotency_keys_by_expiry').on(t.expiresAt),
    check('idempotency_keys_hash_length', sql`octet_length(${t.hash}) = 32`),
  ],
);

/** Browser and public mints of a project on one UTC day. */
export const dailySessions = pgTable(
  'daily_sessions',
  {
    projectId: id('project_id')
      .notNull()
      .references(() => projects.id),
    day: date('day', { mode: 'string' }).notNull(),
    used: integer('used').notNull(),
  },
  (t) => [
    primaryKey({ name: 'daily_sessions_pkey', columns: [t.projectId, t.day] }),
    check('daily_sessions_not_negative', sql`${t.used} >= 0`),
  ],
);

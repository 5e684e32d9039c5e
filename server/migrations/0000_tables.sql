CREATE TABLE "api_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"mode" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"hint" text NOT NULL,
	"name" text,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_hash" UNIQUE("hash"),
	CONSTRAINT "api_keys_id_format" CHECK ("api_keys"."id" ~ '^key_[A-Za-z0-9_-]{1,64}$'),
	CONSTRAINT "api_keys_mode_known" CHECK ("api_keys"."mode" IN ('test', 'live')),
	CONSTRAINT "api_keys_hash_length" CHECK (octet_length("api_keys"."hash") = 32),
	CONSTRAINT "api_keys_scopes_known" CHECK ("api_keys"."scopes" <@ ARRAY['sessions:create', 'sessions:read', 'catalog:read'] AND cardinality("api_keys"."scopes") > 0)
);
--> statement-breakpoint
CREATE TABLE "daily_sessions" (
	"project_id" text COLLATE "C" NOT NULL,
	"day" date NOT NULL,
	"used" integer NOT NULL,
	CONSTRAINT "daily_sessions_pkey" PRIMARY KEY("project_id","day"),
	CONSTRAINT "daily_sessions_not_negative" CHECK ("daily_sessions"."used" >= 0)
);
--> statement-breakpoint
CREATE TABLE "experiences" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"sort_order" integer NOT NULL,
	"status" text NOT NULL,
	"public" boolean NOT NULL,
	"allowed_origins" text[] NOT NULL,
	"avatar_id" text,
	"thumbnail_path" text,
	"gallery_avatar_image" text,
	"gallery_background_image" text,
	"latest_revision" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "experiences_slug_in_project" UNIQUE("project_id","slug"),
	CONSTRAINT "experiences_project" UNIQUE("project_id","id"),
	CONSTRAINT "experiences_id_format" CHECK ("experiences"."id" ~ '^exp_[A-Za-z0-9_-]{1,64}$'),
	CONSTRAINT "experiences_slug_format" CHECK ("experiences"."slug" ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length("experiences"."slug") <= 64),
	CONSTRAINT "experiences_status_known" CHECK ("experiences"."status" IN ('draft', 'published', 'archived')),
	CONSTRAINT "experiences_gallery_whole" CHECK (("experiences"."gallery_avatar_image" IS NULL) = ("experiences"."gallery_background_image" IS NULL)),
	CONSTRAINT "experiences_revision_positive" CHECK ("experiences"."latest_revision" >= 1)
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"session_id" text COLLATE "C" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_hash_length" CHECK (octet_length("idempotency_keys"."hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"browser_embeds" boolean NOT NULL,
	"allowed_origins" text[] NOT NULL,
	"mints_per_minute_per_client" integer,
	"mints_per_minute" integer,
	"sessions_per_day" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "projects_id_format" CHECK ("projects"."id" ~ '^prj_[A-Za-z0-9_-]{1,64}$'),
	CONSTRAINT "projects_limits_not_negative" CHECK ("projects"."mints_per_minute_per_client" >= 0 AND "projects"."mints_per_minute" >= 0 AND "projects"."sessions_per_day" >= 0)
);
--> statement-breakpoint
CREATE TABLE "revisions" (
	"experience_id" text COLLATE "C" NOT NULL,
	"number" integer NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"runtime" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "revisions_pkey" PRIMARY KEY("experience_id","number"),
	CONSTRAINT "revisions_number_positive" CHECK ("revisions"."number" >= 1)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"experience_id" text COLLATE "C" NOT NULL,
	"revision" integer NOT NULL,
	"livemode" boolean NOT NULL,
	"source" text NOT NULL,
	"origin" text,
	"user_id" text,
	"processor_id" text,
	"mode" text NOT NULL,
	"speech_input_mode" text NOT NULL,
	"speech_only" boolean NOT NULL,
	"locale" text NOT NULL,
	"secondary_locale" text,
	"player" json,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"token_issued_at" bigint NOT NULL,
	"token_expires_at" bigint NOT NULL,
	"token_issuer" text NOT NULL,
	"token_key_id" text NOT NULL,
	CONSTRAINT "sessions_id_format" CHECK (starts_with("sessions"."id", 'ses_') AND octet_length("sessions"."id") <= 68),
	CONSTRAINT "sessions_source_known" CHECK ("sessions"."source" IN ('server', 'browser', 'public')),
	CONSTRAINT "sessions_origin_of_browsers" CHECK (("sessions"."source" = 'server') = ("sessions"."origin" IS NULL)),
	CONSTRAINT "sessions_mode_known" CHECK ("sessions"."mode" IN ('conversation', 'presenter')),
	CONSTRAINT "sessions_speech_input_known" CHECK ("sessions"."speech_input_mode" IN ('auto', 'manual', 'off')),
	CONSTRAINT "sessions_end_after_start" CHECK ("sessions"."ended_at" >= "sessions"."created_at"),
	CONSTRAINT "sessions_token_lives" CHECK ("sessions"."token_expires_at" > "sessions"."token_issued_at")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daily_sessions" ADD CONSTRAINT "daily_sessions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiences" ADD CONSTRAINT "experiences_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "revisions" ADD CONSTRAINT "revisions_experience_id_experiences_id_fk" FOREIGN KEY ("experience_id") REFERENCES "public"."experiences"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_experience_of_project" FOREIGN KEY ("project_id","experience_id") REFERENCES "public"."experiences"("project_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_revision" FOREIGN KEY ("experience_id","revision") REFERENCES "public"."revisions"("experience_id","number") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_by_project" ON "api_keys" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "experiences_in_order" ON "experiences" USING btree ("project_id","sort_order","id");--> statement-breakpoint
CREATE INDEX "experiences_by_origin" ON "experiences" USING gin ("allowed_origins") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_expiry" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_by_project" ON "sessions" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "sessions_by_experience" ON "sessions" USING btree ("project_id","experience_id","id");--> statement-breakpoint
CREATE INDEX "sessions_by_source" ON "sessions" USING btree ("project_id","source","id");--> statement-breakpoint
CREATE INDEX "sessions_by_user" ON "sessions" USING btree ("project_id","user_id","id") WHERE "sessions"."user_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "sessions_running" ON "sessions" USING btree ("project_id","id") WHERE "sessions"."ended_at" IS NULL;--> statement-breakpoint
CREATE INDEX "sessions_ended" ON "sessions" USING btree ("project_id","id") WHERE "sessions"."ended_at" IS NOT NULL;
--> statement-breakpoint
-- Look-ups of many rows at once, by names that anybody can make up. As functions with planner settings of their own, so
-- that each is found through its index, whatever the planner believes of tables that nobody has analysed. Times come as
-- JSON has them, and so do not depend on the settings of the database.
CREATE FUNCTION find_keys(digits text[])
RETURNS TABLE (hash text, key json)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT w.hash, to_json(k) FROM unnest(digits) AS w(hash) JOIN api_keys k ON k.hash = decode(w.hash, 'hex');
END $$;
--> statement-breakpoint
-- Experiences with their projects and newest revisions.
CREATE FUNCTION find_experiences(ids text[])
RETURNS TABLE (experience json, project json, revision json)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT to_json(e), to_json(p), to_json(r)
      FROM unnest(ids) AS w(id)
      JOIN experiences e ON e.id = w.id
      JOIN projects p ON p.id = e.project_id
      JOIN revisions r ON r.experience_id = e.id AND r.number = e.latest_revision;
END $$;
--> statement-breakpoint
-- An experience that lists each of these origins, where there is one. A bitmap of all that do is the only way into the
-- index; so the one that listed an origin before is looked at first, as an origin may stand on very many lists.
CREATE FUNCTION listed_origins(asked json)
RETURNS TABLE (origin text, experience_id text)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT w.origin, coalesce(
             (SELECT e.id FROM experiences e WHERE e.id = w.before AND e.allowed_origins && w.entries),
             (SELECT e.id FROM experiences e WHERE e.allowed_origins && w.entries LIMIT 1))
      FROM json_to_recordset(asked) AS w(origin text, entries text[], before text);
END $$;

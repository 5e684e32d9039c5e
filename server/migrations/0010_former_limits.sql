-- The projects that removed operators were limited to. Only of those who sign in through an identity provider: a later sign-in creates the
-- operator again, with the same limit.
CREATE TABLE former_limits (
  issuer text NOT NULL,
  subject text NOT NULL,
  project_ids text[] NOT NULL,
  CONSTRAINT former_limits_pkey PRIMARY KEY (issuer, subject)
);

-- When a login that a sign-in link creates ends at the latest. Null: no earlier than any other login.
ALTER TABLE login_codes ADD COLUMN login_expires_at timestamptz;

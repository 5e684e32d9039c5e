-- Whether the retention period has deleted sessions of this experience: then it was launched, although no session shows it.
ALTER TABLE experiences ADD COLUMN was_launched boolean NOT NULL DEFAULT false;

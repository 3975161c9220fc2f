SELECT pg_advisory_xact_lock(hashtext('ctxfold.schema'));
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE TABLE IF NOT EXISTS {schema}.records (
	key    text COLLATE "C" PRIMARY KEY,
	record bytea NOT NULL,
	used   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS records_used ON {schema}.records (used);
CREATE TABLE IF NOT EXISTS {schema}.leases (
	key    text COLLATE "C" PRIMARY KEY,
	holder text NOT NULL,
	until  timestamptz NOT NULL
);

-- Keeps the record $2 under the keys $1.
INSERT INTO {schema}.records (key, record, used)
SELECT key, $2, now() FROM unnest($1::text[]) AS key
ON CONFLICT (key) DO UPDATE SET record = excluded.record, used = excluded.used

-- Keeps the record $4 under the keys $3, if the holder $2 has the lease $1. The lock on the lease keeps another holder out until that is done.
WITH held AS (
	SELECT FROM {schema}.leases WHERE key = $1 AND holder = $2 AND until > clock_timestamp() FOR UPDATE
)
INSERT INTO {schema}.records (key, record, used)
SELECT key, $4, now() FROM unnest($3::text[]) AS key WHERE EXISTS (SELECT FROM held)
ON CONFLICT (key) DO UPDATE SET record = excluded.record, used = excluded.used

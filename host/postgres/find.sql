-- The first of the keys $1 that has a record: its index, the record, and for how long it was not used.
SELECT k.at::int - 1, r.record, now() - r.used
FROM unnest($1::text[]) WITH ORDINALITY AS k(key, at) JOIN {schema}.records AS r USING (key)
ORDER BY k.at
LIMIT 1

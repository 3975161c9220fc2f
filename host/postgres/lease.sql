-- Leases $1 to the holder $2 for $3, unless another one has it.
INSERT INTO {schema}.leases AS l (key, holder, until) VALUES ($1, $2, clock_timestamp() + $3)
ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE l.holder = excluded.holder OR l.until <= clock_timestamp()

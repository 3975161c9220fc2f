-- Extends the lease KEYS[1] of the holder ARGV[1] to ARGV[2] ms from now, if the holder still has it.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])

-- Lets the lease KEYS[1] of the holder ARGV[1] end in ARGV[2] ms, if it has not ended.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])

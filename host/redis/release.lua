-- Ends the lease KEYS[1], if the holder ARGV[1] has it.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
return redis.call('DEL', KEYS[1])

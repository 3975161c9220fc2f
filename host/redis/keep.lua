-- Stores the record ARGV[2] under KEYS[2] and the keys after it for ARGV[3] ms, if the holder ARGV[1] has the lease KEYS[1].
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
for i = 2, #KEYS do
	redis.call('SET', KEYS[i], ARGV[2], 'PX', ARGV[3])
end
return 1

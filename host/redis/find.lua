-- The first of KEYS that has a record: its index and the record, whose time to live (ARGV[1], ms) starts over when half of it is over.
for i, key in ipairs(KEYS) do
	local record = redis.call('GET', key)
	if record then
		if redis.call('PTTL', key) < ARGV[1] / 2 then
			redis.call('PEXPIRE', key, ARGV[1])
		end
		return { i - 1, record }
	end
end
return {}

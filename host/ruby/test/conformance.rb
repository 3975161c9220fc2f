# frozen_string_literal: true

# Runs vectors: conformance.rb FILE… Each request must return exactly the bytes of the answer in the file.
require "base64"
require_relative "../lib/ctxfold"

c = Ctxfold.new
run = wrong = 0
ARGV.flat_map { |file| JSON.parse(File.read(file)) }.each do |vector|
  next if vector["full"] # its answer differs in the usual, smaller module

  want = vector["answer"]
  begin
    same = c.call(vector["op"], vector["request"] || Base64.decode64(vector["request_base64"])).json == want
  rescue Ctxfold::Error => e
    error = JSON.parse(want)["error"] || {}
    same = [e.code, e.message, e.path, e.offset] == [error["code"], "#{error["code"]}: #{error["message"]}", error["path"].to_s, error["offset"].to_i]
  end
  run += 1
  next if same

  wrong += 1
  warn "#{vector["name"]}: the answer is another"
end
puts "#{run} vectors, #{wrong} wrong"
exit run.positive? && wrong.zero?

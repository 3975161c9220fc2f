# frozen_string_literal: true

# Tests of the host: test.rb FILE, a transcript.
require_relative "../lib/ctxfold"

def check(what, ok) = ok || abort("not so: #{what}")

def fails(code)
  yield
  abort "it does not fail with #{code}"
rescue Ctxfold::Error => e
  check("#{e.code} is #{code}", e.code == code)
  e
end

HISTORY = File.read(ARGV.fetch(0))
POLICY = { window: { tokens: 32_000 } }.freeze
DIGEST = "## Goal\nKeep the rate limiter small.\n\n## Done\nThe \"sweep\" was written and tested."

c = Ctxfold.new
records = Ctxfold::Records.new
asked = []
first = c.fit(HISTORY, policy: POLICY, records: records) { |ask| asked << ask && DIGEST }
check "the model is asked", asked.any? && asked.all? { |ask| ask["prompt"].size > 100 && ask["max_output_tokens"].positive? }
check "the history is compacted", first.messages.bytesize < HISTORY.bytesize && JSON.parse(first.report)["changed"]
again = c.fit(JSON.parse(HISTORY), policy: POLICY, records: Ctxfold::Records.new(records.to_json)) { abort "it is asked again" }
check "a compaction is found again", JSON.parse(again.json)["known"].zero? && !JSON.parse(again.report)["changed"]
check "messages are JSON", JSON.parse(again.messages).size == JSON.parse(first.messages).size

e = fails("truncated_json") { c.fit('[{"role":"user","content":"cut o') }
check "an error has its place", [e.within, e.offset] == ["messages", 32]
fails("unknown_op") { c.call("nope", {}) }

failed = c.compact(HISTORY, policy: POLICY) { raise IOError, "the model is down" }
check "an exception is in the report", JSON.parse(failed.report)["summary"].slice("source", "error") == { "source" => "local", "error" => "IOError: the model is down" }
begin
  c.compact(HISTORY, policy: POLICY) { raise Interrupt, "stop" }
  abort "an interrupt is lost"
rescue Interrupt => e
  check "an interrupt goes on behind the call", e.message == "stop"
end
prompts = []
redacted = c.compact(HISTORY, policy: POLICY, options: { redact: { texts: [{ text: "limiter", placeholder: "[HIDDEN]" }] } }) { |ask| prompts << ask["prompt"] && nil }
check "what is redacted reaches no model", prompts.any? && prompts.none?(/limiter/) && prompts.any?(/\[HIDDEN\]/)
check "what is redacted reaches no digest", redacted.messages.include?("[HIDDEN]") && JSON.parse(redacted.report)["redacted"]
local = c.compact(HISTORY, policy: POLICY)
check "a digest is made without a model", local.messages.bytesize < HISTORY.bytesize && JSON.parse(local.state)["round"] == 1

calls = 0
busy = c.fit(HISTORY, policy: POLICY) do
  calls += 1
  calls == 1 ? raise(Ctxfold::Busy.new(after: 0.01)) : DIGEST
end
check "a busy model is asked again", calls > 1 && JSON.parse(busy.report)["summary"]["source"] == "model"
provided = c.fit(HISTORY, policy: POLICY.merge(format: "anthropic", summary: { provider: true })) do |ask|
  ask["provider"] ? [{ role: "assistant", content: [{ type: "compaction", content: "All is well." }] }] : DIGEST
end
check "a provider's compaction is taken", JSON.parse(provided.report)["summary"]["source"] == "provider"
sent = nil
body = { model: "gpt-5", messages: JSON.parse(File.read(ARGV[0].sub("anthropic", "openai"))) }
appended = c.fit(body, policy: { window: { tokens: 64_000 }, summary: { request: "prefix" } }, options: { force: true, summary: { prefix: true } }) do |ask|
  sent ||= ask["sent"]
  DIGEST
end
check "a request is appended to the conversation", sent["messages"][0] == JSON.parse(JSON.generate(body[:messages][0])) && JSON.parse(appended.report)["changed"]

small = Ctxfold.new(memory_limit: 16 << 20)
fails("memory_limit") { small.call("plan", " " * (12 << 20)) }
check "the next call works", small.call("info", {}).json.start_with?("{")
check "memory is told", small.memory.limit == 16 << 20 && small.memory.current.between?(1, small.memory.peak) && small.memory.peak <= small.memory.limit

made = Array.new(3) { Thread.new { Ctxfold.new.compact(HISTORY, policy: POLICY).messages } }.map(&:value)
check "instances work in threads", made.uniq == [local.messages]
GC.start
puts "all tests passed"

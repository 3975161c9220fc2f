# frozen_string_literal: true

# Tests of the Ruby host: test.rb FILE, where FILE contains a transcript.
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
refusal = Class.new(StandardError) do
  attr_reader :status, :headers

  def initialize(status)
    super("refused")
    @status, @headers = status, { "retry-after-ms" => "1" }
  end
end
sources = [503, 402].map do |status|
  calls = 0
  answer = c.fit(HISTORY, policy: POLICY) { (calls += 1) == 1 ? raise(refusal.new(status)) : DIGEST }
  JSON.parse(answer.report)["summary"]["source"]
end
check "the status of an SDK's error decides", sources == %w[model local]
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

# A turn over the soft limit returns at once, the compaction runs in the background, and the next turn uses it.
size = JSON.parse(c.call("estimate", { messages: JSON.parse(HISTORY) }).json)["tokens"]
soon = { window: { tokens: size + 2000, reserve: 0 }, gate: { ratio: 1, start: 0.8, target: 0.3 }, passes: [{ pass: "fold" }] }
known = Ctxfold::Records.new
answers = Queue.new
turn = -> { c.fit(HISTORY, policy: soon, records: known, background: true) { answers.pop } }
at_once = turn.call
check "a turn does not wait for the background", at_once.background.alive? && !JSON.parse(at_once.report)["changed"]
check "one compaction is made behind it", turn.call.background.nil?
answers << DIGEST
check "the background has an answer", JSON.parse(at_once.background.value.report)["changed"]
next_turn = turn.call
check "the next turn uses it", JSON.parse(next_turn.json)["known"].zero? && next_turn.messages.bytesize < HISTORY.bytesize / 2 && !next_turn.background

# If another model is called than the last time, its prompt cache is cold, and the history is compacted below the limit.
half = { window: { tokens: 2 * size }, gate: { idle: 3600 } }
met = Ctxfold::Records.new
called = ->(model) { JSON.parse(c.fit(HISTORY, policy: half, records: met, settings: { model: model }) { DIGEST }.report) }
check "a warm cache is left alone", %w[a a].none? { |model| called[model]["changed"] }
check "a cold cache is a reason to compact", called["b"].slice("changed", "cold") == { "changed" => true, "cold" => "model_changed" }

# A store that two processes share; here they are two instances.
class Store
  attr_reader :bodies, :notices

  def initialize
    @records, @leases, @bodies, @notices = {}, {}, {}, []
  end

  def load(effect)
    at = effect["keys"].index { |key| @records.key?(key) }
    at && { at: at, record: @records[effect["keys"][at]], revision: "1" }
  end

  def save(effect)
    return { done: false } if effect["holder"] && @leases[effect["lease"]] != effect["holder"]
    effect["keys"].each { |key| @records[key] = effect["record"] }
    { done: true }
  end

  def lease(effect)
    return { done: false } if effect["keys"].any? { |key| @leases.fetch(key, effect["holder"]) != effect["holder"] }
    @leases[effect["keys"][0]] = effect["holder"]
    { done: true }
  end

  def release(effect) = @leases.delete(effect["keys"][0])
  def put(effect) = @bodies[effect["handle"]] = effect["body"]
  def emit(effect) = @notices << effect["notice"]["name"]
  def released? = @leases.empty?
end

# Stores and records of a wrong shape are refused when they are given, even if nothing is due.
[{}, [], "u1", Store, Object.new].each do |wrong|
  c.fit(HISTORY, policy: { window: { tokens: 1_000_000 } }, effects: wrong)
  abort "#{wrong.inspect} is no store"
rescue ArgumentError => e
  check "the error says what is needed: #{e.message}", e.message.include?("load, save, lease, release, put, count, emit")
end
half = Object.new
def half.load(_effect) = nil
check "half a store is refused", fails("invalid_option") { c.fit(HISTORY, effects: half) }.message.include?("load and save")
[{}, Ctxfold::Records].each do |wrong|
  c.fit(HISTORY, records: wrong)
  abort "#{wrong.inspect} are no records"
rescue ArgumentError => e
  check "the error says what is needed: #{e.message}", e.message.include?("Ctxfold::Records")
end

store = Store.new
one = c.fit(HISTORY, policy: POLICY, settings: { owner: "u1" }, effects: store) { DIGEST }
check "what is removed is in the store", store.bodies.any? && store.released? && JSON.parse(one.report)["changed"]
two = Ctxfold.new.fit(HISTORY, policy: POLICY, settings: { owner: "u1" }, effects: store) { abort "it is asked again" }
check "another process finds the compaction", JSON.parse(two.json)["known"].zero? && JSON.parse(two.messages).size == JSON.parse(one.messages).size
c.fit(HISTORY, policy: POLICY, settings: { owner: "u2" }, effects: store) { raise IOError, "the model is down" }
check "notices reach the log", store.notices == ["summary_failed"]
def store.put(_effect) = raise(IOError, "the disk is full")
fails("store_failed") { c.fit(HISTORY, policy: POLICY, settings: { owner: "u3" }, effects: store) { DIGEST } }
check "a job that fails releases its lease", store.released?

small = Ctxfold.new(memory_limit: 16 << 20)
fails("memory_limit") { small.call("plan", " " * (12 << 20)) }
check "the next call works", small.call("info", {}).json.start_with?("{")
check "memory is told", small.memory.limit == 16 << 20 && small.memory.current.between?(1, small.memory.peak) && small.memory.peak <= small.memory.limit

made = Array.new(3) { Thread.new { Ctxfold.new.compact(HISTORY, policy: POLICY).messages } }.map(&:value)
check "instances work in threads", made.uniq == [local.messages]
GC.start
puts "all tests passed"

# frozen_string_literal: true

require "fiddle"
require "json"

# Keeps an LLM conversation inside the context window. It calls the C library of ctxfold (host/c) through Fiddle.
#
#   c = Ctxfold.new
#   records = Ctxfold::Records.new
#   r = c.fit(history, policy: { window: { tokens: 32_000 } }, records: records) { |ask| my_model(ask["system"], ask["prompt"]) }
#   send(r.messages)
#
# An instance serves one thread at a time; make several for several threads. Ruby's lock is not held while the module works.
class Ctxfold
  # The error of a failed call. code is one of docs/reference/errors.md, "trap", "memory_limit" or "no_memory"; path and offset (in bytes)
  # locate the error in the text that within names. After "trap" and "memory_limit" the instance has been replaced.
  class Error < StandardError
    attr_reader :code, :path, :within, :offset

    def initialize(code, message, path, within, offset)
      super("#{code}: #{message}")
      @code, @path, @within, @offset = code, path, within, offset
    end
  end

  # Raise this in a block if the provider is overloaded: the block is called again after this many seconds, or after a
  # default delay.
  class Busy < StandardError
    attr_reader :after

    def initialize(message = "the model is busy", after: 0)
      super(message)
      @after = after
    end
  end

  # json is the whole answer; messages, edits, report and state are members of it, unchanged, or nil. background is the Thread of a
  # background compaction that fit has started; its value is that compaction's Answer.
  Answer = Struct.new(:json, :messages, :edits, :report, :state, :background)

  # Memory sizes in bytes. peak is the largest size so far.
  Memory = Struct.new(:limit, :current, :peak)

  # The functions of ctxfold.h that are used here.
  module Library
    # The library that the gem compiled, which is in the load path; nil if there is none. Then PATH is the system's library.
    COMPILED = $LOAD_PATH.map { |folder| File.join(folder, "ctxfold-library.#{RbConfig::CONFIG["DLEXT"]}") }.find { |path| File.file?(path) }
    PATH = ENV.fetch("CTXFOLD_LIBRARY") { COMPILED || "libctxfold.so.0" }
    HANDLE = Fiddle.dlopen(PATH)
    P, Z, I, V = Fiddle::TYPE_VOIDP, Fiddle::TYPE_SIZE_T, Fiddle::TYPE_INT, Fiddle::TYPE_VOID
    MALLOC = Fiddle::Function.new(Fiddle.dlopen(nil)["malloc"], [Z], P)

    FUNCTIONS = {
      new: [[P], P], delete: [[P], V], memory_into: [[P, P], V], answer_free: [[P], V], free: [[P], V],
      call: [[P, P, P, Z, P], I], compact: [[P, P, P, P, P], I], fit_with: [[P, P, P, P, P], I],
      work_run: [[P, P, P, P], I], work_delete: [[P], V],
      records_new: [[], P], records_delete: [[P], V], records_save: [[P, P], P], records_load: [[P, P, Z], Fiddle::TYPE_CHAR]
    }.to_h { |name, (parameters, result)| [name, Fiddle::Function.new(HANDLE["ctxfold_#{name}"], parameters, result)] }

    def self.[](name) = FUNCTIONS.fetch(name)

    def self.json(value) = value.nil? || value.is_a?(String) ? value : JSON.generate(value)
  end

  # The compactions that fit remembers for one conversation or one owner. Several threads may share them.
  class Records
    attr_reader :pointer

    def initialize(json = nil)
      @pointer = Library[:records_new].call
      raise NoMemoryError if @pointer.null?
      @pointer.free = Fiddle::Function.new(Library::HANDLE["ctxfold_records_delete"], [Library::P], Library::V)
      raise ArgumentError, "these are no records" if json && Library[:records_load].call(@pointer, json, json.bytesize).zero?
    end

    # Returns the records as JSON, to store and pass to Records.new.
    def to_json(*)
      length = "\0" * Fiddle::SIZEOF_SIZE_T
      text = Library[:records_save].call(@pointer, length)
      raise NoMemoryError if text.null?
      json = text[0, length.unpack1("J")].force_encoding("UTF-8")
      Library[:free].call(text)
      json
    end
  end

  # memory_limit: the maximum memory of the instance, in bytes; 0 means 4 GiB.
  def initialize(memory_limit: 0)
    @pointer = Library[:new].call([memory_limit].pack("Q"))
    raise NoMemoryError, "there is no memory for an instance" if @pointer.null?
    @pointer.free = Fiddle::Function.new(Library::HANDLE["ctxfold_delete"], [Library::P], Library::V)
  end

  def memory
    words = "\0" * 24
    Library[:memory_into].call(@pointer, words)
    Memory.new(*words.unpack("Q3"))
  end

  # Runs an operation of docs/reference/abi.md. request is JSON, or an object to convert to JSON.
  def call(operation, request)
    text = Library.json(request)
    answer { |a| Library[:call].call(@pointer, operation, text, text.bytesize, a) }
  end

  # Fits a whole history into the context window and returns an Answer with the messages to send. The history is an array of messages, or
  # JSON, which is used unchanged. The block receives the request for the model ("system", "prompt", "max_output_tokens", …) and returns
  # the summary, or nil; without a block the module writes digests. For a request with "provider" it may return the array of messages of
  # the provider's own compaction. With the option summary.prefix a request may have "sent": the messages to send, which end with the
  # request itself. A block that raises Busy is called again; so is one that raises an SDK's error, whose methods status and headers say
  # that the provider is busy.
  #
  # background: true makes compactions in a thread before they are due, if the policy has gate.start. settings are members of JobSettings
  # (docs/inside/loop.md), such as an owner. effects is an object that executes effects, for example to share records between processes or
  # to store removed content. It may have any of the methods load, save, lease, release, put, count and emit, which receive the effect of
  # that name and return the members of its result, as hashes.
  def fit(messages, policy: nil, options: nil, records: nil, settings: nil, effects: nil, background: false, &summarize)
    raise ArgumentError, "records must be a Ctxfold::Records, not #{records.inspect[0, 60]}" unless records.nil? || records.is_a?(Records)
    words, held = request(policy, options, nil, messages)
    records ||= Records.new if background
    thread = nil
    begins = background && ->(work) { thread = behind(work, records, effects, summarize) }
    calls = Calls.new(summarize, settings, effects, begins)
    done = carried(calls, held) { |a| Library[:fit_with].call(@pointer, records&.pointer, words, calls.host, a) }
    done.background = thread
    done
  end

  # Compacts messages if compaction is due; otherwise the answer has them unchanged. Store the answer's state for the next
  # call.
  def compact(messages, policy: nil, options: nil, state: nil, &summarize)
    words, held = request(policy, options, state, messages)
    calls = Calls.new(summarize)
    carried(calls, held) { |a| Library[:compact].call(@pointer, words, calls.summarizer, nil, a) }
  end

  # A ctxfold_host, through which C calls the program's functions. Exceptions must not pass through C. A StandardError is reported to the
  # job as the reason for a missing result; any other exception, such as an Interrupt, is raised after the call has ended.
  class Calls
    EFFECTS = %i[load save lease release put count emit].freeze
    COUNTING = [Enumerable, Array, Hash, String].freeze # their method count has nothing to do with tokens
    P = Fiddle::TYPE_VOIDP
    ERROR = 10 * Fiddle::SIZEOF_VOIDP # the offset of error in ctxfold_ask
    GIVES_MESSAGES = 13 * Fiddle::SIZEOF_VOIDP # the offset of gives_messages; busy and after follow it
    STATUS = GIVES_MESSAGES + 16 # the offset of status; retry_after, retry_after_ms and should_retry follow it
    private_constant :COUNTING, :P, :ERROR, :GIVES_MESSAGES, :STATUS

    attr_reader :summarizer, :raised

    def initialize(summarize, settings = nil, effects = nil, begins = nil)
      can = effects_of(effects)
      @settings, @can = [Library.json(settings), can.any? ? Library.json(can) : nil]
      @summarizer = summarize && closure(P) { |ask| asked(ask, summarize) }
      @execute = can.any? && closure(P, Fiddle::TYPE_SIZE_T) { |effect, length| executed(effects, JSON.parse(effect[0, length])) }
      @begin = begins && Fiddle::Closure::BlockCaller.new(Fiddle::TYPE_VOID, [P, P]) do |_user, work|
        guarded { begins.call(work) } || Library[:work_delete].call(work)
      end
    end

    # Returns a ctxfold_host structure, packed as bytes, which is valid as long as this object exists.
    def host
      @held = [@settings, @can].map { |text| text && Fiddle::Pointer[text] }
      texts = [@settings, @can].zip(@held).flat_map { |text, pointer| text ? [pointer.to_i, text.bytesize] : [0, 0] }
      functions = [@summarizer, @execute, @begin].map { |function| function ? function.to_i : 0 }
      [functions[0], 0, *texts, *functions[1..]].pack("J*")
    end

    private

    # Returns the names of the effects that an object executes.
    def effects_of(object)
      can = EFFECTS.select { |name| object.respond_to?(name) && !COUNTING.include?(object.method(name).owner) }
      return can if object.nil? || can.any?
      raise ArgumentError, "effects must be an object with any of the methods #{EFFECTS.join(", ")}, not #{object.inspect[0, 60]}"
    end

    # Makes a C function that returns the address of a copied text, or 0. Its first argument after
    # user is an address.
    def closure(*arguments)
      Fiddle::Closure::BlockCaller.new(P, [P, *arguments]) do |_user, pointer, *others|
        guarded { yield Fiddle::Pointer.new(pointer), *others } || 0
      end
    end

    def guarded
      yield unless @raised
    rescue Exception => e # rubocop:disable Lint/RescueException
      @raised = e
      nil
    end

    def asked(ask, summarize)
      given = summarize.call(requested(ask))
      ask[GIVES_MESSAGES, 1] = "\1" if given.is_a?(Array)
      text = Library.json(given)
      text && copied(text)
    rescue StandardError => e
      @why = "#{why(e)}\0"
      ask[ERROR, Fiddle::SIZEOF_VOIDP] = [Fiddle::Pointer[@why].to_i].pack("J")
      if e.is_a?(Busy)
        ask[GIVES_MESSAGES + 1, 1] = "\1"
        ask[GIVES_MESSAGES + 8, 8] = [(e.after * 1000).to_i].pack("Q")
      else
        refused(ask, e)
      end
      nil
    end

    # Passes on what an SDK's error says about the provider's response: its methods status and headers.
    def refused(ask, error)
      status = error.respond_to?(:status) && error.status
      return unless status.is_a?(Integer) && status.between?(100, 599)
      ask[STATUS, 4] = [status].pack("l")
      headers = error.respond_to?(:headers) && error.headers.respond_to?(:[]) ? error.headers : {}
      @headers = %w[retry-after retry-after-ms x-should-retry].map { |name| headers[name]&.to_s&.delete("\0")&.+("\0") }
      words = @headers.map { |value| value ? Fiddle::Pointer[value].to_i : 0 }
      ask[STATUS + 8, 3 * Fiddle::SIZEOF_VOIDP] = words.pack("J3")
    end

    # Reads the request for the model from a ctxfold_ask: its texts "json" and "sent".
    def requested(ask)
      request, sent = [7, 11].map do |word|
        data, length = ask[word * Fiddle::SIZEOF_VOIDP, 2 * Fiddle::SIZEOF_VOIDP].unpack("J2")
        data.zero? ? nil : JSON.parse(Fiddle::Pointer.new(data)[0, length])
      end
      sent ? request.merge("sent" => sent) : request
    end

    def executed(effects, effect)
      result = effects.public_send(effect["effect"], effect)
      copied(JSON.generate(result.is_a?(Hash) ? result : {}))
    rescue StandardError => e
      copied(JSON.generate(error: why(e)))
    end

    def why(error) = "#{error.class}: #{error.message}".encode("UTF-8", invalid: :replace, undef: :replace).delete("\0")

    # Copies a text for C, which frees it. A text without an encoding, such as the body of an HTTP response, is assumed to be UTF-8.
    def copied(text)
      text = text.encoding == Encoding::BINARY ? text.dup.force_encoding("UTF-8") : text.encode("UTF-8")
      bytes = "#{text.scrub.delete("\0")}\0"
      copy = Library::MALLOC.call(bytes.bytesize)
      raise NoMemoryError if copy.null?
      copy[0, bytes.bytesize] = bytes
      copy.to_i
    end
  end
  private_constant :Calls

  private

  TEXTS = 20 # the number of texts in ctxfold_request, which precede its three numbers
  MESSAGES = 10 # the index of messages among these texts
  private_constant :TEXTS, :MESSAGES

  # Returns a ctxfold_request and the objects that keep its texts alive.
  def request(policy, options, state, messages)
    texts = Array.new(TEXTS)
    texts[0], texts[1], texts[2], texts[MESSAGES] = [policy, options, state, messages].map { |value| Library.json(value) }
    held = texts.map { |t| t && Fiddle::Pointer[t] } # fixes each text's address
    words = texts.zip(held).flat_map { |t, p| t ? [p.to_i, t.bytesize] : [0, 0] }
    [words.pack("J*") + [0, 0, 0].pack("Q3"), held]
  end

  # Runs a job, which may call the program's functions. The argument _held keeps the texts of its request alive meanwhile.
  def carried(calls, _held, &)
    result = answer(&)
    raise calls.raised if calls.raised
    result
  end

  # Starts the thread of a background compaction, with its own instance. The thread keeps the records alive.
  def behind(work, records, effects, summarize)
    limit = memory.limit
    thread = Thread.new do
      calls = Calls.new(summarize, nil, effects)
      Ctxfold.new(memory_limit: limit).send(:carried, calls, records) { |a, c| Library[:work_run].call(c, work, calls.host, a) }
    ensure
      Library[:work_delete].call(work)
    end
    thread.report_on_exception = false
    thread
  end

  # Reads a ctxfold_answer: its status, the answer and its length, four members, four texts and an offset.
  def answer
    words = "\0" * (17 * Fiddle::SIZEOF_VOIDP)
    status = yield words, @pointer
    _, json, length, *parts, code, message, path, within, offset, _kept = words.unpack("J17")
    text = ->(at) { Fiddle::Pointer.new(at).to_s.force_encoding("UTF-8") }
    raise Error.new(text[code], text[message], text[path], text[within], offset) unless status.zero?
    whole = Fiddle::Pointer.new(json)[0, length].force_encoding("UTF-8")
    Answer.new(whole, *parts.each_slice(2).map { |at, size| at.zero? ? nil : whole.byteslice(at - json, size) })
  ensure
    Library[:answer_free].call(words)
  end
end

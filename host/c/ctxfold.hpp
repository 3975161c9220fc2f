// ctxfold for C++17: ctxfold.h with values that free themselves, std::string_view, and exceptions.
//
//   ctxfold::instance c;
//   ctxfold::records records;
//   ctxfold::answer r = c.fit(records, {.policy = "{\"window\":{\"tokens\":32000}}", .messages = history}, summarize);
//   send(r.messages());
#ifndef CTXFOLD_HPP
#define CTXFOLD_HPP

#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "ctxfold.h"

namespace ctxfold {

// The error of a failed call: its status, and the members code, path, in and offset of ctxfold_answer.
class error : public std::runtime_error {
 public:
  explicit error(const ctxfold_answer &a)
      : std::runtime_error(std::string(a.code) + ": " + a.message), status(a.status), code(a.code), path(a.path), in(a.in), offset(a.offset) {}
  ctxfold_status status;
  std::string code, path, in;
  std::size_t offset;
};

inline ctxfold_text text(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view view(ctxfold_text t) { return t.data ? std::string_view(t.data, t.length) : std::string_view(); }

// An answer. Its string views are valid as long as the answer exists.
class answer {
 public:
  answer() = default;
  answer(answer &&other) noexcept : a_(std::exchange(other.a_, {})) {}
  answer &operator=(answer &&other) noexcept {
    std::swap(a_, other.a_);
    return *this;
  }
  ~answer() { ctxfold_answer_free(&a_); }

  std::string_view json() const { return {a_.json, a_.length}; }
  std::string_view messages() const { return view(a_.messages); }
  std::string_view edits() const { return view(a_.edits); }
  std::string_view report() const { return view(a_.report); }
  std::string_view state() const { return view(a_.state); }
  std::string_view member(const char *key) const { return view(ctxfold_member(text(json()), key)); }

 private:
  friend class instance;
  ctxfold_answer a_{};
};

// The members of a request that the loops use; for other members of ctxfold_request use instance::call.
struct request {
  std::string_view policy, options, state, plan, summaries, messages;
};

// Calls a model and returns the summary, or nothing. If it throws there is no summary, and the report says why
// (summary.error).
using summarizer = std::function<std::optional<std::string>(const ctxfold_ask &)>;

// The compactions that are remembered for a conversation or an owner. Several threads may share them.
class records {
 public:
  records() : r_(ctxfold_records_new(), ctxfold_records_delete) {
    if (!r_) throw std::bad_alloc();
  }
  std::string save() const {
    std::size_t length;
    std::unique_ptr<char, void (*)(void *)> json(ctxfold_records_save(r_.get(), &length), ctxfold_free);
    if (!json) throw std::bad_alloc();
    return std::string(json.get(), length);
  }
  bool load(std::string_view json) { return ctxfold_records_load(r_.get(), json.data(), json.size()); }

 private:
  friend class instance;
  std::unique_ptr<ctxfold_records, void (*)(ctxfold_records *)> r_;
};

// A compaction to make in the background, with instance::run. It may be discarded without being run.
class work {
 public:
  explicit work(ctxfold_work *w) : w_(w, ctxfold_work_delete) {}

 private:
  friend class instance;
  std::unique_ptr<ctxfold_work, void (*)(ctxfold_work *)> w_;
};

// The functions and settings that a program provides to a fit; see ctxfold_host. execute returns the members of an effect's result as a
// JSON object; if it throws, the effect has failed. begin starts a thread that calls instance::run.
struct host {
  summarizer summarize;
  std::string settings, can;
  std::function<std::string(std::string_view)> execute;
  std::function<void(work)> begin;
};

// An instance of the module, for one thread at a time.
class instance {
 public:
  explicit instance(ctxfold_options options = {}) : c_(ctxfold_new(&options), ctxfold_delete) {
    if (!c_) throw std::bad_alloc();
  }

  // Runs an operation of docs/reference/abi.md on a JSON request.
  answer call(const char *operation, std::string_view json) {
    answer out;
    check(ctxfold_call(c_.get(), operation, json.data(), json.size(), &out.a_), out);
    return out;
  }

#define CTXFOLD_METHOD(op)                                                    \
  answer op(const request &r) {                                               \
    answer out;                                                               \
    ctxfold_request plain = of(r);                                            \
    check(ctxfold_##op(c_.get(), &plain, &out.a_), out);                      \
    return out;                                                               \
  }
  CTXFOLD_METHOD(detect)
  CTXFOLD_METHOD(estimate)
  CTXFOLD_METHOD(check)
  CTXFOLD_METHOD(plan)
  CTXFOLD_METHOD(step)
  CTXFOLD_METHOD(validate)
  CTXFOLD_METHOD(repair)
#undef CTXFOLD_METHOD

  answer compact(const request &r, const summarizer &summarize = {}) {
    answer out;
    ctxfold_request plain = of(r);
    asking ask{summarize, {}};
    check(ctxfold_compact(c_.get(), &plain, summarize ? asking::run : nullptr, &ask, &out.a_), out);
    return out;
  }

  answer fit(records &known, const request &r, const summarizer &summarize = {}) {
    answer out;
    ctxfold_request plain = of(r);
    asking ask{summarize, {}};
    check(ctxfold_fit(c_.get(), known.r_.get(), &plain, summarize ? asking::run : nullptr, &ask, &out.a_), out);
    return out;
  }

  answer fit_with(records &known, const request &r, const host &h) {
    answer out;
    ctxfold_request plain = of(r);
    hosting program{h, {h.summarize, {}}};
    const ctxfold_host all = program.all();
    check(ctxfold_fit_with(c_.get(), known.r_.get(), &plain, &all, &out.a_), out);
    return out;
  }

  // Makes a compaction in the background. h must execute the same effects as the host of the call that began it.
  answer run(const work &w, const host &h) {
    answer out;
    hosting program{h, {h.summarize, {}}};
    const ctxfold_host all = program.all();
    check(ctxfold_work_run(c_.get(), w.w_.get(), &all, &out.a_), out);
    return out;
  }

  ctxfold_memory memory() const { return ctxfold_memory_of(c_.get()); }

 private:
  static char *copied(const std::string &s) noexcept {
    auto *copy = static_cast<char *>(std::malloc(s.size() + 1));
    if (copy) std::memcpy(copy, s.c_str(), s.size() + 1);
    return copy;
  }

  // Exceptions must not pass through C code.
  struct asking {
    const summarizer &summarize;
    std::string why;
    static char *run(void *user, ctxfold_ask *ask) noexcept {
      auto *self = static_cast<asking *>(user);
      try {
        std::optional<std::string> summary = self->summarize(*ask);
        if (!summary) return nullptr;
        return copied(*summary);
      } catch (const std::exception &thrown) {
        return self->failed(ask, thrown.what());
      } catch (...) {
        return self->failed(ask, "the summarizer threw something that is no std::exception");
      }
    }
    char *failed(ctxfold_ask *ask, const char *text) noexcept {
      try {
        why = text;
        ask->error = why.c_str();
      } catch (const std::bad_alloc &) {
      }
      return nullptr;
    }
  };

  struct hosting {
    const host &program;
    asking ask;

    ctxfold_host all() {
      return {program.summarize ? summarize : nullptr, this, text(program.settings), text(program.can), program.execute ? execute : nullptr,
              program.begin ? begin : nullptr};
    }
    static char *summarize(void *user, ctxfold_ask *a) noexcept { return asking::run(&static_cast<hosting *>(user)->ask, a); }
    static void begin(void *user, ctxfold_work *w) noexcept {
      try {
        static_cast<hosting *>(user)->program.begin(work(w));
      } catch (...) {  // without a thread there is no compaction in the background
      }
    }
    static char *execute(void *user, const char *effect, std::size_t length) noexcept {
      try {
        return copied(static_cast<hosting *>(user)->program.execute({effect, length}));
      } catch (const std::exception &thrown) {
        return failed(thrown.what());
      } catch (...) {
        return failed("it threw something that is no std::exception");
      }
    }
    // Returns the result of a failed effect, or NULL if there is no memory.
    static char *failed(const char *why) noexcept {
      try {
        std::string json = "{\"error\":\"";
        for (; *why; why++) {
          if (*why == '"' || *why == '\\') json += '\\';
          json += static_cast<unsigned char>(*why) < 0x20 ? ' ' : *why;
        }
        return copied(json + "\"}");
      } catch (const std::bad_alloc &) {
        return nullptr;
      }
    }
  };

  static ctxfold_request of(const request &r) {
    ctxfold_request plain{};
    plain.policy = text(r.policy), plain.options = text(r.options), plain.state = text(r.state), plain.plan = text(r.plan);
    plain.summaries = text(r.summaries), plain.messages = text(r.messages);
    return plain;
  }
  static void check(ctxfold_status status, const answer &out) {
    if (status != CTXFOLD_OK) throw error(out.a_);
  }

  std::unique_ptr<ctxfold_instance, void (*)(ctxfold_instance *)> c_;
};

}  // namespace ctxfold
#endif

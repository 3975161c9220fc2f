// Tests of ctxfold.hpp: test FILE, a transcript.
#include "ctxfold.hpp"

#include <cstdio>
#include <fstream>
#include <future>
#include <iterator>

static void check(bool ok, const char *what) {
  if (ok) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}

int main(int, char **argv) {
  std::ifstream file(argv[1]);
  const std::string history{std::istreambuf_iterator<char>(file), {}};
  ctxfold::instance c;
  ctxfold::records records;
  ctxfold::request request;
  request.policy = R"({"window":{"tokens":32000}})";
  request.messages = history;
  int asked = 0;
  auto summarize = [&](const ctxfold_ask &) -> std::optional<std::string> {
    asked++;
    return "## Goal\nKeep the rate limiter small.\n\n## Done\nThe sweep was written and tested.";
  };
  ctxfold::answer first = c.fit(records, request, summarize);
  check(asked > 0 && first.messages().size() < history.size() && !first.report().empty(), "the history is compacted");
  const int before = asked;
  ctxfold::records other;
  check(other.load(records.save()), "records are read again");
  ctxfold::answer again = c.fit(other, request, summarize);
  check(asked == before && again.member("known") == "0" && again.messages().size() < history.size(), "a compaction is found again");
  ctxfold::answer moved = std::move(again);
  check(again.messages().empty() && !moved.messages().empty(), "an answer can be moved");

  const int size = std::stoi(std::string(c.estimate(request).member("tokens")));
  const std::string soon = R"({"window":{"tokens":)" + std::to_string(size + 2000) +
                           R"(,"reserve":0},"gate":{"ratio":1,"start":0.8,"target":0.3},"passes":[{"pass":"fold"}]})";
  std::future<bool> background;
  ctxfold::host host;
  host.summarize = summarize;
  host.begin = [&](ctxfold::work begun) {
    background = std::async(std::launch::async, [&host, w = std::move(begun)] {
      return ctxfold::instance().run(w, host).report().find("\"changed\":true") != std::string::npos;
    });
  };
  ctxfold::request soft = request;
  soft.policy = soon;
  ctxfold::records known;
  check(c.fit_with(known, soft, host).report().find("\"changed\":false") != std::string::npos && background.valid() && background.get(), "a compaction is made in the background");
  check(c.fit_with(known, soft, host).member("known") == "0", "the next turn uses it");

  int put = 0;
  ctxfold::host storing;
  storing.can = R"(["put"])";
  storing.execute = [&](std::string_view effect) -> std::string {
    check(effect.find("\"body\"") != std::string_view::npos, "an effect is JSON");
    if (put++ > 0) throw std::runtime_error("the disk is \"full\"");
    return "{}";
  };
  try {
    ctxfold::records none;
    c.fit_with(none, request, storing);
    check(false, "a store that fails is an error");
  } catch (const ctxfold::error &e) {
    check(e.code == "store_failed" && std::string(e.what()).find("the disk is \"full\"") != std::string::npos && put > 1, e.what());
  }

  request.messages = R"([{"role":"user","content":"cut o)";
  try {
    c.compact(request);
    check(false, "a transcript that is cut off is an error");
  } catch (const ctxfold::error &e) {
    check(e.code == "truncated_json" && e.in == "messages" && e.offset == request.messages.size(), e.what());
  }
  request.messages = history;
  const auto why = [&](const ctxfold::summarizer &broken) { return std::string(c.compact(request, broken).report()); };
  check(why([](const ctxfold_ask &) -> std::optional<std::string> { throw std::runtime_error("the model is down"); }).find("the model is down") != std::string::npos,
        "what a summarizer throws is in the report");
  check(why([](const ctxfold_ask &) -> std::optional<std::string> { throw 1; }).find("no std::exception") != std::string::npos, "whatever it throws");
  check(c.memory().peak >= c.memory().current && c.memory().limit == 4ull << 30, "memory is told");
  std::puts("all tests passed");
}

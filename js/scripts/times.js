// A reporter for node --test, which writes the durations of tests and the reasons why tests were skipped, as
// internal/testlog does for Go.
import { basename } from "node:path";

/** Yields a line of text for each event to report. @param {AsyncIterable<{type: string, data: any}>} events */
export default async function* times(events) {
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.nesting > 0) continue;
    const at = `js ${data.file ? `${basename(data.file, ".test.js")}: ` : ""}${data.name}`.replace(/\s+/g, " ");
    if (data.skip !== undefined)
      yield `skip js ${at.slice(3).replaceAll(" ", "_").replaceAll(":", "")}: ${data.skip}\n`;
    else yield `time ${(data.details.duration_ms / 1000).toFixed(2)} ${at}\n`;
  }
}

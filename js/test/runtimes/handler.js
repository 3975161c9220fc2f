// Runs on platforms that serve requests: workerd and the Edge Runtime. The vectors are in the
// request.
import { createCompactor, load } from "ctxfold";
import { conform } from "../support/conformance.js";
import { session, tight } from "../support/session.js";

// This is created at module scope, where these platforms provide no clock and no random bytes and allow no waiting.
const compactor = createCompactor({ policy: tight });

/** Runs a compaction and the vectors, and returns the results. @param {any[]} vectors */
export async function answer(vectors) {
  const messages = session(20);
  const { report, messages: after } = await compactor.compact(messages);
  return {
    ...conform(await load(), vectors),
    reason: report.reason,
    same: after[0] === messages[0],
    version: compactor.info().version,
  };
}

export default {
  /** @param {Request} request */
  async fetch(request) {
    return Response.json(await answer(/** @type {any} */ (await request.json())));
  },
};

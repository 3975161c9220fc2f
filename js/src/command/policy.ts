/** The options that determine the policy. */
import type { Policy } from "../types.js";
import type { Counted } from "../usage.js";
import { UsageError } from "./errors.js";
import type { Flags, Given } from "./flags.js";
import { readJson } from "./input.js";

/** The options that determine the policy. */
export const POLICY_FLAGS: Flags = {
  policy: { value: "TEXT", text: "the policy: JSON text, @FILE or FILE (docs/reference/policy.md)" },
  preset: { value: "NAME", text: "the preset to start from (docs/guides/presets.md)" },
  format: { value: "NAME", text: "the wire format, if it should not be detected (docs/guides/formats.md)" },
  window: {
    value: "TOKENS",
    text: 'the context window of the model, such as 200000, 32k or 1m; "unlimited" for none',
  },
  model: {
    value: "NAME",
    text: "the model that the transcript is for; it gives the window and the tokenizer, if known",
  },
};

/** The largest window of a policy, in tokens. */
const MAX_WINDOW = 1_000_000_000;

/** Returns the policy that --policy gives, changed as the other options require. */
export async function policyOf(given: Given, command: string): Promise<Policy> {
  const policy = await basePolicy(given.text("policy"));
  for (const name of ["preset", "format", "model"]) if (given.has(name)) policy[name] = given.text(name);
  if (given.has("window")) policy.window = { ...(policy.window as object), ...windowOf(given.text("window"), command) };
  return policy as Policy;
}

async function basePolicy(text: string): Promise<Record<string, unknown>> {
  if (text.trim() === "") return {};
  const inline = text.trim().startsWith("{");
  const source = inline ? undefined : await readJson(text.trim().replace(/^@/, ""));
  const name = source?.name ?? "--policy";
  let policy: unknown;
  try {
    policy = JSON.parse(source ? new TextDecoder().decode(source.text) : text);
  } catch (error) {
    throw new Error(`${name}: the policy is not JSON: ${(error as Error).message}`);
  }
  if (typeof policy !== "object" || policy === null || Array.isArray(policy)) {
    throw new Error(`${name}: the policy is not a JSON object`);
  }
  return policy as Record<string, unknown>;
}

/**
 * Parses a window, which is a number of tokens, optionally followed by k (thousands) or m (millions), or "unlimited".
 * Throws a `UsageError` for anything else.
 */
function windowOf(text: string, command: string): object {
  if (text === "unlimited") return { unlimited: true };
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?|\.\d+)([km]?)$/.exec(text.toLowerCase().replace(/[_,]/g, "")) ?? [];
  const tokens = Number(number) * (unit === "k" ? 1000 : unit === "m" ? 1_000_000 : 1);
  if (!Number.isInteger(tokens) || tokens < 1 || tokens > MAX_WINDOW) {
    const allowed = "--window must be more than 0 tokens, such as 200000, 32k or 1m, or unlimited";
    throw new UsageError(`${allowed}: it is "${text}"`, command);
  }
  return { tokens };
}

/**
 * Returns the provider's token count from --usage, or undefined if the option is missing. In that case the count in the
 * session file is used, if there is one. Throws a `UsageError` for an invalid count.
 */
export function usageOf(given: Given, command: string): Counted | undefined {
  const text = given.text("usage");
  if (text === "") return undefined;
  if (/^[+-]?\d+$/.test(text)) {
    if (Number(text) > 0) return { message: -1, total_tokens: Number(text) };
    throw new UsageError("--usage must be more than 0 tokens", command);
  }
  try {
    const usage: unknown = JSON.parse(text);
    if (typeof usage === "object" && usage !== null && !Array.isArray(usage)) return { message: -1, ...usage };
  } catch {
    // reported below
  }
  const wanted = '--usage must be a number of tokens, or JSON like {"message":41,"total_tokens":48987}';
  throw new UsageError(`${wanted}: it is "${text}"`, command);
}

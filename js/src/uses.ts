/** Describes the next model call. */
export interface NextCall {
  /**
   * Identifies the model by any name. If the last call of the conversation went to another model, the prompt cache is
   * cold.
   */
  model?: string | undefined;
  /** Identifies the provider by any name, like `model`. */
  provider?: string | undefined;
}

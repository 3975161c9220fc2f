/** The call of a model that comes next. */
export interface Next {
  /**
   * Identifies the model; any names will do. If the last call of the conversation went to another model, its prompt
   * cache is cold.
   */
  model?: string | undefined;
  provider?: string | undefined;
}

/** The call of a model that comes next. */
export interface Next {
  /** Who is asked, by any names. Where the last call of the conversation was to another one, its prompt cache is cold. */
  model?: string | undefined;
  provider?: string | undefined;
}

/** Prints results. */

/** Writes to standard output. Resolves when everything has been written. Rejects if that fails. */
export function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

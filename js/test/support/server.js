import { createServer } from "node:http";
import sirv from "sirv";

/**
 * Starts a web server on 127.0.0.1 for one test, which stops when the test ends.
 * @param {import("node:test").TestContext} t
 * @param {import("node:http").RequestListener} listener
 * @returns {Promise<string>} its address, without a slash at the end
 */
export async function serve(t, listener) {
  const server = createServer({ keepAliveTimeout: 0 }, listener);
  await new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(undefined)));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}`;
}

/**
 * Serves a folder's files with their content types, except for requests that `first` has answered.
 * @param {URL} folder
 * @param {(path: string, response: import("node:http").ServerResponse) => boolean} first
 * @returns {import("node:http").RequestListener}
 */
export function files(folder, first = () => false) {
  const serveFile = sirv(decodeURIComponent(folder.pathname), { dev: true, dotfiles: false });
  return (request, response) => {
    if (first(request.url ?? "", response)) return;
    serveFile(request, response, () => {
      response.writeHead(404).end("there is no such file");
    });
  };
}

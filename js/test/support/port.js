import { createServer } from "node:net";

/** Returns a free port on this machine. @returns {Promise<number>} */
export const freePort = () =>
  new Promise((free) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => free(port));
    });
  });

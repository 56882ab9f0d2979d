// A typed client of the public v3 API, and of the additions of Vitrine, for browsers and Node 20 or later. It has no dependencies.
import { define, Transport } from "./core.js";
import { Ext } from "./ext.js";
import { operations } from "./operations_gen.js";

export { SignedOutError, VitrineError } from "./core.js";
export { StartAgainError } from "./ext.js";

export class Client {
  #transport;

  constructor(base, options) {
    this.#transport = new Transport(base, options);
    this.ext = new Ext(this.#transport);
  }

  /** Sends a file, and returns the value to create a block with. */
  async upload(name, contentType, file, { signal } = {}) {
    const { files: [to] } = await this.presignUpload({ files: [{ filename: name, content_type: contentType }] }, { signal });
    await this.#transport.send(to.upload_url, { method: "PUT", headers: { "Content-Type": to.content_type }, body: file, signal }, !(file instanceof globalThis.ReadableStream));
    return to.upload_url.split("?")[0];
  }

  static { define(this.prototype, operations, (client) => client.#transport); }
}

import type { Operations } from "./types.js";

export type * from "./types.js";

export interface ClientOptions {
  /** A personal access token, or one from OAuth. */
  token?: string;
  /** How often a request is repeated; 4 by default. */
  retries?: number;
  /** The longest wait in seconds that a server may ask for; 60 by default. */
  longestWait?: number;
  fetch?: typeof fetch;
}

/** A response with an error. */
export class VitrineError extends Error {
  readonly status: number;
  /** What is wrong, with the names of fields. */
  readonly fields: string[];
  /** Seconds to wait; 0 if the server does not say. */
  readonly retryAfter: number;
  /** For the operator of the server. */
  readonly requestId: string | null;
}

export interface Client extends Operations {}

/** A client of the server at a base address. */
export class Client {
  constructor(base: string, options?: ClientOptions);
  /** Sends a file, and returns the value to create a block with. */
  upload(name: string, contentType: string, file: Blob | ArrayBuffer | ReadableStream | string, options?: { signal?: AbortSignal }): Promise<string>;
}

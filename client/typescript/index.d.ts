import type { Ext } from "./ext.js";
import type { Operations } from "./types.js";

export type * from "./types.js";
export { StartAgainError } from "./ext.js";

/** What OAuth issued: an access token that expires, and the refresh token that renews it. */
export interface Tokens {
  access: string;
  refresh: string;
  /** When the access token expires. */
  expires?: Date | number | string;
}

interface CommonOptions {
  /** How often a request is repeated; 4 by default. */
  retries?: number;
  /** The longest wait in seconds that a server may ask for; 60 by default. */
  longestWait?: number;
  fetch?: typeof fetch;
}

export interface TokenOptions extends CommonOptions {
  /** A personal access token, or one from OAuth. */
  token?: string;
}

/** Tokens that expire. The client renews them shortly before that, and after a response with 401; several calls at a time renew them once. */
export interface RenewingOptions extends CommonOptions {
  tokens: Tokens;
  application: { id: string; secret?: string };
  /**
   * Stores the new tokens before they are used. Each renewal replaces the refresh token. If it fails, the call fails, and the next one calls
   * it again. Only one process or tab may renew the tokens of a sign-in.
   */
  onTokens: (tokens: Tokens) => void | Promise<void>;
}

export type ClientOptions = TokenOptions | RenewingOptions;

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

/** The refresh token is not valid any more: the person must sign in again. */
export class SignedOutError extends Error {}

export interface Client extends Operations {}

/** A client of the server at a base address. */
export class Client {
  constructor(base: string, options?: ClientOptions);
  /** The additions of Vitrine to the API. */
  readonly ext: Ext;
  /** Sends a file, and returns the value to create a block with. */
  upload(name: string, contentType: string, file: Blob | ArrayBuffer | ReadableStream | string, options?: { signal?: AbortSignal }): Promise<string>;
}

import type { CallOptions, Change, Operations, Snapshot } from "./ext_types.js";
import type { Block, Channel, Comment, Connection, Group, User } from "./types.js";

export type * from "./ext_types.js";

/** What /ext/v1 adds to a thing of /v3. With the parameter `fields`, a thing has only the selected fields. */
export interface ItemAdditions {
  /** The address of its page. */
  web_url?: string;
  /** Of a member of a group. */
  role?: "owner" | "member";
  /** If they are expanded. */
  channels?: Item[];
  /** If they are expanded. */
  contents?: Item[];
  /** Of a single thing, for `ifMatch`. It is not enumerable. */
  readonly etag?: string | null;
}

export type Item = (Block | Channel | User | Group | Comment) & ItemAdditions;

export type TaggedConnection = Connection & Pick<ItemAdditions, "etag">;

export interface Batch {
  changes: Change[];
  /** Store it together with what you made of the changes, and continue with it later. */
  cursor: string;
}

export interface FollowOptions {
  /** The cursor of the last batch that was applied; none to start now. */
  cursor?: string;
  /** Only this channel and its contents. */
  channel?: number;
  /** By server-sent events instead of requests that wait. */
  stream?: boolean;
  /** False: end when there are no more changes. */
  wait?: boolean;
  signal?: AbortSignal;
}

/** The changes since the cursor are no longer known: read everything again, and follow without a cursor. */
export class StartAgainError extends Error {}

export interface Ext extends Operations {}

/** The client of /ext/v1. */
export class Ext {
  /** Saves a copy of a page with a link to it. */
  savePage(page: { url: string; html: string; channel?: string }, options?: CallOptions): Promise<Snapshot>;
  /**
   * Returns what changes, in order, until the signal. A batch may have no changes and only move the cursor. Without a cursor the first
   * batch has none, and its cursor starts now: read everything then, before the next batch. If the server cannot be reached, it is
   * tried again.
   */
  follow(options?: FollowOptions): AsyncGenerator<Batch>;
}

import type { Change } from "./ext_types.js";

/** A message. */
export interface WebhookMessage {
  /** A message that arrives twice has the same id both times. */
  id: string;
  /** Such as channel.updated, or ping. */
  type: string;
  timestamp: string;
  /** A change; of a ping only the id and the name of the webhook. */
  data: Partial<Change> & { webhook_id: number; name?: string; changes?: Record<string, { before: unknown; after: unknown }>; object?: unknown };
}

/** A message that is not valid. */
export class WebhookError extends Error {}

/**
 * Checks the signature and the time of a message, and returns it. The body has the bytes as received. Several secrets are for the
 * time in which one replaces another.
 */
export function verifyWebhook(
  secrets: string | string[],
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>,
  body: string | Uint8Array,
  options?: { now?: number },
): Promise<WebhookMessage>;

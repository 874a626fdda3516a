/** Result of one request; `later` means that the same spans may be sent again (OTLP 1.x, "Failures"). */
export type OtlpResult =
  | { readonly outcome: 'accepted'; readonly rejected: number }
  | { readonly outcome: 'refused' | 'later'; readonly reason: string; readonly retryAfterMillis?: number };

/** Delivers batches of spans; `outbound` implements it. */
export interface SpanReceiver {
  /** Sends a request of OTLP in JSON. Never rejects; `stop` gives up at once. */
  send(body: Uint8Array, stop: AbortSignal): Promise<OtlpResult>;
}

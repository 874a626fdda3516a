/** Code of a failed outgoing call; any other text is a code of Node or of undici, such as `ECONNREFUSED`. */
type FailureCode =
  | 'CONNECT_TIMEOUT'
  | 'READ_TIMEOUT'
  | 'TOTAL_TIMEOUT'
  | 'ADDRESS_NOT_ALLOWED'
  | 'PROXY_REFUSED'
  | 'TOO_LARGE'
  | 'ABORTED'
  | (string & {});

/** A failed outgoing call. The message is for operators and contains neither credentials nor content. */
export class OutboundFailure extends Error {
  constructor(
    readonly code: FailureCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'OutboundFailure';
  }

  /** True if one of the three limits of time ended the call. */
  get isTimeout(): boolean {
    return this.code.endsWith('_TIMEOUT') && !this.code.startsWith('UND_');
  }
}

export function secondsText(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

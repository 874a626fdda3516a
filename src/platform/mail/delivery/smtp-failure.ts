/** Failure of an attempt to send a mail. */
export interface SmtpFailure {
  /** `mail` concerns this mail only; `relay` concerns every mail, such as a refused connection or wrong credentials. */
  readonly scope: 'mail' | 'relay';
  /** True if the relay rejects this mail for good (RFC 5321 section 4.2.1, 5yz). */
  readonly isPermanent: boolean;
  /** One or two words without text of the relay, which may contain addresses, e.g. `EENVELOPE 550`. */
  readonly errorClass: string;
}

/** Commands whose response is about one mail. */
const ABOUT_THE_MAIL = new Set(['RCPT TO', 'DATA']);
const PERMANENT = 500;
const CODE = /^[A-Z][A-Z0-9_]{1,30}$/;

/** Thrown for an address that could add a recipient or a command; a relay would respond with 553 (RFC 5321 section 4.2.2). */
export class InvalidAddress extends Error {
  readonly code = 'EADDRESS';
  readonly command = 'RCPT TO';
  readonly responseCode = 553;
}

/** The members of an error of Nodemailer that matter here. */
interface NodemailerError {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
}

/** Classifies an error of Nodemailer. */
export function smtpFailureOf(error: unknown): SmtpFailure {
  const { code, command, responseCode } = (error instanceof Error ? error : {}) as NodemailerError;
  const scope = typeof command === 'string' && ABOUT_THE_MAIL.has(command) ? 'mail' : 'relay';
  const response = typeof responseCode === 'number' ? responseCode : 0;
  const name = typeof code === 'string' && CODE.test(code) ? code : 'ERROR';
  // The signal of the time-out was aborted.
  if (code === 'EABORT') return { scope, isPermanent: false, errorClass: 'SEND_TIMEOUT' };
  return {
    scope,
    isPermanent: scope === 'mail' && response >= PERMANENT,
    errorClass: response > 0 ? `${name} ${response}` : name,
  };
}

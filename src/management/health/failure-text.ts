import { MASK, sanitizeUrls } from '../../kernel/redaction/secrets.js';
import { sanitizeText } from '../../kernel/redaction/log-sanitizer.js';

/** Returns `<name>: <message>` of the error of a check, without connection strings and credentials (management API, 3.1). */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return withoutSecrets(`Error: ${String(error)}`);
  return withoutSecrets(`${error.name}: ${messageOf(error)}`);
}

/** A failed connection to a name with several addresses has an empty message and the errors of all attempts. */
function messageOf(error: Error): string {
  const { message } = error;
  const { errors = [], code = '' } = error as { errors?: readonly unknown[]; code?: unknown };
  if (message !== '') return message;
  const inner = errors.flatMap((each) => (each instanceof Error ? [each.message] : []));
  return inner.length > 0 ? inner.join(', ') : String(code);
}

/** Limits the search for secrets in the response of another system, which may be long. */
const MAX_LENGTH = 2000;

/** A scheme with the rest of the URL, which ends at a blank or a quotation mark. */
const CONNECTION_STRING = /\b(?:jdbc:)?[a-z][a-z\d+.-]*:\/\/[^\s'"<>]*|\bjdbc:[^\s'"<>]+/gi;
/** `'user'@'host'`, as database servers write it, and `user:password@host`. */
const ACCOUNT = /'[^'\s]*'@'[^'\s]*'|[^\s/'"@]+:[^\s/'"@]+@[^\s'"]+/g;

function withoutSecrets(text: string): string {
  return sanitizeText(sanitizeUrls(truncated(text)).replaceAll(CONNECTION_STRING, MASK).replaceAll(ACCOUNT, MASK));
}

/** Drops the last word, because part of a secret at the cut would not be recognised. */
function truncated(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH).replace(/\S*$/, '')}...`;
}

import { MASK, sanitizeUrls } from '../../redaction/secrets.js';
import { sanitizeText } from '../../redaction/log-sanitizer.js';

/** `<name>: <message>` of what a check threw, without connection strings and credentials (management API, 3.1). */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return withoutSecrets(`Error: ${String(error)}`);
  return withoutSecrets(`${error.name}: ${messageOf(error)}`);
}

/** Connecting to a name with several addresses fails with the errors of all of them, and says nothing itself. */
function messageOf(error: Error): string {
  const { message } = error;
  const { errors = [], code = '' } = error as { errors?: readonly unknown[]; code?: unknown };
  if (message !== '') return message;
  const inner = errors.flatMap((each) => (each instanceof Error ? [each.message] : []));
  return inner.length > 0 ? inner.join(', ') : String(code);
}

/** What another system says can be long, and each form of a secret is looked for at every letter of it. */
const MAX_LENGTH = 2000;

/** With what stands behind the scheme; in a text, a URL ends at a blank or a quotation mark. */
const CONNECTION_STRING = /\b(?:jdbc:)?[a-z][a-z\d+.-]*:\/\/[^\s'"<>]*|\bjdbc:[^\s'"<>]+/gi;
/** `'user'@'host'`, as database servers write it, and `user:password@host`. */
const ACCOUNT = /'[^'\s]*'@'[^'\s]*'|[^\s/'"@]+:[^\s/'"@]+@[^\s'"]+/g;

function withoutSecrets(text: string): string {
  return sanitizeText(sanitizeUrls(truncated(text)).replaceAll(CONNECTION_STRING, MASK).replaceAll(ACCOUNT, MASK));
}

/** Half a secret at its end would look like none: nothing is left of the word that is cut. */
function truncated(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH).replace(/\S*$/, '')}...`;
}

/** True of what is written as JSON; texts, bytes and streams go out as they are. */
export function isJsonValue(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return body !== undefined && typeof body !== 'string';
  return !isStream(body) && !ArrayBuffer.isView(body);
}

/** A stream can be read once. */
export function isStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && ('pipe' in body || 'getReader' in body);
}

/** JSON without members that have no value (management API, "Media types"). */
export function jsonText(body: unknown): string {
  return JSON.stringify(body, (_name, value: unknown) => (value === null ? undefined : value));
}

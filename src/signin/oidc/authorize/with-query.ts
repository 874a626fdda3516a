/** Adds to the query of a URI that stays as the application has registered it otherwise. */
export function withQuery(uri: string, members: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(members).toString();
  if (!uri.includes('?')) return `${uri}?${query}`;
  return /[?&]$/.test(uri) ? `${uri}${query}` : `${uri}&${query}`;
}

/** Nobody between us and there can read or change what travels: https, or this very machine. */
export function isSafeUrl(url: string): boolean {
  return url.startsWith('https:') || isLoopback(url);
}

/** At this machine by its number or its usual name. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

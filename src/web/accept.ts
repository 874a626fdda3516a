/**
 * True where `Accept` takes a media type (RFC 9110 section 12.5.1): of the ranges that match, the most specific one
 * decides. Text that is no list of ranges asks for nothing.
 */
export function acceptsType(accept: string | undefined, offered: string): boolean {
  if (accept === undefined || accept === '*/*') return true;
  const type = offered.replace(/\s*;.*$/s, '').toLowerCase();
  const ranges = accept.split(',').flatMap(rangeOf);
  // Whoever takes JSON takes a JSON format with a name of its own.
  const steps = [[type], type.endsWith('+json') ? ['application/json'] : [], [type.replace(/\/.*$/s, '/*')], ['*/*']];
  for (const names of steps) {
    const matching = ranges.filter(({ name }) => names.includes(name));
    if (matching.length > 0) return matching.some(({ isRefused }) => !isRefused);
  }
  return ranges.length === 0;
}

interface Range {
  readonly name: string;
  /** `q=0`. */
  readonly isRefused: boolean;
}

function rangeOf(text: string): readonly Range[] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  if (!/^[^\s/]+\/[^\s/]+$/.test(name)) return [];
  return [{ name, isRefused: parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter)) }];
}

/**
 * The name of a logger in about `length` characters, as `%logger{n}` has it: from the left, parts shrink to their first
 * letter until the rest fits; the last one stays whole. 0 leaves the last part alone.
 */
export function abbreviated(name: string, length: number): string {
  if (length === 0) return name.slice(name.lastIndexOf('.') + 1);
  if (name.length < length) return name;
  const parts = name.split('.');
  let excess = name.length - length;
  return parts
    .map((part, index) => {
      if (index === parts.length - 1 || excess <= 0 || part === '') return part;
      excess -= part.length - 1;
      return part.charAt(0);
    })
    .join('.');
}

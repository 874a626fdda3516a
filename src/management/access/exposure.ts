/** Ids compare without case, `-` and `.` (management API, "Exposure and access"). */
export function isSameId(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

/** Whether an endpoint can be called at all; exclude wins over include, `*` is every id. */
export function isExposed(id: string, include: readonly string[], exclude: readonly string[]): boolean {
  const names = (list: readonly string[]): boolean => list.some((item) => item === '*' || isSameId(item, id));
  return names(include) && !names(exclude);
}

function plain(id: string): string {
  return id.toLowerCase().replaceAll(/[-.]/g, '');
}

/** A request target that no route takes. */
export const OUTSIDE = '*';

/** A request target in origin form: what a proxy sends may name scheme and host, too (RFC 9112 section 3.2.2). */
export function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Mounts a whole listener below a context path: answers the request target without it, and one that no route takes for
 * what lies outside. Matched routes, and rules on them, never see the context path.
 */
export function withoutContextPath(contextPath: string): (target: string) => string {
  // As it arrives: what a path may not hold is percent-encoded.
  const prefix = encodeURI(contextPath);
  return (sent) => {
    const target = originForm(sent);
    if (!target.startsWith(prefix)) return OUTSIDE;
    const rest = target.slice(prefix.length);
    if (rest === '' || rest.startsWith('?')) return `/${rest}`;
    return rest.startsWith('/') ? rest : OUTSIDE;
  };
}

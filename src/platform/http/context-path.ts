/** A request target that matches no route. */
export const OUTSIDE = '*';

/** Returns a request target in origin form; proxies may send the absolute form (RFC 9112 section 3.2.2). */
export function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Returns a function that removes the context path from a request target; a target outside of it becomes `OUTSIDE`.
 * Routes and the rules of routes never see the context path. In a well-known target it may also be the end: the metadata of an
 * issuer with a path are looked for there (RFC 8414 section 3.1).
 */
export function withoutContextPath(contextPath: string): (target: string) => string {
  // Clients send the context path percent-encoded.
  const prefix = encodeURI(contextPath);
  return (sent) => {
    const target = originForm(sent);
    const [, wellKnown, end, query = ''] = /^(\/\.well-known\/[\w.-]+)(\/[^?]*)(\?.*)?$/s.exec(target) ?? [];
    if (wellKnown !== undefined && end === prefix) return wellKnown + query;
    if (!target.startsWith(prefix)) return OUTSIDE;
    const rest = target.slice(prefix.length);
    if (rest === '' || rest.startsWith('?')) return `/${rest}`;
    return rest.startsWith('/') ? rest : OUTSIDE;
  };
}

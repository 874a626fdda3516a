import { JSON_PLAIN, JSON_TYPES, negotiate } from './negotiation.js';
import type { ExposedEndpoint } from './operation.js';

interface Link {
  readonly href: string;
  /** True exactly if `href` contains a `{`. */
  readonly templated: boolean;
}

/** The body of the discovery page (management API, "Discovery"); `url` is that of the request, without query. */
export function discoveryBody(
  url: string,
  endpoints: readonly ExposedEndpoint[],
): { readonly _links: Readonly<Record<string, Link>> } {
  const base = url.replace(/\/$/, '');
  // Operations that share a path share one entry.
  const links = endpoints.flatMap(({ id, segment, operations }) =>
    operations.map(({ pathTemplate }): [string, Link] => [
      pathTemplate === '' ? id : `${id}-${pathTemplate.replaceAll(/[{}*]/g, '')}`,
      link(`${base}/${segment}${pathTemplate && `/${pathTemplate}`}`),
    ]),
  );
  return { _links: { self: link(base), ...Object.fromEntries(links) } };
}

/** Consoles recognise the page by a vendor media type, so the response has one whenever `Accept` admits it. */
export function discoveryType(accept: string | undefined): string | undefined {
  const vendorTypes = JSON_TYPES.filter((type) => type !== JSON_PLAIN);
  const admitted = vendorTypes.find((type) => negotiate(accept, [type]) !== undefined);
  return admitted ?? negotiate(accept, JSON_TYPES);
}

function link(href: string): Link {
  return { href, templated: href.includes('{') };
}

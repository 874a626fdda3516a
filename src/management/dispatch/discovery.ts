import { JSON_PLAIN, JSON_TYPES } from './media-types.js';
import type { ExposedEndpoint } from './exposed-endpoint.js';
import { negotiate } from './negotiation.js';

interface Link {
  readonly href: string;
  /** True exactly where `href` holds a `{`. */
  readonly templated: boolean;
}

/** The body of the discovery page (management API, "Discovery"); `url` is that of the request, without query. */
export function discoveryBody(
  url: string,
  offers: readonly ExposedEndpoint[],
): { readonly _links: Readonly<Record<string, Link>> } {
  const base = url.replace(/\/$/, '');
  // Operations that share a path share one entry.
  const links = offers.flatMap(({ id, segment, operations }) =>
    operations.map(({ pathTemplate }): [string, Link] => [
      pathTemplate === '' ? id : `${id}-${pathTemplate.replaceAll(/[{}*]/g, '')}`,
      link(`${base}/${segment}${pathTemplate && `/${pathTemplate}`}`),
    ]),
  );
  return { _links: { self: link(base), ...Object.fromEntries(links) } };
}

/** A console takes the page for no page of ours where its media type could be a vendor type and is not. */
export function discoveryType(accept: string | undefined): string | undefined {
  const vendorTypes = JSON_TYPES.filter((type) => type !== JSON_PLAIN);
  const admitted = vendorTypes.find((type) => negotiate(accept, [type]) !== undefined);
  return admitted ?? negotiate(accept, JSON_TYPES);
}

function link(href: string): Link {
  return { href, templated: href.includes('{') };
}

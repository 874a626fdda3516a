import { Controller, Get, Header, Param } from '@nestjs/common';
import { BrandingProperties } from '../../platform/branding/branding.properties.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { type Asset, PageAssets } from '../../platform/http/page/page-assets.js';
import { Public } from '../../kernel/principal/access.decorator.js';
import { Res, type Reply } from '../../platform/web/cookies.js';
import { ApiTag, MediaTypes, Operation } from '../../platform/web/route.decorator.js';
import { FAVICON, SHOW_ASSET } from './portal.openapi.js';

/** The name of an asset changes with its content. */
const FOREVER = 'public, max-age=31536000, immutable';
const ONE_DAY = 'public, max-age=86400';
/** A logo that is opened as a document must not run scripts in our origin. */
const INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The stylesheet, script, icon and logo of the pages. */
@Public()
@ApiTag('Pages')
@Controller()
export class AssetsController {
  private readonly assets: PageAssets;

  constructor(branding: BrandingProperties) {
    this.assets = new PageAssets(branding);
  }

  @Get('assets/:name')
  @MediaTypes('text/css', 'text/javascript', 'image/svg+xml', 'image/png', 'image/jpeg', 'image/webp')
  @Operation(SHOW_ASSET)
  @Header('content-type', 'application/octet-stream')
  show(@Param('name') name: string, @Res() reply: Reply): Buffer {
    const asset = this.assets.find(name);
    if (asset) return send(asset, reply, FOREVER);
    const other = this.assets.findOtherVersion(name);
    if (!other) throw new ServiceError('NOT_FOUND');
    return send(other, reply, 'no-store');
  }

  /** Browsers request this path for responses without an icon link, such as JSON. */
  @Get('favicon.ico')
  @Operation(FAVICON)
  @Header('content-type', 'image/svg+xml')
  favicon(@Res() reply: Reply): Buffer {
    return send(this.assets.icon, reply, ONE_DAY);
  }
}

function send({ mediaType, content }: Asset, reply: Reply, caching: string): Buffer {
  reply.setHeader('cache-control', caching);
  reply.setHeader('content-security-policy', INERT);
  reply.setHeader('content-type', mediaType);
  return Buffer.from(content);
}

import { Injectable } from '@nestjs/common';
import type { HttpRequest } from '../../web/http-request.js';
import { PublicUrlProperties } from '../../http/server.properties.js';
import { CorsProperties } from '../auth.properties.js';
import type { KnownOrigins } from './cross-site.js';

/** The origins of the service, and the other origins whose scripts may call it. */
@Injectable()
export class TrustedOrigins {
  private readonly allowed: ReadonlySet<string>;
  private readonly configured: ReadonlySet<string> | undefined;

  constructor(cors: CorsProperties, { publicUrl }: PublicUrlProperties) {
    this.allowed = new Set(cors.allowedOrigins);
    this.configured = publicUrl === undefined ? undefined : new Set([new URL(publicUrl).origin]);
  }

  /** Without a public URL, the origin of the service is the one that the request was sent to (http-api section 2). */
  forRequest({ protocol, host }: HttpRequest): KnownOrigins {
    return { own: this.configured ?? new Set([`${protocol}://${host}`]), allowed: this.allowed };
  }
}

import { Injectable } from '@nestjs/common';
import type { HttpRequest } from '../../web/http-request.js';
import { PublicUrlProperties } from '../../http/server.properties.js';
import { CorsProperties } from '../auth.properties.js';
import type { KnownOrigins } from './cross-site.js';

/** Which origins are ours, and whose scripts may call us. */
@Injectable()
export class TrustedOrigins {
  private readonly allowed: ReadonlySet<string>;
  private readonly configured: ReadonlySet<string> | undefined;

  constructor(cors: CorsProperties, { publicUrl }: PublicUrlProperties) {
    this.allowed = new Set(cors.allowedOrigins);
    this.configured = publicUrl === undefined ? undefined : new Set([new URL(publicUrl).origin]);
  }

  /** Where no public URL is set, ours is the one the request was sent to (http-api section 2). */
  forRequest({ protocol, host }: HttpRequest): KnownOrigins {
    return { own: this.configured ?? new Set([`${protocol}://${host}`]), allowed: this.allowed };
  }
}

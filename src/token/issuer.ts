import { Injectable } from '@nestjs/common';
import { ServerProperties } from '../http/server.properties.js';
import { ServletProperties } from '../http/servlet.properties.js';
import { PublicUrlProperties } from '../http/public-url.properties.js';

/** Who issues our tokens: claim `iss`, and the base of what the metadata name. */
@Injectable()
export class Issuer {
  readonly url: string;

  constructor({ publicUrl }: PublicUrlProperties, { port }: ServerProperties, { contextPath }: ServletProperties) {
    this.url = publicUrl ?? `http://localhost:${port}${contextPath}`;
  }
}

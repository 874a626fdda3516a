import { Injectable } from '@nestjs/common';
import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { JsonProperties, JsonSerializationProperties } from '../../http/json/json.properties.js';
import type { Api } from './api.js';
import type { Route } from './routes.js';

/** The tag of the routes of the document itself. */
export const DESCRIPTION = 'Description';

/** The document as JSON and as a page. */
export interface Description {
  /** The OpenAPI 3.1 document in JSON. */
  readonly json: string;
  /** The document as an HTML page. */
  readonly page: string;
}

/** Describes the registered routes at the first request and keeps the result. */
@Injectable()
export class OpenApi {
  private description: Promise<Description> | undefined;

  constructor(
    private readonly api: Api,
    private readonly serverUrl: string,
    private readonly controllers: { readonly discovery: DiscoveryService; readonly scanner: MetadataScanner },
    private readonly json: JsonProperties,
    private readonly serialization: JsonSerializationProperties,
  ) {}

  describe(): Promise<Description> {
    return (this.description ??= this.make());
  }

  /**
   * Creates the description. Its code is loaded on demand, because few callers request it and startup must not pay for
   * it.
   */
  private async make(): Promise<Description> {
    const [{ describe }, { dateForm }, { routesOf }, { docsPage }] = await Promise.all([
      import('./describe.js'),
      import('./date-schema.js'),
      import('./routes.js'),
      import('./docs-page.js'),
    ]);
    const { discovery, scanner } = this.controllers;
    const setting = { serverUrl: this.serverUrl, dates: dateForm(this.json, this.serialization) };
    // The tag of the document itself comes last.
    const routes = routesOf(discovery, scanner).toSorted((a, b) => Number(isOwn(a)) - Number(isOwn(b)));
    const document = describe(this.api, routes, setting);
    return { json: JSON.stringify(document), page: docsPage(document) };
  }
}

function isOwn({ tag }: Route): boolean {
  return tag?.name === DESCRIPTION;
}

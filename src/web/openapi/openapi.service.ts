import { Injectable } from '@nestjs/common';
import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { JsonProperties, JsonSerializationProperties } from '../../http/json/json.properties.js';
import type { Api } from './api.js';
import type { Route } from './routes.js';

/** The chapter of the routes that show the description. */
export const DESCRIPTION = 'Description';

/** The description of the interface as it is sent. */
export interface Description {
  /** OpenAPI 3.1 in JSON. */
  readonly json: string;
  /** HTML. */
  readonly page: string;
}

/** Describes the routes that are registered; made when somebody asks for the first time, then kept. */
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

  /** Few ask for it, and every start would pay for what it needs. */
  private async make(): Promise<Description> {
    const [{ describe }, { dateForm }, { routesOf }, { docsPage }] = await Promise.all([
      import('./describe.js'),
      import('./date-schema.js'),
      import('./routes.js'),
      import('./docs-page.js'),
    ]);
    const { discovery, scanner } = this.controllers;
    const setting = { serverUrl: this.serverUrl, dates: dateForm(this.json, this.serialization) };
    // Last what is about the description itself.
    const routes = routesOf(discovery, scanner).toSorted((a, b) => Number(isOwn(a)) - Number(isOwn(b)));
    const document = describe(this.api, routes, setting);
    return { json: JSON.stringify(document), page: docsPage(document) };
  }
}

function isOwn({ tag }: Route): boolean {
  return tag?.name === DESCRIPTION;
}

import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { JsonProperties, JsonSerializationProperties } from '../../http/json/json.properties.js';
import type { Api } from './api.js';
import { OpenApiController } from './openapi.controller.js';
import type { OpenApiProperties } from './openapi.properties.js';
import { OpenApi } from './openapi.service.js';

/** Provides the OpenAPI document of the importing application; `serverUrl` is the base of all paths. */
@Module({})
export class OpenApiModule {
  static of(api: Api, serverUrl: string, { enabled }: OpenApiProperties): DynamicModule {
    if (!enabled) return { module: OpenApiModule };
    const openApi = {
      provide: OpenApi,
      inject: [DiscoveryService, MetadataScanner, JsonProperties, JsonSerializationProperties],
      useFactory: (
        discovery: DiscoveryService,
        scanner: MetadataScanner,
        json: JsonProperties,
        serialization: JsonSerializationProperties,
      ) => new OpenApi(api, serverUrl, { discovery, scanner }, json, serialization),
    };
    return {
      module: OpenApiModule,
      imports: [DiscoveryModule],
      controllers: [OpenApiController],
      providers: [openApi],
    };
  }
}

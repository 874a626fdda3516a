import { applyDecorators, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ENDPOINT_IDS } from '../access/endpoint-ids.js';
import type { Endpoint } from './operation.js';

const Discoverable = DiscoveryService.createDecorator();

/** Registers a provider that implements `Endpoint` as a management endpoint, in any module. */
export function ManagementEndpoint(): ClassDecorator {
  return applyDecorators(Injectable(), Discoverable());
}

/**
 * The instances of all endpoints, in the order of their providers.
 * @throws Error if an endpoint of the management API has no provider, or two have the same id
 */
export function discoverEndpoints(discovery: DiscoveryService): readonly Endpoint[] {
  const marked = new Set(discovery.getProviders({ metadataKey: Discoverable.KEY }));
  // The marked ones come in the order of instantiation, all providers in that of their modules.
  const providers = discovery.getProviders().filter((provider) => marked.has(provider));
  const endpoints = providers.map(({ instance }) => instance as Endpoint);
  for (const id of ENDPOINT_IDS) {
    const { length } = endpoints.filter((endpoint) => endpoint.id === id);
    if (length !== 1) throw new Error(`${length} providers for the management endpoint ${id}`);
  }
  return endpoints;
}

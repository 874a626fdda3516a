import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ManagementEndpoint } from './dispatch/management-endpoint.decorator.js';
import type { Endpoint, Operation, Result } from './dispatch/operation.js';
import { type MountedRoute, MountedRoutes } from './dispatch/mounted-routes.js';
import type { Route } from '../platform/web/openapi/routes.js';

/** `GET {management_base}/mappings`: every route of the service with its handler. */
@ManagementEndpoint()
export class MappingsEndpoint implements Endpoint {
  readonly id = 'mappings';

  readonly operations: readonly Operation[] = [{ method: 'GET', pathTemplate: '', run: () => this.read() }];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly mounted: MountedRoutes,
  ) {}

  private async read(): Promise<Result> {
    const { routesOf } = await import('../platform/web/openapi/routes.js');
    const dispatcherServlets = {
      main: routesOf(this.discovery, this.scanner).map(controllerMapping),
      management: managementMappings(this.mounted.all),
    };
    const mappings = { dispatcherServlets, servletFilters: [], servlets: [] };
    return { body: { contexts: { 'login-service': { mappings } } } };
  }
}

interface MediaTypeCondition {
  readonly mediaType: string;
  readonly negated: boolean;
}

/** Conditions that a request must meet; an empty list admits every request. */
interface Conditions {
  readonly methods: readonly string[];
  readonly patterns: readonly string[];
  readonly consumes: readonly MediaTypeCondition[];
  readonly produces: readonly MediaTypeCondition[];
  /** No route depends on headers or query parameters. */
  readonly headers: readonly never[];
  readonly params: readonly never[];
}

/** A route in the form of the response (management API, "mappings"). */
interface MappingView {
  readonly handler: string;
  readonly predicate: string;
  readonly details: { readonly requestMappingConditions: Conditions };
}

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const UPLOAD = 'multipart/form-data';

/** JSON is the default media type of requests and responses, so it is not listed as a condition. */
function controllerMapping({ handler, access, mediaType, options }: Route): MappingView {
  const consumes = [...(options.takesForm ? [FORM] : []), ...(options.takesUpload ? [UPLOAD] : [])];
  return mapping(handler, access.method, access.template, consumes, mediaType === JSON_TYPE ? [] : [mediaType]);
}

/** Two paths that differ only by a trailing slash are listed once. */
function managementMappings(routes: readonly MountedRoute[]): readonly MappingView[] {
  const isAlone = ({ path }: MountedRoute): boolean => path === '/' || !path.endsWith('/');
  return routes.filter(isAlone).map(({ method, path }) => mapping('ManagementListener', method, path, [], []));
}

function mapping(
  handler: string,
  method: string,
  path: string,
  consumes: readonly string[],
  produces: readonly string[],
): MappingView {
  const pattern = path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{*path}');
  const limits = [...conditionText('consumes', consumes), ...conditionText('produces', produces)];
  return {
    handler,
    predicate: `{${[`${method} [${pattern}]`, ...limits].join(', ')}}`,
    details: {
      requestMappingConditions: {
        methods: [method],
        patterns: [pattern],
        consumes: consumes.map(condition),
        produces: produces.map(condition),
        headers: [],
        params: [],
      },
    },
  };
}

function condition(mediaType: string): MediaTypeCondition {
  return { mediaType, negated: false };
}

function conditionText(name: string, types: readonly string[]): readonly string[] {
  return types.length > 0 ? [`${name} [${types.join(' || ')}]`] : [];
}

import type { Route } from '../web/openapi/routes.js';
import type { MountedRoute } from './dispatch/mounted-routes.js';

interface MediaTypeCondition {
  readonly mediaType: string;
  readonly negated: boolean;
}

/** Conditions that a request must meet for a route to take it; empty where any does. */
interface Conditions {
  readonly methods: readonly string[];
  readonly patterns: readonly string[];
  readonly consumes: readonly MediaTypeCondition[];
  readonly produces: readonly MediaTypeCondition[];
  /** No route asks for a header or a parameter of its query. */
  readonly headers: readonly never[];
  readonly params: readonly never[];
}

/** A route as the wire has it (management API, "mappings"). */
export interface MappingView {
  readonly handler: string;
  readonly predicate: string;
  readonly details: { readonly requestMappingConditions: Conditions };
}

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const UPLOAD = 'multipart/form-data';

/** JSON is what every route takes and gives unless it says otherwise, and is no condition of its own. */
export function controllerMapping({ handler, access, mediaType, options }: Route): MappingView {
  const consumes = [...(options.takesForm ? [FORM] : []), ...(options.takesUpload ? [UPLOAD] : [])];
  return mapping(handler, access.method, access.template, consumes, mediaType === JSON_TYPE ? [] : [mediaType]);
}

/** Paths that differ by a slash at their end only are one. */
export function managementMappings(routes: readonly MountedRoute[]): readonly MappingView[] {
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

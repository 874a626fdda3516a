import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { STATUS_CODES } from 'node:http';
import { acceptedTypes, METHODS_WITH_BODY } from '../../http/body/body-parsers.js';
import type { Api } from './api.js';
import type { DateForm } from './date-schema.js';
import type { Content, OpenApiDocument, OperationObject, ResponseObject, SecurityRequirement } from './document.js';
import { ANSWER_HEADERS, API_VERSION, HEADERS, headers } from './headers.js';
import { schemaWriter, type WriteSchema } from './json-schema.js';
import { ANONYMOUS } from './operation.js';
import { parametersOf, pathOf } from './parameters.js';
import { LATE_BODY, PROBLEM, type DocumentedError, ERROR_RESPONSES, errorResponses, RESPONSES } from './problems.js';
import type { Route } from './routes.js';

/** Redirect of a browser after a form or to another site. */
const SEE_OTHER = 303;

/** Deployment-specific parts of the document. */
export interface Setting {
  /** Base URL of all paths; a relative one starts at the document itself. */
  readonly serverUrl: string;
  readonly dates: DateForm;
}

/** Builds the OpenAPI 3.1 document of `routes`. */
export function describe(api: Api, routes: readonly Route[], { serverUrl, dates }: Setting): OpenApiDocument {
  const write = schemaWriter(dates.schema);
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const route of routes) {
    const { method, template } = route.access;
    const operations = (paths[pathOf(template)] ??= {});
    operations[method.toLowerCase()] = operationOf(api, route, write);
  }
  return {
    openapi: '3.1.1',
    info: { title: api.title, version: API_VERSION, description: `${api.description}\n\n${rules(dates)}` },
    servers: [{ url: serverUrl }],
    tags: tagsOf(routes),
    paths,
    components: {
      schemas: { Problem: PROBLEM },
      responses: usedIn(paths),
      headers: HEADERS,
      securitySchemes: api.securitySchemes,
    },
  };
}

/** The shared responses that routes refer to. */
function usedIn(paths: object): OpenApiDocument['components']['responses'] {
  const written = JSON.stringify(paths);
  const used = Object.entries(ERROR_RESPONSES).filter(([name]) => written.includes(`"${RESPONSES}${name}"`));
  return Object.fromEntries(used);
}

/** Description of the rules that all routes follow. */
function rules({ text }: DateForm): string {
  return [
    'Bodies are JSON in UTF-8 unless a route states another type. A request with unlisted members is rejected. ' +
      'Responses may gain members: ignore members that you do not know.',
    'A body that is too large is rejected with 413 before its members are validated, so a text beyond its `maxLength` ' +
      'is rejected with 400 or 413. A text with a NUL or half of a surrogate pair is always rejected.',
    `Instants are ${text}; the \`timestamp\` of a problem is ISO 8601 in UTC.`,
    'Every error response is a `Problem`: branch on its `code`. In addition to its own codes, every route may respond ' +
      'with 400 and 408 (for an invalid or late request head), 404, 405, 406, 413, 431, 500 and 503.',
    'Every path with `GET` supports `HEAD`, and `OPTIONS` lists its methods in `Allow`.',
  ].join('\n\n');
}

function tagsOf(routes: readonly Route[]): OpenApiDocument['tags'] {
  const tags = new Map<string, string | undefined>();
  for (const { tag } of routes) if (tag) tags.set(tag.name, tag.description ?? tags.get(tag.name));
  return Array.from(tags, ([name, description]) => withoutUndefined({ name, description }));
}

function operationOf(api: Api, route: Route, write: WriteSchema): OperationObject {
  const { access, operation, tag } = route;
  const { security, notes, errors } = api.requirements(access);
  const {
    summary = `${access.method} ${access.template}`,
    description: own,
    security: optional = [],
  } = operation ?? {};
  const description = [...(own === undefined ? [] : [own]), ...notes].join('\n\n');
  const parameters = parametersOf(route, write);
  const content = requestContent(route, write);
  return {
    operationId: idOf(access),
    summary,
    ...(description !== '' && { description }),
    tags: tag ? [tag.name] : [],
    security: (access.isPublic ? optional : security).map(requirement),
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: isRequired(content), content } }),
    responses: {
      [route.status]: goodAnswer(route, write),
      ...otherAnswer(route, write),
      ...(operation?.redirects === true && { [SEE_OTHER]: sendingOn(route, write) }),
      ...errorResponses(
        [...ownErrors(route), ...errors, ...(operation?.errors ?? []), 'UNAVAILABLE'],
        route.options.errorPages !== undefined,
      ),
    },
  };
}

/** Operation id, e.g. `post2faSetup`; a parameter becomes `ById`. */
function idOf({ method, template }: Route['access']): string {
  const segments = template.split(/[^\w:]+/).filter((segment) => segment !== '');
  const named = segments.map((segment) =>
    segment.startsWith(':') ? `By${capital(segment.slice(1))}` : capital(segment),
  );
  return `${method.toLowerCase()}${named.length === 0 ? 'Root' : named.join('')}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function requirement(name: string): SecurityRequirement {
  return name === ANONYMOUS ? {} : { [name]: [] };
}

function requestContent({ inputs, options, operation }: Route, write: WriteSchema): Content | undefined {
  const input = inputs.find(({ from }) => from === 'body');
  const declared = operation?.body ?? input?.schema;
  if (!input && options.takesUpload !== true) return undefined;
  const schema = declared ? write(declared, 'input') : { type: 'object' };
  return Object.fromEntries(acceptedTypes(options).map((type) => [type, { schema }]));
}

/** True if the body must have members; a missing body equals an object without members. */
function isRequired(content: Content): boolean {
  return Object.values(content).some(({ schema }) => (schema?.required ?? []).length > 0);
}

/** Statuses without a body; a 202 of this service only confirms that the request was accepted. */
const WITHOUT_BODY = new Set([202, 204, SEE_OTHER]);

function goodAnswer({ status, mediaType, options, operation }: Route, write: WriteSchema): ResponseObject {
  const cookies = (operation?.cookies ?? []).map((name) => `\`${name}\``).join(', ');
  return {
    description: STATUS_CODES[status] ?? 'Done',
    headers: {
      ...headers(...ANSWER_HEADERS, ...(status === SEE_OTHER ? (['Location'] as const) : [])),
      ...(cookies !== '' && { 'Set-Cookie': { description: cookies, schema: { type: 'string' } } }),
    },
    ...(!WITHOUT_BODY.has(status) && {
      content: Object.fromEntries(
        (options.mediaTypes ?? [mediaType]).map((type) => [
          type,
          options.responseSchema ? { schema: write(options.responseSchema, 'output') } : {},
        ]),
      ),
    }),
  };
}

function otherAnswer(route: Route, write: WriteSchema): Readonly<Record<number, ResponseObject>> {
  const also = route.operation?.also;
  if (!also) return {};
  const options = { ...route.options, responseSchema: also.schema };
  return { [also.status]: goodAnswer({ ...route, status: also.status, options }, write) };
}

/** The 303 of a page route: without a body, but with the media type of the page. */
function sendingOn(route: Route, write: WriteSchema): ResponseObject {
  const answer = goodAnswer({ ...route, status: SEE_OTHER }, write);
  return route.status === 204 ? answer : { ...answer, content: { [route.mediaType]: {} } };
}

/** Errors that invalid bodies and parameters cause before the handler runs. */
function ownErrors({ access, inputs }: Route): readonly DocumentedError[] {
  // A route without a body reads it nevertheless and rejects its members.
  if (METHODS_WITH_BODY.has(access.method)) {
    return ['VALIDATION_FAILED', LATE_BODY, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
  }
  return inputs.some(({ schema }) => schema) ? ['VALIDATION_FAILED'] : [];
}

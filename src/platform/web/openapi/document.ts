/** JSON Schema (2020-12) in OpenAPI 3.1. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
}

interface MediaType {
  readonly schema?: JsonSchema;
}

/** Content by media type. */
export type Content = Readonly<Record<string, MediaType>>;

export interface HeaderObject {
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface Reference {
  readonly $ref: string;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>;
  readonly content?: Content;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** All schemes of one entry are required together; `{}` permits anonymous callers. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly SecurityRequirement[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export interface SecurityScheme {
  readonly type: 'http' | 'apiKey';
  readonly description?: string;
  /** `bearer` or `basic`, for type `http`. */
  readonly scheme?: string;
  readonly bearerFormat?: string;
  /** Place and name of the key, for type `apiKey`. */
  readonly in?: 'cookie';
  readonly name?: string;
}

/** The used parts of an OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  /** Operations by path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

export type Operations = readonly {
  /** Method in lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}[];

export function operationsOf({ paths }: OpenApiDocument): Operations {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
}

/** Resolves a response that may be a reference. */
export function resolved({ components }: OpenApiDocument, response: ResponseObject | Reference): ResponseObject {
  if (!('$ref' in response)) return response;
  const found = components.responses[response.$ref.replace(/^.*\//, '')];
  if (!found) throw new Error(`there is no ${response.$ref}`);
  return found;
}

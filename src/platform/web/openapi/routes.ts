import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { RequestMethod } from '@nestjs/common';
import {
  HEADERS_METADATA,
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  REDIRECT_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { GenericSchema } from 'valibot';
import {
  AMR,
  AUTHORITY,
  HALF_AUTHENTICATED,
  PUBLIC,
  SECOND_FACTOR,
} from '../../../kernel/principal/access.decorator.js';
import type { RequiredAmr } from '../../../kernel/principal/amr.js';
import type { RouteOptions } from '../../http/route-options.decorator.js';
import type { RouteAccess } from './api.js';
import type { TagOptions, OperationOptions } from './operation.js';
import { TAG, OPERATION } from '../route.decorator.js';

/** A parameter of a handler: the whole body, query or path, or one `name` of them. */
export interface RouteInput {
  readonly from: 'body' | 'query' | 'path';
  readonly name?: string;
  readonly schema?: GenericSchema;
}

/** A route as its controller declares it. */
export interface Route {
  /** Class and method, e.g. `LoginController#login`. */
  readonly handler: string;
  readonly access: RouteAccess;
  readonly status: number;
  /** Media type of the success response, without parameters. */
  readonly mediaType: string;
  readonly inputs: readonly RouteInput[];
  readonly options: RouteOptions;
  readonly operation?: OperationOptions;
  readonly tag?: TagOptions;
}

type Handler = (...args: never) => unknown;
type Named = object & { readonly name: string };

/** The class of a controller. */
export type Controller = Named & { readonly prototype: object };

const JSON_TYPE = 'application/json';
const FROM: Readonly<Record<string, RouteInput['from']>> = {
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.PARAM]: 'path',
};

/** Every route of every controller that is registered, in the order of registration. */
export function routesOf(discovery: DiscoveryService, scanner: MetadataScanner): readonly Route[] {
  return discovery.getControllers().flatMap(({ metatype }) => {
    return typeof metatype === 'function' ? routesOfController(metatype as Controller, scanner) : [];
  });
}

/** Every route of one controller. */
export function routesOfController(controller: Controller, scanner: MetadataScanner): readonly Route[] {
  const prototype = controller.prototype as Readonly<Record<string, Handler>>;
  return scanner.getAllMethodNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    return handler ? routesOfHandler(controller, handler) : [];
  });
}

function routesOfHandler(controller: Named, handler: Handler): readonly Route[] {
  const paths = read(PATH_METADATA, handler) as string | readonly string[] | undefined;
  if (paths === undefined) return [];
  const method = RequestMethod[read(METHOD_METADATA, handler) as RequestMethod];
  const operation = read(OPERATION, handler) as OperationOptions | undefined;
  const tag = read(TAG, controller) as TagOptions | undefined;
  return [paths].flat().map((path) => ({
    handler: `${controller.name}#${handler.name}`,
    access: {
      method,
      template: templateOf(String(read(PATH_METADATA, controller)), path),
      ...accessOf((key) => read(key, handler) ?? read(key, controller)),
    },
    status: statusOf(handler) ?? (method === 'POST' ? 201 : 200),
    mediaType: mediaTypeOf(handler),
    inputs: inputsOf(controller, handler.name),
    options: (read(FASTIFY_ROUTE_CONFIG_METADATA, handler) as RouteOptions | undefined) ?? {},
    ...withoutUndefined({ operation, tag }),
  }));
}

/** Metadata that guards read, from the handler or else its controller. */
function accessOf(metadata: (key: string) => unknown): Omit<RouteAccess, 'method' | 'template'> {
  const authorities = metadata(AUTHORITY) as readonly string[] | undefined;
  const amr = metadata(AMR) as RequiredAmr | undefined;
  return {
    isPublic: metadata(PUBLIC) === true,
    isSecondFactor: metadata(SECOND_FACTOR) === true,
    alsoHalfAuthenticated: metadata(HALF_AUTHENTICATED) === true,
    ...withoutUndefined({ authorities, amr }),
  };
}

function templateOf(...parts: readonly string[]): string {
  return `/${parts.flatMap((part) => part.split('/').filter((segment) => segment !== '')).join('/')}`;
}

/** Status in `@Redirect` or `@HttpCode`; undefined without either. */
function statusOf(handler: object): number | undefined {
  const redirect = read(REDIRECT_METADATA, handler) as { readonly statusCode?: number } | undefined;
  return redirect?.statusCode ?? (read(HTTP_CODE_METADATA, handler) as number | undefined);
}

function mediaTypeOf(handler: object): string {
  const headers = read(HEADERS_METADATA, handler) as
    readonly { readonly name: string; readonly value: unknown }[] | undefined;
  const declared = headers?.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
  return typeof declared === 'string' ? declared.replace(/\s*;.*$/s, '') : JSON_TYPE;
}

/** Parameters of a handler, whose metadata Nest stores as `<kind>:<index>`. */
function inputsOf(controller: object, handler: string): readonly RouteInput[] {
  const noted = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) as
    Readonly<Record<string, { readonly data?: unknown; readonly schema?: GenericSchema }>> | undefined;
  return Object.entries(noted ?? {}).flatMap(([kind, { data, schema }]) => {
    const from = FROM[kind.replace(/:.*$/, '')];
    return from ? [withoutUndefined({ from, name: typeof data === 'string' ? data : undefined, schema })] : [];
  });
}

function read(key: string, target: object): unknown {
  return Reflect.getMetadata(key, target);
}

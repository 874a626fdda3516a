import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { AppModule } from '../../app.module.js';
import { OpenApiController } from '../../platform/web/openapi/openapi.controller.js';
import { type Controller, routesOfController } from '../../platform/web/openapi/routes.js';

type Imported = Controller | { readonly module: Controller };

/** Paths of all controllers of the service, such as `/sessions/:id`, read from metadata without creating instances. */
export function userPaths(): readonly string[] {
  const modules = new Set<Controller>([AppModule]);
  // The loop also visits modules that are added during the loop.
  for (const module of modules) {
    const imported = metadataOf(MODULE_METADATA.IMPORTS, module) as readonly Imported[];
    for (const each of imported) modules.add('module' in each ? each.module : each);
  }
  const ofModules = [...modules].flatMap((module) => metadataOf(MODULE_METADATA.CONTROLLERS, module) as Controller[]);
  const scanner = new MetadataScanner();
  // The OpenAPI module registers its controller only if it is switched on.
  const routes = [OpenApiController, ...ofModules].flatMap((controller) => routesOfController(controller, scanner));
  return [...new Set(routes.map(({ access }) => access.template))];
}

function metadataOf(key: string, module: Controller): readonly unknown[] {
  return (Reflect.getMetadata(key, module) as readonly unknown[] | undefined) ?? [];
}

import { WithRouteOptions } from '../http/route-options.decorator.js';

/**
 * The route is for people: whoever prefers HTML gets the errors as pages, too. `backTo` is the path, below the context path,
 * that these lead back to.
 */
export const ErrorPages = (backTo: string): MethodDecorator => WithRouteOptions({ errorPages: { backTo } });

import { WithRouteOptions } from '../http/route-options.decorator.js';

/** The route takes a form instead of JSON (e.g. RFC 7662 section 2.1). */
export const FormBody = (): MethodDecorator => WithRouteOptions({ takesForm: true });

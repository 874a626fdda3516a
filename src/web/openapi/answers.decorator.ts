import type { GenericSchema } from 'valibot';
import { saysOfRoute } from '../../http/route-options.decorator.js';

/** The body of the good answer, as the handler gives it; what is not optional in it is never left out. */
export const Answers = (shape: GenericSchema): MethodDecorator => saysOfRoute({ answers: shape });

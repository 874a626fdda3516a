import * as v from 'valibot';
import { pageMembers } from '../server/body/shape.js';

/** Query of every list. */
export const pageShape = v.strictObject(pageMembers);

import * as v from 'valibot';
import { pageMembers } from '../../web/shape.js';

/** Query of every list. */
export const pageShape = v.strictObject(pageMembers);

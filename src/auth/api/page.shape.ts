import * as v from 'valibot';
import { pageMembers } from '../../web/schema.js';

/** Query of every list. */
export const pageShape = v.strictObject(pageMembers);
